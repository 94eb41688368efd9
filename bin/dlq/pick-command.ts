import { Command } from 'commander';
import { connected } from '../../account/connection/connection';
import { BadInput } from '../../account/errors';
import { type ListedQueue, type QueueList, readList } from '../../account/inventory/dead-letter-queues';
import { dloCommand, siteWords } from '../../account/printed-commands';
import { shortNames } from '../../diagnosis/inventory/short-names';
import { ownMember } from '../../policy/json-members';
import { nearNames } from '../../policy/near-names';
import { addConnectionOptions, type CommandContext, type CommandOptions, EXIT_CODES } from '../shared/command-line';
import { warn } from '../shared/print';
import { withReadProgress } from '../shared/progress';
import { paintFor } from '../shared/terminal-text';
import { queueTable } from './list-table';
import { isUrgent, MOST_QUEUES } from './list-text';

/** Runs another command of `dlo dlq`, and prints its errors. */
export type RunPart = (words: readonly string[]) => Promise<number>;

/** What can be done with a queue, by the letter to type. None of them changes anything. */
const ACTIONS: Readonly<Record<string, string>> = { w: 'why', p: 'peek', r: 'redrive' };

const ACTIONS_TEXT = 'w: why, p: peek, r: plan a redrive, Enter: back';

const HELP = `
The queues are those of dlo dlq ls, by number. It needs the permissions of the commands that it runs: ls, why, peek and redrive. It only
plans a redrive, and changes nothing. Without a terminal, it prints the help of dlo dlq.

${EXIT_CODES}`;

/** `dlo dlq pick`, which is also `dlo dlq` alone. */
export function pickCommand(context: CommandContext, runPart: RunPart): Command {
  return addConnectionOptions(new Command('pick'))
    .description('choose a queue in a terminal, and see why, peek or plan a redrive; dlo dlq alone does this')
    .allowExcessArguments()
    .addHelpText('after', HELP)
    .action(async (options: CommandOptions, command: Command) => {
      const [word] = command.args;
      if (word !== undefined) throw unknownCommand(word, command);
      // As without any default command: the help goes to standard error.
      if (!context.io.stdout.isTTY) command.parent?.help({ error: true });
      await pick(options, context, runPart);
    });
}

function unknownCommand(word: string, { parent }: Command): BadInput {
  const near = nearNames(
    word,
    (parent?.commands ?? []).map(it => it.name()),
  );
  const advice = near.length === 0 ? '' : `. Similar names: ${near.join(', ')}`;
  return new BadInput([`unknown command ${word}${advice}`]);
}

/** The queues that may need an operator, the most urgent first. */
async function readQueues(options: CommandOptions, context: CommandContext): Promise<QueueList> {
  return connected(options, aws =>
    withReadProgress(context, readWith => readList(aws, undefined, readWith(aws), context.nowMs)),
  );
}

async function pick(options: CommandOptions, context: CommandContext, runPart: RunPart): Promise<void> {
  const { io, nowMs } = context;
  const list = await readQueues(options, context);
  warn(io, list.unseen);
  const urgent = list.queues.filter(queue => queue.location.kind === 'here' && isUrgent(queue, { nowMs: nowMs() }));
  const shown = urgent.slice(0, MOST_QUEUES);
  if (shown.length === 0) {
    io.stdout.write(`No dead-letter queue in ${list.region} holds messages.\n`);
    return;
  }
  for (;;) {
    io.stdout.write(numberedTable(shown, context));
    const queue = await askedQueue(shown, context);
    if (!queue) return;
    await act(queue, options, context, runPart);
  }
}

/** The table of `dlo dlq ls`, with a number before each name. */
function numberedTable(queues: readonly ListedQueue[], { io, nowMs }: CommandContext): string {
  const short = shortNames(queues.map(({ name }) => name));
  const { columns: width } = io.stdout;
  const lines = queueTable(queues, {
    nowMs: nowMs(),
    paint: paintFor(io.stdout),
    hasFullNames: false,
    hasPlaces: false,
    nameOf: queue => `${String(queues.indexOf(queue) + 1).padStart(2)}  ${short.get(queue.name) ?? queue.name}`,
    ...(width !== undefined && { width }),
  });
  return `${lines.join('\n')}\n`;
}

/** Asks until the answer is a number of the table. Undefined for an empty answer, Ctrl-C, or without a terminal. */
async function askedQueue(queues: readonly ListedQueue[], { io }: CommandContext): Promise<ListedQueue | undefined> {
  for (;;) {
    const answer = (await io.ask(`Queue (1 to ${queues.length}, Enter: end): `))?.trim();
    if (!answer) return undefined;
    const queue = /^\d{1,2}$/.test(answer) ? queues[Number(answer) - 1] : undefined;
    if (queue) return queue;
  }
}

/** Runs commands for a queue until the answer is empty. It prints each command, so that the user can repeat it. */
async function act(
  { name }: ListedQueue,
  options: CommandOptions,
  { io }: CommandContext,
  runPart: RunPart,
): Promise<void> {
  for (;;) {
    // The name has a line of its own, so that the question fits into the terminal.
    const answer = (await io.ask(`${name}\n${ACTIONS_TEXT}: `))?.trim().toLowerCase();
    if (!answer) return;
    const action = ownMember(ACTIONS, answer) ?? Object.values(ACTIONS).find(it => it === answer);
    if (action === undefined) continue;
    io.stdout.write(`$ ${dloCommand(['dlq', action, name], { options })}\n`);
    await runPart([action, name, ...siteWords(options)]);
    io.stdout.write('\n');
  }
}
