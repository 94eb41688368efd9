import type { Command, Option } from 'commander';

/** The shells that completion is written for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** A word that completes a command line. */
interface Completion {
  readonly word: string;
  readonly says: string;
}

/** A place in the command line: the commands typed so far, and what can follow. */
interface Stage {
  /** `dlo dlq ls`. */
  readonly typed: string;
  readonly commands: readonly Completion[];
  readonly options: readonly (Completion & { readonly short?: string; readonly takesValue: boolean })[];
  /** Whether an argument is a queue. */
  readonly takesQueue: boolean;
}

/** Options with a list of values. */
interface Choices {
  readonly option: string;
  readonly values: readonly string[];
}

function optionsOf(command: Command): readonly Option[] {
  const inherited: Option[] = [];
  for (let at: Command | null = command; at; at = at.parent) inherited.push(...at.options);
  return inherited.filter(({ long, hidden }) => long && !hidden);
}

function stagesOf(command: Command, typed: string): readonly Stage[] {
  const parts = command
    .createHelp()
    .visibleCommands(command)
    .filter(it => it.name() !== 'help');
  const options = optionsOf(command).flatMap(({ long, short, description, required, optional }) =>
    long
      ? [{ word: long, says: description, takesValue: required || optional, ...(short !== undefined && { short }) }]
      : [],
  );
  const help = { word: '--help', says: 'display help for command', takesValue: false };
  const commands = parts.map(it => ({ word: it.name(), says: it.description() }));
  const takesQueue = command.registeredArguments.some(it => it.name() === 'QUEUE');
  return [
    { typed, commands, options: [...options, help], takesQueue },
    ...parts.flatMap(part => stagesOf(part, `${typed} ${part.name()}`)),
  ];
}

function choicesOf(command: Command): readonly Choices[] {
  const all = [command, ...command.commands.flatMap(part => [part, ...part.commands])].flatMap(it => it.options);
  const found = all.flatMap(({ long, argChoices }) =>
    long && argChoices ? [{ option: long, values: argChoices }] : [],
  );
  return found.filter((it, at) => found.findIndex(({ option }) => option === it.option) === at);
}

const words = (completions: readonly Completion[]) => completions.map(({ word }) => word).join(' ');

const INDENT = '    ';

/** The commands that take a queue, as alternatives of a case. */
function queueCases(stages: readonly Stage[], separator: string): string {
  return typedCases([...stages.slice(0, 1), ...stages.filter(({ takesQueue }) => takesQueue)], separator);
}

/** Finds out which commands were typed. Options and arguments between them are skipped. */
function typedCases(stages: readonly Stage[], separator: string): string {
  return stages
    .slice(1)
    .map(({ typed }) => `'${typed}'`)
    .join(separator);
}

function bashScript(stages: readonly Stage[], choices: readonly Choices[]): string {
  const values = choices.map(({ option, values: list }) => `${INDENT}${option}) found='${list.join(' ')}' ;;`);
  const cases = stages.map(
    ({ typed, commands, options }) =>
      `${INDENT}'${typed}') commands='${words(commands)}' options='${words(options)}' ;;`,
  );
  return [
    '# Completion of dlo for bash, written by: dlo completion bash',
    '_dlo() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" typed=dlo word commands options found= line`,
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    `    case "$typed $word" in ${typedCases(stages, '|')}) typed="$typed $word" ;; esac`,
    '  done',
    '  case "$before" in',
    ...values,
    '  esac',
    '  case "$typed" in',
    ...cases,
    '  esac',
    `  if [[ -z $found ]]; then [[ $current == -* ]] && found=$options || found=$commands; fi`,
    // Bash splits URLs into several words.
    `  if [[ -z $found && $before != -* ]]; then case "$typed" in ${queueCases(stages, '|')})`,
    '    read -ra line <<< "$COMP_LINE"',
    `    found=$(dlo completion queues "$current" "\${line[@]:1}" 2>/dev/null) ;; esac; fi`,
    '  COMPREPLY=($(compgen -W "$found" -- "$current"))',
    '}',
    'complete -o default -F _dlo dlo',
    '',
  ].join('\n');
}

