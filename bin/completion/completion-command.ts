import { Argument, Command } from 'commander';
import type { Io } from '../shared/io';
import { completionScript, SHELLS, type Shell } from './completion-script';

const HELP = `
The script completes commands, options and the values of options that have a list. It starts no process and reads no account, so it does
not complete names of queues.

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
    .action(async (shell: Shell) => io.stdout.write(completionScript(await whole(), shell)));
}
