import { Command, type Option } from 'commander';
import { addConnectionOptions } from '../shared/command-line';
import type { NameList, TypedOptions } from './names';

/** A word that completes a command line. */
export interface Completion {
  readonly word: string;
  readonly says: string;
}

/** Asks AWS for the names of a list that begin with a prefix. */
type AskNames = (list: NameList, prefix: string, typed: TypedOptions) => Promise<readonly string[]>;

const askAws: AskNames = async (...asked) => (await import('./names')).namesIn(...asked);

/** The names that an argument or the value of an option can be. */
const NAMES_OF: Readonly<Record<string, NameList>> = {
  QUEUE: 'queues',
  ENDPOINT: 'endpoints',
  'ENDPOINT|MESSAGE': 'endpoints',
};
const NAMES_OF_OPTIONS: Readonly<Record<string, NameList>> = { '--fleet': 'fleets' };

/** The command that was typed. Words that name no command are options, their values and arguments. */
function commandIn(program: Command, typed: readonly string[]): Command {
  return typed.reduce((at, word) => at.commands.find(it => it.name() === word) ?? at, program);
}

function optionsOf(command: Command): readonly Option[] {
  const inherited: Option[] = [];
  for (let at: Command | null = command; at; at = at.parent) inherited.push(...at.options);
  return inherited.filter(({ long, hidden }) => long && !hidden);
}

/** The options that say which account is asked for names, and for which. */
function optionsIn(typed: readonly string[]): TypedOptions {
  const command = addConnectionOptions(new Command('names'))
    .option('--fleet <name>')
    .option('--tenant <name>')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .exitOverride();
  return command.parse(typed, { from: 'user' }).opts();
}

/**
 * The words that can follow in a command line of `dlo`: commands, options, the values of options that have a list, and names that AWS
 * has. None where it cannot tell, such as for a file.
 *
 * @param program `dlo` with the command that was typed
 * @param line up to the cursor
 * @throws CommanderError if an option that names the account is wrong
 */
export async function completionsOf(
  program: Command,
  line: string,
  ask: AskNames = askAws,
): Promise<readonly Completion[]> {
  const typed = line.split(/\s+/);
  const current = typed.pop() ?? '';
  const command = commandIn(program, typed);
  const begins = ({ word }: Completion) => word.startsWith(current);
  const plain = (words: readonly string[]) => words.map(word => ({ word, says: '' })).filter(begins);
  const options = optionsOf(command);
  const before = options.find(({ long, short }) => [long, short].includes(typed.at(-1)));
  const list = NAMES_OF_OPTIONS[before?.long ?? ''];
  if (list) return plain(await ask(list, current, optionsIn(typed.slice(0, -1))));
  if (before?.argChoices) return plain(before.argChoices);
  if (before?.required) return [];
  if (current.startsWith('-')) {
    const help = { word: '--help', says: 'display help for command' };
    return [...options.map(({ long = '', description }) => ({ word: long, says: description })), help].filter(begins);
  }
  const parts = command.createHelp().visibleCommands(command);
  if (parts.length > 0) {
    const commands = parts.map(it => ({ word: it.name(), says: it.description() }));
    return commands.filter(it => it.word !== 'help' && begins(it));
  }
  const [ofArgument] = command.registeredArguments.flatMap(it => NAMES_OF[it.name()] ?? []);
  return ofArgument ? plain(await ask(ofArgument, current, optionsIn(typed))) : [];
}