/** A text in single quotes, for bash and zsh. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** In zsh, a colon separates a word from its description. */
const described = ({ word, says }: Completion) => quoted(`${word}:${says.replaceAll(':', '\\:')}`);

function zshScript(stages: readonly Stage[], choices: readonly Choices[]): string {
  const values = choices.map(
    ({ option, values: list }) => `${INDENT}(${option}) compadd -- ${list.join(' ')}; return ;;`,
  );
  const cases = stages.flatMap(({ typed, commands, options }) => [
    `${INDENT}('${typed}')`,
    `${INDENT}  commands=(${commands.map(described).join(' ')})`,
    `${INDENT}  options=(${options.map(described).join(' ')}) ;;`,
  ]);
  return [
    '#compdef dlo',
    '# Completion of dlo for zsh, written by: dlo completion zsh',
    '_dlo() {',
    '  local typed=dlo word',
    '  local -a commands options',
    `  for word in "\${(@)words[2,CURRENT-1]}"; do`,
    `    case "$typed $word" in (${typedCases(stages, '|')}) typed="$typed $word" ;; esac`,
    '  done',
    '  case "$words[CURRENT-1]" in',
    ...values,
    '  esac',
    '  case "$typed" in',
    ...cases,
    '  esac',
    '  if [[ "$words[CURRENT]" == -* ]]; then _describe -o option options',
    '  elif (( $#commands )); then _describe command commands',
    '  else',
    `    case "$typed" in (${queueCases(stages, '|')}) compadd -- \${(f)"$(dlo completion queues "$words[CURRENT]" "\${(@)words[2,CURRENT-1]}" 2>/dev/null)"} ;; esac`,
    '    _files',
    '  fi',
    '}',
    'if [[ "$funcstack[1]" == _dlo ]]; then _dlo "$@"; else compdef _dlo dlo; fi',
    '',
  ].join('\n');
}

/** In fish, single quotes know the escapes of a quote and of a backslash only. */
const fishQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fishScript(stages: readonly Stage[], choices: readonly Choices[]): string {
  const valuesOf = (option: string) => choices.find(it => it.option === option)?.values.join(' ');
  const lines = stages.flatMap(({ typed, commands, options, takesQueue }) => {
    const when = `complete -c dlo -n '__dlo_typed "${typed}"'`;
    return [
      ...(takesQueue
        ? [`${when} -a '(dlo completion queues (commandline -ct) (commandline -opc)[2..-1] 2>/dev/null)'`]
        : []),
      ...commands.map(({ word, says }) => `${when} -f -a ${word} -d ${fishQuoted(says)}`),
      ...options.map(({ word, says, short, takesValue }) => {
        const values = valuesOf(word);
        const value = values === undefined ? (takesValue ? ' -r' : '') : ` -x -a ${fishQuoted(values)}`;
        const letter = short === undefined ? '' : ` -s ${short.slice(1)}`;
        return `${when} -l ${word.slice(2)}${letter}${value} -d ${fishQuoted(says)}`;
      }),
    ];
  });
  return [
    '# Completion of dlo for fish, written by: dlo completion fish',
    'function __dlo_typed',
    '  set -l typed dlo',
    '  for word in (commandline -opc)[2..-1]',
    '    switch "$typed $word"',
    `      case ${typedCases(stages, ' ')}`,
    '        set typed "$typed $word"',
    '    end',
    '  end',
    '  test "$typed" = "$argv[1]"',
    'end',
    ...lines,
    '',
  ].join('\n');
}

const SCRIPTS: Readonly<Record<Shell, (stages: readonly Stage[], choices: readonly Choices[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The script that completes a command line of `dlo` in a shell. It has all words, and asks `dlo` only for the names of queues. */
export function completionScript(program: Command, shell: Shell): string {
  return SCRIPTS[shell](stagesOf(program, program.name()), choicesOf(program));
}
