import type { Command } from 'commander';
import { carryOutPurge, type PurgeOutcome, type PurgePlan, planPurge } from '../../account/archive/purge';
import type { Connection } from '../../account/connection/connection';
import { depthsDocument, queueDocument } from '../../account/documents/json-documents';
import { BadInput } from '../../account/errors';
import { depthsIn } from '../../account/messages/each-message';
import { queueNamed } from '../../account/messages/named-queue';
import { checkReceives } from '../../account/messages/receive-guard';
import { FEEDER_READS, QUEUE_NAMED_READS } from '../../account/permissions';
import { andMore, formatNumber, messagesText } from '../../policy/format-text';
import { isKnown, knownValue } from '../../template/maybe-known';
import type { CommandContext, CommandOptions } from '../shared/command-line';
import type { CommandPermissions } from '../shared/command-permissions';
import type { Io } from '../shared/io';
import { confirmed, declined, warn, writeJson } from '../shared/print';
import { aboutLines } from '../shared/terminal-text';
import { withAws } from '../shared/with-aws';
import { cutShortText, lookAtMessages } from './look-at-messages';
import { addChangeOptions, CHANGE_HELP, CHANGE_PERMISSIONS, type ChangeOptions, changeQueue } from './queue-change';
import { queueCommand } from './queue-command';

export const PURGE_PERMISSIONS: CommandPermissions = {
  command: 'dlq purge',
  reads: [...QUEUE_NAMED_READS, 'sqs:ListDeadLetterSourceQueues'],
  more: [{ when: 'if no redrive policy of a queue names QUEUE', actions: FEEDER_READS }],
  executes: ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:DeleteMessage'],
  executesMore: CHANGE_PERMISSIONS,
  keys: { executes: ['kms:Decrypt'] },
};

const HELP = `
QUEUE is the name, ARN or URL of a dead-letter queue. Other queues are refused. FILE is an export of this queue by
dlo dlq export. It is read and checked first. Without --execute, it only prints the plan, and receives nothing.

It receives the messages, deletes those that are in FILE, and gives all others back. (SQS's own purge would also delete what
arrived after the export.) With --execute it asks for the queue's name. Without a terminal, give it with --confirm.

${CHANGE_HELP}

  dlo dlq export orders-dlq orders.jsonl
  dlo dlq purge orders-dlq --export orders.jsonl
  dlo dlq purge orders-dlq --export orders.jsonl --execute --confirm orders-dlq`;

/** `dlo dlq purge`. */
export function purgeCommand(context: CommandContext): Command {
  const does = 'delete the messages of a dead-letter queue that an export has';
  return addChangeOptions(queueCommand(PURGE_PERMISSIONS, does, HELP))
    .requiredOption('--export <file>', 'a complete export of this queue')
    .option('--confirm <name>', "the queue's name, instead of typing it")
    .option('--force', 'receive although that brings messages nearer to another dead-letter queue')
    .option('--execute', 'do it')
    .option('--json', 'print it as JSON')
    .action(async (queue: string, options: PurgeOptions) => purgeMessages(queue, options, context));
}

interface PurgeOptions extends CommandOptions, ChangeOptions {
  readonly export: string;
  readonly execute?: boolean;
  /** The queue's name. */
  readonly confirm?: string;
  readonly force?: boolean;
}

/**
 * `dlo dlq purge`.
 * @throws BadInput when the queue does not exist or is not a dead-letter queue, the file is not a complete export of it, or
 * the user cannot be asked for the queue's name
 * @throws Error when messages were not deleted or not found although SQS has more, or the purge was interrupted
 */
async function purgeMessages(name: string, options: PurgeOptions, context: CommandContext): Promise<void> {
  const { io } = context;
  await withAws(options, context, async aws => {
    const queue = await queueNamed(aws, name);
    warn(io, checkReceives(queue, options.force));
    const plan = await planPurge(aws, queue, options.export, io);
    if (options.execute === true && !isKnown(plan.feeders)) {
      throw new Error(
        `nothing has been deleted: only dead-letter queues can be purged, and whether ${queue.name} is one could not be read`,
      );
    }
    const isDeclined = options.execute === true && !(await isConfirmed(plan, options, io));
    const isExecuted = options.execute && !isDeclined;
    const outcome = isExecuted
      ? await changeQueue(aws, options, context, {
          queue,
          command: 'dlq purge',
          details: { file: plan.file, sha256: plan.archive.end.sha256, toDelete: plan.ids.size },
          work: during => deleteExported(aws, plan, during),
          outcomeOf: ({ look, ...counts }) => ({ ...counts, end: look.end }),
        })
      : undefined;
    if (options.json) writeJson(io, purgeDocument(plan, outcome));
    else if (!isDeclined) io.stdout.write(purgeText(plan, outcome));
    if (isDeclined) throw declined('nothing has been deleted', queue.name);
    if (outcome?.look.end === 'interrupted') throw new Error('interrupted');
    if (outcome && outcome.unsure > 0)
      throw new Error(`SQS may have deleted ${messagesText(outcome.unsure)} of ${queue.name}, but sent no answer`);
    if (outcome && outcome.refused > 0) throw new Error(`some messages of ${queue.name} were not deleted`);
    if (outcome && isUnsure(plan, outcome))
      throw new Error(`some messages of the export may still be in ${queue.name}, in flight elsewhere`);
  });
}

