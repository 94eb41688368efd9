import { Argument, Command } from 'commander';
import type { ConnectionOptions } from '../../account/connection/connection';
import { addConnectionOptions } from '../shared/command-line';
import type { Io } from '../shared/io';
import { completionScript, SHELLS, type Shell } from './completion-script';

const HELP = `
The script completes commands, options and the values of options that have a list, without starting a process. It completes names of queues
too: it asks SQS for them, with the profile, Region, role and endpoint that were typed before, or those of the environment. That needs the
permission sqs:ListQueues.

  dlo completion bash > ~/.local/share/bash-completion/completions/dlo
  dlo completion zsh > "\${fpath[1]}/_dlo"
  dlo completion fish > ~/.config/fish/completions/dlo.fish

Write it again after an update of dlo.`;

/**
 * `dlo completion`.
 * @param whole loads `dlo` with all commands
 */
export function completionCommand(io: Io, whole: () => Promise<Command>): Command {
  return new Command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action(async (shell: Shell) => io.stdout.write(completionScript(await whole(), shell)))
    .addCommand(queuesCommand(io), { hidden: true });
}

/** `dlo completion queues`, for the scripts: the names of queues that begin with a prefix. It takes all words of a command line. */
function queuesCommand(io: Io): Command {
  return addConnectionOptions(new Command('queues'))
    .argument('[prefix]')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (prefix = '', options: ConnectionOptions) => {
      const { queueNames } = await import('./queue-names');
      for (const name of await queueNames(prefix, options)) io.stdout.write(`${name}\n`);
    });
}
