import {
  atLeast,
  booleanValue,
  type Check,
  isObject,
  listOf,
  type MemberRule,
  memberProblems,
  moreThan,
  must,
  nonEmptyText,
  parseObject,
} from '../json-members';
import type { Problem } from '../problem';
import { mostMovedUnseen } from './budget';

/** The environment variable in which the construct hands the redrive function its settings. */
export const REDRIVE_SETTINGS_VARIABLE = 'REDRIVE_SETTINGS';

/** A queue as SQS's actions want it named. */
export interface QueueName {
  readonly url: string;
  readonly arn: string;
}

/** A queue letters go home to. */
export interface QueueDestination extends QueueName {
  readonly kind: 'queue';
}

/** A function that is invoked with the events letters hold. */
export interface FunctionDestination {
  readonly kind: 'function';
  /** Of the function, or of its version or alias. */
  readonly arn: string;
  /** Whether a letter's body is the event itself, as Lambda writes it, or SNS's envelope around the message. */
  readonly bodyIs: 'event' | 'envelope';
  /** Of the subscription whose dead letters these are: SNS's event names it. @default - the envelope's own, where it has one */
  readonly subscriptionArn?: string;
}

export type RedriveDestination = QueueDestination | FunctionDestination;

/** One step of a run: how fast, and how far. */
export interface RedriveStep {
  /** 1 to 500. */
  readonly messagesPerSecond: number;
  /**
   * After how many messages the step is over, and the next may follow. A move task is looked at once a tick and cannot be
   * told to stop by itself, so it moves some more.
   * @default - it moves all there are: the last step
   */
  readonly messages?: number;
}

/** Everything a redrive function knows of itself, as its construct writes it: see `readRedriveSettings`. */
export interface RedriveSettings {
  /** Whether it acts. Invoked otherwise, it writes down what it would do. */
  readonly enabled: boolean;
  /** What the alarms, the records and the notes call it: the construct's path. */
  readonly name: string;
  /** Where the letters lie. */
  readonly deadLetters: QueueName;
  readonly destination: RedriveDestination;
  /**
   * Who moves them: a task of SQS, which falls back to copying where SQS refuses; or the function itself, by copying to a queue,
   * or by invoking a function.
   */
  readonly carrier: 'task' | 'copy' | 'replay';
  /** Whether the function itself may move letters: it has the permissions and the time, and runs once at a time. */
  readonly mayCarry: boolean;
  /**
   * Where ends what the destination fails at again: `deadLetters` itself, the quarantine of a retry lane, or another
   * dead-letter queue.
   * @default - nobody knows, and only alarms and the proof of health speak for the destination
   */
  readonly failures?: QueueName;
  /**
   * Where a replayed event goes that came back, with its reasons.
   * @default - it stays among the dead letters
   */
  readonly quarantine?: QueueName;
  /** Event source mappings that must be enabled, by their ids: a destination nobody reads is no destination. */
  readonly mappingIds: readonly string[];
  /** Names of alarms whose return from ALARM to OK starts a run. */
  readonly recoveryAlarms: readonly string[];
  /** Names of alarms that must be OK; those of `recoveryAlarms` must be as well. */
  readonly healthAlarms: readonly string[];
  /** For how long they must have been. */
  readonly healthyForMs: number;
  /** The most messages that may wait in the destination. @default - no matter */
  readonly maxBacklog?: number;
  /** The oldest a message in the destination may be. @default - no matter */
  readonly maxAgeSeconds?: number;
  /** Whether somebody must have deleted messages from the destination before a run goes on after its first step. */
  readonly proofOfHealth: boolean;
  /** The first is the canary; each is faster than the one before it, and the last has no `messages`. */
  readonly steps: readonly RedriveStep[];
  /** How long what fails at the destination may take to come back: it is waited for after each step. */
  readonly settleMs: number;
  /** The most of what a step moved that may come back: 0 to 100. */
  readonly maxReturnedPercent: number;
  /** After a run whose letters came back: how long no schedule starts another. */
  readonly restMs: number;
  /** The most runs within 24 hours. */
  readonly runsPerDay: number;
  /** The most messages within 24 hours. */
  readonly messagesPerDay: number;
  /** The name of the SSM parameter that says `on` or `off`. */
  readonly switchParameter: string;
  /** Whether there may be none of that name, which counts as `on`: nobody has switched anything yet. */
  readonly switchMayBeAbsent: boolean;
  /** How often the function runs, whatever happens. */
  readonly tickMs: number;
  /** How long one run of the function may take. */
  readonly functionTimeoutMs: number;
  /** Of the topic that is told how a run ended. @default - nobody is */
  readonly resultsTopicArn?: string;
}

