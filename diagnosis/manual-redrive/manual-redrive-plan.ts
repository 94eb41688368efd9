import { MAX_FUNCTION_TIMEOUT_SECONDS, QUEUE_COUNTS_LATE_MS } from '../../policy/aws-limits';
import { totalOf } from '../../policy/redrive/budget';
import type { MoveFacts } from '../../policy/redrive/redrive-facts';
import { HOUR_MS, MINUTE_MS } from '../../policy/time-units';
import { knownValue } from '../../template/maybe-known';
import { feedersOf } from '../inventory/feeders';
import { type MappingFacts, mayLack } from '../inventory/inventory';
import { functionOf, unqualified } from '../inventory/look-ups';
import { type Form, formOf, type OriginalDestination } from './destination';
import type { ManualRedriveFacts, ManualRedriveOptions, RedriveQueue } from './manual-redrive-facts';
import type { Canary, MoveMethod, PlannedMoves } from './planned-moves';
import { type RedriveRisk, risksOf } from './risks';
import { type Selection, selectionFor } from './selection';

export interface ManualRedrivePlan extends PlannedMoves {
  readonly risks: readonly RedriveRisk[];
}

/** A canary takes about this long. */
const CANARY_SECONDS = 10;

function canaryOf({ canary, messagesPerSecond }: ManualRedriveOptions, messages: number): Canary | undefined {
  if (canary === 0) return undefined;
  const rate = Math.min(messagesPerSecond, Math.max(1, Math.ceil(canary / CANARY_SECONDS)));
  return { messages: Math.min(canary, Math.max(messages, 1)), messagesPerSecond: rate };
}

/** Whether a queue of SQS uses it as its dead-letter queue. SQS only moves messages of such queues itself. */
function isDeadLetterQueueOfAQueue({ deadLetters, inventory }: ManualRedriveFacts): boolean {
  return feedersOf(deadLetters.arn, inventory).some(({ kind }) => kind === 'queue');
}

/** Which messages were for the destination; undefined if all of them are moved. */
function selectionOf(
  facts: ManualRedriveFacts,
  { arn: to }: OriginalDestination,
  terms: ManualRedriveOptions,
): Selection | undefined {
  const selected = selectionFor(facts, { to, ...terms });
  return selected.kind === 'some' ? selected.selection : undefined;
}

function whyNoTask(
  facts: ManualRedriveFacts,
  terms: ManualRedriveOptions,
  home: OriginalDestination,
  form: Form,
  to: RedriveQueue | undefined,
) {
  if (home.kind === 'function') return 'SQS only moves messages to queues';
  if (selectionOf(facts, home, terms)) return 'a task of SQS moves all messages, also those for other destinations';
  if (terms.filter !== undefined) return 'a task of SQS moves all messages and supports no filter';
  if (form === 'unwrapped')
    return 'a task of SQS moves messages unchanged, and these must be taken out of their envelopes';
  if (!isDeadLetterQueueOfAQueue(facts)) {
    return mayLack(facts.inventory, 'feeders')
      ? 'SQS only moves messages of a queue’s dead-letter queue, and whether this is one could not be read'
      : 'SQS only moves messages of a queue’s dead-letter queue';
  }
  if (to && to.isFifo !== facts.deadLetters.isFifo) return 'SQS only moves messages between queues of the same type';
  return undefined;
}

/** The event source mappings that read a queue. */
function readersOf({ inventory }: ManualRedriveFacts, home: OriginalDestination): readonly MappingFacts[] {
  if (home.kind === 'function') return [];
  return inventory.mappings.filter(({ sourceArn }) => knownValue(sourceArn) === home.arn);
}

/** A queue without its depth, and without its URL, which depends on the endpoint used to reach AWS. */
function configurationOf(queue: RedriveQueue | undefined): unknown {
  return { ...queue, depth: undefined, url: undefined };
}

/** The tasks so far. A finished task only counts; a running one matters. */
function taskState(tasks: readonly MoveFacts[]): unknown {
  return tasks.map(({ startedAtMs, status }) => [startedAtMs, status]);
}

