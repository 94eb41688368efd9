import { MOVE_TASK_LIMITS } from '../aws-limits';
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

export const REDRIVE_SETTINGS_VARIABLE = 'REDRIVE_SETTINGS';

/** A queue by URL and ARN: SQS's actions need one or the other. */
export interface QueueName {
  readonly url: string;
  readonly arn: string;
}

interface QueueDestination extends QueueName {
  readonly kind: 'queue';
}

/** A function that is invoked with the events in the messages. */
export interface FunctionDestination {
  readonly kind: 'function';
  /** The ARN of the function, its version or its alias. */
  readonly arn: string;
  /** Whether a message's body is the event itself, as Lambda writes it, or an SNS envelope around the message. */
  readonly bodyIs: 'event' | 'envelope';
  /**
   * The subscription whose dead letters these are; SNS's event names it. @default - the one named in the envelope, if
   * any
   */
  readonly subscriptionArn?: string;
}

export type RedriveDestination = QueueDestination | FunctionDestination;

/** One step of a run: its rate, and its number of messages. */
export interface RedriveStep {
  /** 1 to 500. */
  readonly messagesPerSecond: number;
  /**
   * After this many messages the step ends and the next may follow. A move task cannot stop at a number and
   * is checked once per tick, so it moves some more.
   * @default - the step moves all messages. Only the last step may leave it out
   */
  readonly messages?: number;
}

/** The settings of a redrive function. The construct writes them: see `readRedriveSettings`. */
export interface RedriveSettings {
  /** Whether it acts. If false, it only logs what it would do. */
  readonly enabled: boolean;
  /** The name in alarms, records and notifications: the construct's path. */
  readonly name: string;
  readonly deadLetters: QueueName;
  readonly destination: RedriveDestination;
  /**
   * How messages are moved: by a task of SQS, with a fallback to copying if SQS refuses; or by the function itself,
   * which copies to a queue or invokes a function.
   */
  readonly carrier: 'task' | 'copy' | 'replay';
  /**
   * Whether the function itself may move messages: it has the permissions and the timeout, and only one invocation at a
   * time.
   */
  readonly mayMoveMessages: boolean;
  /**
   * The queue for messages that fail again at the destination: `deadLetters` itself, the quarantine queue of a retry
   * lane, or another dead-letter queue.
   * @default - unknown; then only alarms and the proof of health say whether the destination works
   */
  readonly failures?: QueueName;
  /**
   * The queue for replayed events that came back, with the reasons.
   * @default - the messages stay in the dead-letter queue
   */
  readonly quarantine?: QueueName;
  /** Ids of event source mappings that must be enabled: a destination without a consumer is no use. */
  readonly mappingIds: readonly string[];
  /** Names of alarms that start a run when they return from ALARM to OK. */
  readonly recoveryAlarms: readonly string[];
  /** Names of alarms that must be OK, in addition to `recoveryAlarms`. */
  readonly healthAlarms: readonly string[];
  /** How long all these alarms must have been OK. */
  readonly healthyForMs: number;
  /** The most messages that may wait in the destination. @default - no limit */
  readonly maxBacklog?: number;
  /** The greatest age of a message in the destination. @default - no limit */
  readonly maxAgeSeconds?: number;
  /** Whether messages must have been deleted from the destination before a run continues after its first step. */
  readonly proofOfHealth: boolean;
  /** The first is the canary. Each step is faster than the one before it, and the last has no `messages`. */
  readonly steps: readonly RedriveStep[];
  /** How long a message that fails at the destination may take to come back. Each step is followed by this wait. */
  readonly settleMs: number;
  /** The highest percentage of a step's messages that may come back: 0 to 100. */
  readonly maxReturnedPercent: number;
  /** After a run whose messages came back: how long schedules start no other run. */
  readonly restMs: number;
  /** The most runs within 24 hours. */
  readonly runsPerDay: number;
  /** The most messages within 24 hours. */
  readonly messagesPerDay: number;
  /** The name of the SSM parameter with the kill switch: `on` or `off`. */
  readonly switchParameter: string;
  /** Whether the parameter may be missing, which counts as `on`: the kill switch has never been used. */
  readonly switchMayBeAbsent: boolean;
  /** How often the function runs. */
  readonly tickMs: number;
  readonly functionTimeoutMs: number;
  /** The topic that is notified how a run ended. @default - none */
  readonly resultsTopicArn?: string;
}