/**
 * What SQS takes for a move task's rate, both ends included, and of how many tasks it tells.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListMessageMoveTasks.html
 */
export const MOVE_LIMITS = { messagesPerSecond: { min: 1, max: 500 }, reportedTasks: 10 } as const;

/** What a run may do, and how often. */
export type RunTerms = Pick<
  RedriveSettings,
  'carrier' | 'steps' | 'maxReturnedPercent' | 'runsPerDay' | 'messagesPerDay' | 'tickMs'
>;

function isWhole(value: number | undefined, min: number, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

function wholeProblems(property: string, value: number | undefined, min: number, max: number): Problem[] {
  const rule = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return isWhole(value, min, max) ? [] : [{ property, rule: `must be a whole number ${rule}`, value }];
}

function quotaProblems(property: string, { messages }: RedriveStep, isLast: boolean): Problem[] {
  if (!isLast) return wholeProblems(property, messages, 1, Number.MAX_SAFE_INTEGER);
  const rule = 'must be absent in the last step, which moves all that is left';
  return messages === undefined ? [] : [{ property, rule, value: messages }];
}

/** By its rate a task is known again, so no two steps have the same. */
function stepProblems(steps: readonly RedriveStep[]): Problem[] {
  const { min, max } = MOVE_LIMITS.messagesPerSecond;
  return steps.flatMap((step, index) => {
    const { messagesPerSecond: value } = step;
    const before = steps[index - 1]?.messagesPerSecond;
    const isFaster = before === undefined || value > before;
    const rule = `must be more than that of the step before it, ${before}`;
    return [
      ...wholeProblems(`steps[${index}].messagesPerSecond`, value, min, max),
      ...(isFaster ? [] : [{ property: `steps[${index}].messagesPerSecond`, rule, value }]),
      ...quotaProblems(`steps[${index}].messages`, step, index === steps.length - 1),
    ];
  });
}

/** SQS tells of ten tasks, and no budget can be kept without those of a day: a run has no more, and so a day has no more runs. */
function countProblems({ steps, runsPerDay }: RunTerms): Problem[] {
  const most = MOVE_LIMITS.reportedTasks;
  const rule = `must be from 1 to ${most} steps: SQS tells of the last ${most} tasks of a queue only`;
  const isCountable = steps.length >= 1 && steps.length <= most;
  return [
    ...(isCountable ? [] : [{ property: 'steps', rule, value: steps.length }]),
    ...wholeProblems('runsPerDay', runsPerDay, 1, most),
  ];
}

/** A budget the canary alone may pass before anybody can stop it lets no run begin. */
function messagesProblems({ carrier, steps, messagesPerDay, tickMs }: RunTerms): Problem[] {
  const property = 'messagesPerDay';
  const problems = wholeProblems(property, messagesPerDay, 1, Number.MAX_SAFE_INTEGER);
  const [canary] = steps;
  if (problems.length > 0 || !canary || carrier !== 'task') return problems;
  const least = mostMovedUnseen(canary.messagesPerSecond, 0, tickMs);
  if (messagesPerDay >= least) return [];
  const rule = `must be at least ${least}, which the first step can move before it is stopped`;
  return [{ property, rule, value: messagesPerDay }];
}

/** All that is wrong with what a run may do. The properties are called as the construct calls them. */
export function runProblems(terms: RunTerms): Problem[] {
  const { maxReturnedPercent: value } = terms;
  const isPercent = Number.isFinite(value) && value >= 0 && value <= 100;
  const rule = 'must be a number from 0 to 100';
  return [
    ...stepProblems(terms.steps),
    ...countProblems(terms),
    ...messagesProblems(terms),
    ...(isPercent ? [] : [{ property: 'maxReturnedPercent', rule, value }]),
  ];
}

/** What came of reading the settings. */
export type RedriveSettingsReading =
  | { readonly kind: 'settings'; readonly settings: RedriveSettings }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] };

const QUEUE = { url: { check: nonEmptyText }, arn: { check: nonEmptyText } };

const QUEUE_DESTINATION = { kind: { check: nonEmptyText }, ...QUEUE };

