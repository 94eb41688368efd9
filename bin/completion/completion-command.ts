import { Argument, Command } from 'commander';
import type { Io } from '../shared/io';
import { completionsOf } from './completions';

/** The script for each shell. A file name completes what `dlo` does not. */
const SCRIPTS = {
  bash: `# Completion of dlo for bash, written by: dlo completion bash
_dlo() {
  local IFS=$'\\n'
  COMPREPLY=($(dlo completion words "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null | cut -f1))
}
complete -o default -F _dlo dlo
`,
  // In zsh, a colon separates a word from its description.
  zsh: `#compdef dlo
# Completion of dlo for zsh, written by: dlo completion zsh
_dlo() {
  local line tab=$'\\t'
  local -a found
  for line in \${(f)"$(dlo completion words "$words[1,CURRENT]" 2>/dev/null)"}; do
    found+=("\${\${line%%$tab*}//:/\\\\:}:\${line#*$tab}")
  done
  if (( $#found )); then _describe dlo found; else _files; fi
}
if [[ "$funcstack[1]" == _dlo ]]; then _dlo "$@"; else compdef _dlo dlo; fi
`,
  fish: `# Completion of dlo for fish, written by: dlo completion fish
function __dlo_words
  set -l found (dlo completion words (commandline -cp) 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c dlo -f -a '(__dlo_words)'
`,
} as const;

type Shell = keyof typeof SCRIPTS;
export const SHELLS = Object.keys(SCRIPTS);

const HELP = `
At each Tab, the script asks dlo what can follow: commands, options, the values of options that have a list, and names of queues, of
fleets and of their endpoints. For names, dlo asks AWS, with the profile, Region, role and endpoint that were typed before, or those of
the environment. That needs the permissions sqs:ListQueues, or lambda:ListFunctions, dynamodb:Query, dynamodb:Scan and
dynamodb:BatchGetItem. Of endpoints, it has those of the tenant that was typed, and before that those that are not healthy.

  dlo completion bash > ~/.local/share/bash-completion/completions/dlo
  dlo completion zsh > "\${fpath[1]}/_dlo"
  dlo completion fish > ~/.config/fish/completions/dlo.fish`;

/**
 * `dlo completion`.
 * @param programOf loads `dlo` with the commands among some words
 */
export function completionCommand(io: Io, programOf: (words: readonly string[]) => Promise<Command>): Command {
  const words = new Command('words').argument('<line>').action(async (line: string) => {
    const found = await completionsOf(await programOf(line.split(/\s+/)), line);
    for (const { word, says } of found) io.stdout.write(`${word}\t${says}\n`);
  });
  return new Command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => io.stdout.write(SCRIPTS[shell]))
    .addCommand(words, { hidden: true });
}
