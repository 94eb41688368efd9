import { Argument, Command } from 'commander';
import { addConnectionOptions } from '../shared/command-line';
import type { Io } from '../shared/io';
import { completionScript, SHELLS, type Shell } from './completion-script';
import type { NameList, TypedOptions } from './names';

const HELP = `
The script completes commands, options and the values of options that have a list, without starting a process. It completes names of
queues, of fleets and of their endpoints too: it asks AWS for them, with the profile, Region, role and endpoint that were typed before, or
those of the environment. That needs the permissions sqs:ListQueues, or lambda:ListFunctions, dynamodb:Query and dynamodb:BatchGetItem. Of
endpoints, it has those of the tenant that was typed, and before that those that are not healthy.

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
    .addCommand(namesCommand('queues', io), { hidden: true })
    .addCommand(namesCommand('fleets', io), { hidden: true })
    .addCommand(namesCommand('endpoints', io).option('--fleet <name>').option('--tenant <name>'), { hidden: true });
}

/** `dlo completion queues` and so on, for the scripts: names that begin with a prefix. It takes all words of a command line. */
function namesCommand(list: NameList, io: Io): Command {
  return addConnectionOptions(new Command(list))
    .argument('[prefix]')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (prefix = '', options: TypedOptions) => {
      const { namesIn } = await import('./names');
      for (const name of await namesIn(list, prefix, options)) io.stdout.write(`${name}\n`);
    });
}
