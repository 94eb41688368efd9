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
} from '../members';
import type { Problem } from '../problem';
import { runProblems } from './redrive-limits';
import { REDRIVE_SETTINGS_VARIABLE, type RedriveSettings } from './redrive-settings';

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
  subscriptionArn: { check: nonEmptyText, mayBeAbsent: true },
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
  const table = { messagesPerSecond: { check: moreThan(0) }, messages: { check: moreThan(0), mayBeAbsent: true } };
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