/** The limits of a run, and of runs per day. */
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

/** A task is recognized by its rate, so no two steps may have the same. */
function stepProblems(steps: readonly RedriveStep[]): Problem[] {
  const { min, max } = MOVE_TASK_LIMITS.messagesPerSecond;
  return steps.flatMap((step, index) => {
    const { messagesPerSecond: value } = step;
    const before = steps[index - 1]?.messagesPerSecond;
    const isFaster = before === undefined || value > before;
    const rule = `must be more than the rate of the step before it, ${before}`;
    return [
      ...wholeProblems(`steps[${index}].messagesPerSecond`, value, min, max),
      ...(isFaster ? [] : [{ property: `steps[${index}].messagesPerSecond`, rule, value }]),
      ...quotaProblems(`steps[${index}].messages`, step, index === steps.length - 1),
    ];
  });
}

/**
 * SQS lists ten tasks, and a daily budget needs all tasks of a day. So a run has at most ten steps, and a day at most
 * ten runs.
 */
function countProblems({ steps, runsPerDay }: RunTerms): Problem[] {
  const most = MOVE_TASK_LIMITS.listedTasks;
  const rule = `must be from 1 to ${most} steps: SQS lists only the last ${most} tasks of a queue`;
  const isCountable = steps.length >= 1 && steps.length <= most;
  return [
    ...(isCountable ? [] : [{ property: 'steps', rule, value: steps.length }]),
    ...wholeProblems('runsPerDay', runsPerDay, 1, most),
  ];
}

/** The budget must allow what the canary can move before it can be stopped; otherwise no run could ever begin. */
function messagesProblems({ carrier, steps, messagesPerDay, tickMs }: RunTerms): Problem[] {
  const property = 'messagesPerDay';
  const problems = wholeProblems(property, messagesPerDay, 1, Number.MAX_SAFE_INTEGER);
  const [canary] = steps;
  if (problems.length > 0 || !canary || carrier !== 'task') return problems;
  const least = mostMovedUnseen(canary.messagesPerSecond, 0, tickMs);
  if (messagesPerDay >= least) return [];
  const rule = `must be at least ${least}: the canary can move that many before a check stops it, and with a smaller budget no run could begin`;
  return [{ property, rule, value: messagesPerDay }];
}

/**
 * Returns everything that is wrong with the limits of a run. Properties have the names of the construct's properties.
 */
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

type RedriveSettingsReading =
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
  return [{ property, rule: 'must be an object whose kind is queue or function', value }];
};

const step: Check = (value, property) => {
  if (!isObject(value)) return [{ property, rule: 'must be an object', value }];
  const table = { messagesPerSecond: { check: moreThan(0) }, messages: { check: moreThan(0), isOptional: true } };
  return memberProblems(table, value, `${property}.`);
};

const CARRIERS: readonly unknown[] = ['task', 'copy', 'replay'];

/** A record over all keys of `RedriveSettings`, so that the compiler reports a property that is missing here. */
const MEMBERS: Readonly<Record<keyof RedriveSettings, MemberRule>> = {
  enabled: { check: booleanValue },
  name: { check: nonEmptyText },
  deadLetters: { check: queue },
  destination: { check: destination },
  carrier: { check: must('must be task, copy or replay', value => CARRIERS.includes(value)) },
  mayMoveMessages: { check: booleanValue },
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

/** Rules over several properties. */
function togetherProblems(settings: RedriveSettings): Problem[] {
  const {
    destination: { kind },
    carrier,
    mayMoveMessages,
    proofOfHealth,
  } = settings;
  const isReplayed = kind === 'function';
  const rule = isReplayed
    ? 'must be replay when the destination is a function'
    : 'must not be replay when the destination is a queue';
  return [
    ...runProblems(settings),
    ...((carrier === 'replay') === isReplayed ? [] : [{ property: 'carrier', rule, value: carrier }]),
    ...(carrier === 'task' || mayMoveMessages
      ? []
      : [{ property: 'mayMoveMessages', rule: `must be true when the carrier is ${carrier}`, value: mayMoveMessages }]),
    ...(isReplayed && proofOfHealth
      ? [{ property: 'proofOfHealth', rule: 'must be false when the destination is a function', value: proofOfHealth }]
      : []),
  ];
}

/**
 * Reads the settings that the construct wrote into `REDRIVE_SETTINGS`, or returns everything that is wrong with them.
 */
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