function planInputsOf(
  facts: ManualRedriveFacts,
  terms: ManualRedriveOptions,
  home: OriginalDestination,
  to: RedriveQueue | undefined,
  carrier: MoveMethod,
) {
  const { deadLetters, inventory, tasks, redrives } = facts;
  const feeders = feedersOf(deadLetters.arn, inventory).map(({ kind, resource, via }) => [kind, resource.arn, via]);
  const readers = readersOf(facts, home).map(({ arn, isEnabled }) => [arn, isEnabled]);
  const selection = selectionOf(facts, home, terms);
  return {
    options: terms,
    route: [deadLetters.arn, home, carrier, formOf(facts, home), ...(selection ? [selection] : [])],
    queues: [configurationOf(deadLetters), configurationOf(to)],
    activity: [feeders, readers, taskState(tasks), redrives],
  };
}

/**
 * Plans a manual redrive and lists its risks.
 * @param to the destination as it is now, if it is a queue
 */
export function planManualRedrive(
  facts: ManualRedriveFacts,
  terms: ManualRedriveOptions,
  home: OriginalDestination,
  to: RedriveQueue | undefined,
): ManualRedrivePlan {
  const { deadLetters } = facts;
  const { messagesPerSecond, filter } = terms;
  const form = formOf(facts, home);
  const why = whyNoTask(facts, terms, home, form, to);
  const carrier: MoveMethod = home.kind === 'function' ? 'replay' : why === undefined ? 'task' : 'copy';
  const messages = totalOf(deadLetters.depth);
  const canary = canaryOf(terms, messages);
  const selection = selectionOf(facts, home, terms);
  // A replay deletes a message only if the function succeeded.
  const failuresArn = home.kind === 'function' ? deadLetters.arn : to?.deadLetterTargetArn;
  const settleMs = settleMsOf(home, to);
  const takesSeconds = Math.ceil(messages / messagesPerSecond) + (canary ? CANARY_SECONDS : 0);
  const readers = readersOf(facts, home);
  const plan = {
    deadLetters,
    destination: home.kind === 'queue' ? { ...home, url: to?.url ?? '' } : home,
    ...(to && { destinationQueue: to }),
    carrier,
    ...(why !== undefined && { whyNoTask: why }),
    form,
    messagesPerSecond,
    ...(canary && { canary }),
    ...(filter !== undefined && { filter }),
    ...(selection && { selection }),
    ...(failuresArn !== undefined && { failuresArn }),
    ...(home.kind === 'function' && { functionTimeoutSeconds: timeoutSecondsOf(facts, home.arn) }),
    isRead: readers.some(({ isEnabled }) => knownValue(isEnabled) === true),
    settleMs,
    watchMs: watchMsOf(settleMs),
    takesSeconds,
    planInputs: planInputsOf(facts, terms, home, to, carrier),
  };
  return { ...plan, risks: risksOf({ facts, terms, home, plan, readers }) };
}

/**
 * How long the command waits for CloudWatch's count of deleted messages, until it reports that the canary was not consumed. It is longer
 * than `METRIC_POINTS_LATE_MS`, because a count that comes later would stop a redrive that is well.
 */
export const WAIT_FOR_DELETED_COUNT_MS = 5 * MINUTE_MS;

/** The longest a command waits for messages to come back. */
const LONGEST_MS = HOUR_MS;

/** Added to the time a command waits, because its calls take time too. */
const MARGIN_MS = 30_000;

/** How long a replay may have to wait for the function. */
function timeoutSecondsOf({ inventory }: ManualRedriveFacts, arn: string): number {
  const { timeoutSeconds } = functionOf(unqualified(arn), inventory) ?? {};
  return (timeoutSeconds && knownValue(timeoutSeconds)) ?? MAX_FUNCTION_TIMEOUT_SECONDS;
}

/**
 * How long a message that fails at the destination may take to arrive in the queue for failures, according to the
 * configuration. The result of a replay is known at once.
 */
function settleMsOf(home: OriginalDestination, to: RedriveQueue | undefined): number {
  const { visibilityTimeoutSeconds = 0, maxReceiveCount = 1 } = to ?? {};
  const failsWithinMs = home.kind === 'function' ? 0 : visibilityTimeoutSeconds * maxReceiveCount * 1_000;
  return Math.max(failsWithinMs + MARGIN_MS, QUEUE_COUNTS_LATE_MS);
}

/** How much of that time the command watches. */
function watchMsOf(settleMs: number): number {
  return Math.min(settleMs, LONGEST_MS);
}