const FUNCTION_DESTINATION = {
  kind: { check: nonEmptyText },
  arn: { check: nonEmptyText },
  bodyIs: { check: must('must be event or envelope', value => value === 'event' || value === 'envelope') },
  subscriptionArn: { check: nonEmptyText, isOptional: true },
};

const queue: Check = (value, property) =>
  isObject(value) ? memberProblems(QUEUE, value, `${property}.`) : [{ property, rule: 'must be an object', value }];

const destination: Check = (value, property) => {
  if (isObject(value) && value['kind'] === 'queue') return memberProblems(QUEUE_DESTINATION, value, `${property}.`);
  if (isObject(value) && value['kind'] === 'function')
    return memberProblems(FUNCTION_DESTINATION, value, `${property}.`);
  return [{ property, rule: 'must be an object of the kind queue or function', value }];
};

const step: Check = (value, property) => {
  if (!isObject(value)) return [{ property, rule: 'must be an object', value }];
  const table = { messagesPerSecond: { check: moreThan(0) }, messages: { check: moreThan(0), isOptional: true } };
  return memberProblems(table, value, `${property}.`);
};

const CARRIERS: readonly unknown[] = ['task', 'copy', 'replay'];

/** One place for each property of `RedriveSettings`: it cannot be forgotten here. */
const MEMBERS: Readonly<Record<keyof RedriveSettings, MemberRule>> = {
  enabled: { check: booleanValue },
  name: { check: nonEmptyText },
  deadLetters: { check: queue },
  destination: { check: destination },
  carrier: { check: must('must be task, copy or replay', value => CARRIERS.includes(value)) },
  mayCarry: { check: booleanValue },
  failures: { check: queue, isOptional: true },
  quarantine: { check: queue, isOptional: true },
  mappingIds: { check: listOf(nonEmptyText) },
  recoveryAlarms: { check: listOf(nonEmptyText) },
  healthAlarms: { check: listOf(nonEmptyText) },
  healthyForMs: { check: atLeast(0) },
  maxBacklog: { check: atLeast(0), isOptional: true },
  maxAgeSeconds: { check: atLeast(0), isOptional: true },
  proofOfHealth: { check: booleanValue },
  steps: { check: listOf(step) },
  settleMs: { check: atLeast(0) },
  maxReturnedPercent: { check: atLeast(0) },
  restMs: { check: atLeast(0) },
  runsPerDay: { check: atLeast(1) },
  messagesPerDay: { check: atLeast(1) },
  switchParameter: { check: nonEmptyText },
  switchMayBeAbsent: { check: booleanValue },
  tickMs: { check: moreThan(0) },
  functionTimeoutMs: { check: moreThan(0) },
  resultsTopicArn: { check: nonEmptyText, isOptional: true },
};

/** What each property allows, and all of them together do not. */
function togetherProblems(settings: RedriveSettings): Problem[] {
  const {
    destination: { kind },
    carrier,
    mayCarry,
    proofOfHealth,
  } = settings;
  const isReplayed = kind === 'function';
  const rule = isReplayed
    ? 'must be replay where the destination is a function'
    : 'must not be replay where the destination is a queue';
  return [
    ...runProblems(settings),
    ...((carrier === 'replay') === isReplayed ? [] : [{ property: 'carrier', rule, value: carrier }]),
    ...(carrier === 'task' || mayCarry
      ? []
      : [{ property: 'mayCarry', rule: `must be true where the carrier is ${carrier}`, value: mayCarry }]),
    ...(isReplayed && proofOfHealth
      ? [{ property: 'proofOfHealth', rule: 'must be false where a function is invoked', value: proofOfHealth }]
      : []),
  ];
}

/** Reads what the construct wrote into `REDRIVE_SETTINGS`, or says all that is wrong with it. */
export function readRedriveSettings(text: string | undefined): RedriveSettingsReading {
  const value = parseObject(text);
  if (!value) {
    const problem = { property: REDRIVE_SETTINGS_VARIABLE, rule: 'must be a JSON object', value: text };
    return { kind: 'problems', problems: [problem] };
  }
  const problems = memberProblems(MEMBERS, value, '');
  if (problems.length > 0) return { kind: 'problems', problems };
  const settings = value as unknown as RedriveSettings;
  const together = togetherProblems(settings);
  return together.length > 0 ? { kind: 'problems', problems: together } : { kind: 'settings', settings };
}
