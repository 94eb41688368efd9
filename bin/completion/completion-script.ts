import type { Command, Option } from 'commander';
import type { NameList } from './names';

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
  /** The names that an argument can be. @default - an argument is no name */
  readonly names?: NameList;
}

/** Options with a list of values. */
interface Choices {
  readonly option: string;
  readonly values: readonly string[];
}

/** The names that an argument or the value of an option can be. */
const NAMES_OF: Readonly<Record<string, NameList>> = {
  QUEUE: 'queues',
  ENDPOINT: 'endpoints',
  'ENDPOINT|MESSAGE': 'endpoints',
};
const NAMES_OF_OPTIONS: Readonly<Record<string, NameList>> = { '--fleet': 'fleets' };

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
  const [names] = command.registeredArguments.flatMap(it => NAMES_OF[it.name()] ?? []);
  return [
    { typed, commands, options: [...options, help], ...(names && { names }) },
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

function nameCases(stages: readonly Stage[], separator: string): readonly (readonly [cases: string, list: NameList])[] {
  return [...new Set(Object.values(NAMES_OF))].map(list => [
    typedCases([...stages.slice(0, 1), ...stages.filter(({ names }) => names === list)], separator),
    list,
  ]);
}

/** The commands below `dlo`, as patterns of a case. */
function typedCases(stages: readonly Stage[], separator: string): string {
  return stages
    .slice(1)
    .map(({ typed }) => `'${typed}'`)
    .join(separator);
}

function bashScript(stages: readonly Stage[], choices: readonly Choices[]): string {
  const asked = (list: NameList) => `found=$(dlo completion ${list} "$current" "\${line[@]:1}" 2>/dev/null)`;
  const values = [
    ...choices.map(({ option, values: list }) => `${INDENT}${option}) found='${list.join(' ')}' ;;`),
    ...Object.entries(NAMES_OF_OPTIONS).map(([option, list]) => `${INDENT}${option}) ${asked(list)} ;;`),
  ];
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
    // Bash splits URLs into several words.
    '  read -ra line <<< "$COMP_LINE"',
    '  case "$before" in',
    ...values,
    '  esac',
    '  case "$typed" in',
    ...cases,
    '  esac',
    `  if [[ -z $found ]]; then [[ $current == -* ]] && found=$options || found=$commands; fi`,
    '  if [[ -z $found && $before != -* ]]; then case "$typed" in',
    ...nameCases(stages, '|').map(([alternatives, list]) => `${INDENT}${alternatives}) ${asked(list)} ;;`),
    '  esac; fi',
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
  const asked = (list: NameList) =>
    `compadd -- \${(f)"$(dlo completion ${list} "$words[CURRENT]" "\${(@)words[2,CURRENT-1]}" 2>/dev/null)"}`;
  const values = [
    ...choices.map(({ option, values: list }) => `${INDENT}(${option}) compadd -- ${list.join(' ')}; return ;;`),
    ...Object.entries(NAMES_OF_OPTIONS).map(([option, list]) => `${INDENT}(${option}) ${asked(list)}; return ;;`),
  ];
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
    '    case "$typed" in',
    ...nameCases(stages, '|').map(([alternatives, list]) => `${INDENT}  (${alternatives}) ${asked(list)} ;;`),
    '    esac',
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
  const asked = (list: NameList) =>
    `'(dlo completion ${list} (commandline -ct) (commandline -opc)[2..-1] 2>/dev/null)'`;
  const valuesOf = (option: string) => {
    const list = NAMES_OF_OPTIONS[option];
    const values = choices.find(it => it.option === option)?.values.join(' ');
    return list ? asked(list) : values === undefined ? undefined : fishQuoted(values);
  };
  const lines = stages.flatMap(({ typed, commands, options, names }) => {
    const when = `complete -c dlo -n '__dlo_typed "${typed}"'`;
    return [
      ...(names ? [`${when} -a ${asked(names)}`] : []),
      ...commands.map(({ word, says }) => `${when} -f -a ${word} -d ${fishQuoted(says)}`),
      ...options.map(({ word, says, short, takesValue }) => {
        const values = valuesOf(word);
        const value = values === undefined ? (takesValue ? ' -r' : '') : ` -x -a ${values}`;
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

/** The script that completes a command line of `dlo` in a shell. It has all words, and asks `dlo` only for names. */
export function completionScript(program: Command, shell: Shell): string {
  return SCRIPTS[shell](stagesOf(program, program.name()), choicesOf(program));
}
