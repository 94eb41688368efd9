import { totalOf } from '../../policy/redrive/budget';
import type { MoveFacts } from '../../policy/redrive/redrive-facts';
import type { RedriveDestination } from '../../policy/redrive/redrive-settings';
import { knownValue } from '../../template/maybe-known';
import { feedersOf } from '../inventory/feeders';
import type { MappingFacts } from '../inventory/inventory';
import { functionOf, qualifierOf, unqualified } from '../inventory/look-ups';
import { type Form, formOf, type OriginalDestination } from './destination';
import type { ManualRedriveFacts, ManualRedriveOptions, RedriveQueue } from './facts';
import { type RedriveRisk, risksOf } from './risks';

/** Who moves letters: a task of SQS; whoever asks, by sending and then deleting them; or by invoking a function with them. */
export type MoveMethod = MoveFacts['carrier'];

/** Letters that go first. */
export interface Canary {
  readonly messages: number;
  readonly messagesPerSecond: number;
}

/** What is done about a queue by hand. */
export interface ManualRedrivePlan {
  readonly deadLetters: RedriveQueue;
  readonly destination: RedriveDestination;
  /** Of a queue, as it is now. */
  readonly destinationQueue?: RedriveQueue;
  readonly carrier: MoveMethod;
  /** Why it is not SQS that moves them. @default - it is */
  readonly whyNoTask?: string;
  readonly form: Form;
  readonly messagesPerSecond: number;
  /** @default - none goes first */
  readonly canary?: Canary;
  readonly filter?: string;
  /** Where ends what the destination fails at again. @default - nowhere, or nobody knows */
  readonly failuresArn?: string;
  /** Whether an event source mapping reads the destination, so that somebody must take what goes there. */
  readonly isRead: boolean;
  /** How long what fails there may take to come back. */
  readonly settleMs: number;
  /** For how long it is watched what comes back: as long as that, or shorter where that is very long. */
  readonly watchMs: number;
  /** At the rate it has, if all goes well. */
  readonly takesSeconds: number;
  readonly risks: readonly RedriveRisk[];
  /** All it was made of, part by part, by a name each: where one is another, it is another plan. */
  readonly planInputs: Readonly<Record<PlanInput, unknown>>;
}

export type PlanInput = 'options' | 'route' | 'queues' | 'surroundings';

/** Our choice: a canary goes within about so long. */
const CANARY_SECONDS = 10;

function canaryOf({ canary, messagesPerSecond }: ManualRedriveOptions, messages: number): Canary | undefined {
  if (canary === 0) return undefined;
  const rate = Math.min(messagesPerSecond, Math.max(1, Math.ceil(canary / CANARY_SECONDS)));
  return { messages: Math.min(canary, Math.max(messages, 1)), messagesPerSecond: rate };
}

/** Queues of SQS that name it as theirs: for no other queue SQS moves messages by itself. */
function isDeadLetterQueueOfAQueue({ deadLetters, inventory }: ManualRedriveFacts): boolean {
  return feedersOf(deadLetters.arn, inventory).some(({ kind }) => kind === 'queue');
}

function whyNoTask(
  facts: ManualRedriveFacts,
  { filter }: ManualRedriveOptions,
  home: OriginalDestination,
  form: Form,
  to: RedriveQueue | undefined,
) {
  if (home.kind === 'function') return 'SQS moves messages to queues only';
  if (filter !== undefined) return 'a task of SQS moves all letters, whatever a filter says';
  if (form === 'unwrapped') return 'a task of SQS moves messages as they are, and these are to be unwrapped';
  if (!isDeadLetterQueueOfAQueue(facts)) return 'SQS moves messages only of the dead-letter queue of a queue';
  if (to && to.isFifo !== facts.deadLetters.isFifo) return 'SQS moves messages only between queues of one kind';
  return undefined;
}