function deleteExported(aws: Connection, plan: PurgePlan, context: CommandContext): Promise<PurgeOutcome> {
  const what = 'messages deleted or kept';
  return carryOutPurge(
    plan,
    visit => lookAtMessages(aws, plan.queue, context, { what }, visit),
    counts => warn(context.io, [`before the error: ${deletedText(counts)}`]),
  );
}

/**
 * A deletion cannot be undone, so the user types the queue's name.
 */
async function isConfirmed({ queue: { name }, ids }: PurgePlan, { confirm }: PurgeOptions, io: Io): Promise<boolean> {
  if (confirm !== undefined && confirm.trim() !== name) {
    throw new BadInput([`--confirm must be ${name}, got ${JSON.stringify(confirm)}: nothing has been deleted`]);
  }
  if (confirm !== undefined) return true;
  const answer = await confirmed(io, `Type ${name} to delete at most ${messagesText(ids.size)} for good: `, name);
  if (answer === 'no-terminal') throw new BadInput([`there is no terminal to ask on: add --confirm ${name}`]);
  return answer === 'yes';
}

const MAX_FEEDERS = 5;

function planLines({ queue, file, archive, feeders }: PurgePlan): string[] {
  const { visible, inFlight, delayed } = depthsIn(queue.attributes);
  const { header, end } = archive;
  const complete = end.isComplete ? '' : ', incomplete';
  return aboutLines([
    ['Export', `${file}: ${messagesText(end.messages)}, exported ${header.exportedAt}${complete}`],
    [
      'Queue now',
      `${formatNumber(visible)} visible, ${formatNumber(inFlight)} in flight, ${formatNumber(delayed)} delayed, as SQS counts`,
    ],
    [
      'Fed by',
      isKnown(feeders) ? andMore(feeders, MAX_FEEDERS) : 'unknown: whether it is a dead-letter queue could not be read',
    ],
  ]).map(line => `  ${line}`);
}

/** How many messages of the export were not found in the queue. */
function missingOf({ archive }: PurgePlan, { deleted, refused, unsure }: PurgeOutcome): number {
  return archive.end.messages - deleted - refused - unsure;
}

/** Whether messages of the export may still be in the queue: they were not found, but SQS counts more than were seen. */
function isUnsure(plan: PurgePlan, outcome: PurgeOutcome): boolean {
  const { visible, inFlight, delayed } = outcome.look.unseen;
  return missingOf(plan, outcome) > 0 && (outcome.look.end !== 'empty' || visible + inFlight + delayed > 0);
}

/** How many messages are gone. */
function deletedText({ deleted, unsure }: Pick<PurgeOutcome, 'deleted' | 'unsure'>): string {
  const perhaps = unsure > 0 ? `, and ${messagesText(unsure)} may be: SQS sent no answer` : '';
  return `${messagesText(deleted)} deleted for good${perhaps}`;
}

function outcomeLines(plan: PurgePlan, outcome: PurgeOutcome): string[] {
  const { kept, refused, unsure, look } = outcome;
  const missing = missingOf(plan, outcome);
  const cutShort = cutShortText(look.end);
  const { inFlight, delayed } = look.unseen;
  const unseen =
    inFlight + delayed > 0 ? `; ${formatNumber(inFlight)} in flight elsewhere, ${formatNumber(delayed)} delayed` : '';
  return [
    `${deletedText(outcome)}.`,
    ...(unsure > 0 ? ['Run the command again: it deletes those that are still there.'] : []),
    ...(kept > 0 ? [`Not in the export, and kept: ${messagesText(kept)}.`] : []),
    ...(refused > 0 ? [`In the export, but not deleted: ${messagesText(refused)}.`] : []),
    ...(missing > 0 ? [`In the export, but not found: ${messagesText(missing)}${unseen}.`] : []),
    ...(cutShort === undefined ? [] : [`${cutShort}: run the command again to continue.`]),
  ];
}

const PLANNED = [
  '* Only messages that are in the export are deleted, one by one. Messages that arrived later stay.',
  "Nothing has been deleted. With --execute, the command asks for the queue's name, and then deletes.",
];

/** Describes the plan, or the outcome if messages were deleted. */
function purgeText(plan: PurgePlan, outcome: PurgeOutcome | undefined): string {
  const end = outcome ? outcomeLines(plan, outcome) : PLANNED;
  return `${[`Purge ${plan.queue.name}`, ...planLines(plan), ...end].join('\n')}\n`;
}

/** The same for `--json`. */
function purgeDocument(plan: PurgePlan, outcome: PurgeOutcome | undefined) {
  const { queue, file, archive, feeders } = plan;
  return {
    ...queueDocument(queue),
    file,
    messages: archive.end.messages,
    isComplete: archive.end.isComplete,
    depths: depthsDocument(depthsIn(queue.attributes)),
    feeders: knownValue(feeders) ?? null,
    executed: outcome !== undefined,
    deleted: outcome?.deleted ?? 0,
    kept: outcome?.kept ?? 0,
    refused: outcome?.refused ?? 0,
    unsure: outcome?.unsure ?? 0,
    missing: outcome ? missingOf(plan, outcome) : null,
    unseen: outcome?.look.unseen ?? null,
    interrupted: outcome?.look.end === 'interrupted',
  };
}