function failuresOf(
  { inventory }: ManualRedriveFacts,
  home: OriginalDestination,
  to: RedriveQueue | undefined,
): string | undefined {
  if (home.kind === 'queue') return to?.deadLetterTargetArn;
  const reported = functionOf(unqualified(home.arn), inventory);
  const qualifier = qualifierOf(home.arn) ?? '$LATEST';
  const invoke = knownValue(reported?.eventInvokes ?? [])?.find(it => it.qualifier === qualifier);
  return knownValue(invoke?.onFailureArn) ?? knownValue(reported?.deadLetterTargetArn);
}

/** The mappings that read a queue. */
function readersOf({ inventory }: ManualRedriveFacts, home: OriginalDestination): readonly MappingFacts[] {
  if (home.kind === 'function') return [];
  return inventory.mappings.filter(({ sourceArn }) => knownValue(sourceArn) === home.arn);
}

/** A queue without how much is in it; and without its URL, which hangs on how AWS is reached, as its ARN does not. */
function configurationOf(queue: RedriveQueue | undefined): unknown {
  return { ...queue, depth: undefined, url: undefined };
}

/** Tasks that are over are history; one that runs, and how many there were, is not. */
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
  return {
    options: terms,
    route: [deadLetters.arn, home, carrier, formOf(facts, home)],
    queues: [configurationOf(deadLetters), configurationOf(to)],
    surroundings: [feeders, readers, taskState(tasks), redrives],
  };
}

/**
 * What is done, and what could go wrong.
 * @param to the destination as it is, where it is a queue
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
  const failuresArn = failuresOf(facts, home, to);
  const settleMs = settleMsOf(facts, home, to);
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
    ...(failuresArn !== undefined && { failuresArn }),
    isRead: readers.some(({ isEnabled }) => knownValue(isEnabled) === true),
    settleMs,
    watchMs: watchMsOf(settleMs),
    takesSeconds,
    planInputs: planInputsOf(facts, terms, home, to, carrier),
  };
  return { ...plan, risks: risksOf({ facts, terms, home, plan, readers }) };
}

/**
 * How late SQS's counts of a queue may be.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
 */
export const COUNTS_LATE_MS = 60_000;

/** Our choice: CloudWatch has a figure of a queue every minute, and has it some minutes later. */
export const FIGURES_LATE_MS = 5 * 60_000;

/** Our choice: who has typed a command waits no longer. No function takes as long, with all its tries. */
const LONGEST_MS = 60 * 60_000;

/** Our choice: for what the calls take, and the queue of Lambda's own. */
const MARGIN_MS = 30_000;

/**
 * What Lambda waits before it tries an event again: a minute, and then two.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
const RETRY_WAITS_MS = [60_000, 120_000] as const;

/** What Lambda's own defaults are. */
const DEFAULT_RETRIES = 2;
const DEFAULT_TIMEOUT_SECONDS = 3;

function functionFailsWithinMs({ inventory }: ManualRedriveFacts, arn: string): number {
  const reported = functionOf(arn, inventory);
  const invoke = knownValue(reported?.eventInvokes ?? [])?.find(it => it.qualifier === (qualifierOf(arn) ?? '$LATEST'));
  const retries = knownValue(invoke?.maximumRetryAttempts ?? DEFAULT_RETRIES) ?? DEFAULT_RETRIES;
  const timeoutSeconds = knownValue(reported?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) ?? DEFAULT_TIMEOUT_SECONDS;
  const waitsMs = RETRY_WAITS_MS.slice(0, retries).reduce((sum, waitMs) => sum + waitMs, 0);
  return waitsMs + (retries + 1) * timeoutSeconds * 1_000;
}

/** How long what the destination fails at may take to be where failures end, as it is configured. */
export function settleMsOf(facts: ManualRedriveFacts, home: OriginalDestination, to: RedriveQueue | undefined): number {
  const { visibilityTimeoutSeconds = 0, maxReceiveCount = 1 } = to ?? {};
  const failsWithinMs =
    home.kind === 'function'
      ? functionFailsWithinMs(facts, home.arn)
      : visibilityTimeoutSeconds * maxReceiveCount * 1_000;
  return Math.max(failsWithinMs + MARGIN_MS, COUNTS_LATE_MS);
}

/** Of that, for how long it is watched. */
export function watchMsOf(settleMs: number): number {
  return Math.min(settleMs, LONGEST_MS);
}
