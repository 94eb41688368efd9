import {
  atLeast,
  type Check,
  isObject,
  listOf,
  type Member,
  membersOf,
  moreThan,
  must,
  objectOf,
  text,
  truth,
} from '../members';
import type { Problem } from '../problem';
import { runProblems } from './redrive-limits';
import { REDRIVE_SETTINGS_VARIABLE, type RedriveSettings } from './redrive-settings';

/** What came of reading the settings. */
export type RedriveSettingsReading =
  | { readonly kind: 'settings'; readonly settings: RedriveSettings }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] };

const QUEUE = { url: { check: text }, arn: { check: text } };

const QUEUE_DESTINATION = { kind: { check: text }, ...QUEUE };

const FUNCTION_DESTINATION = {
  kind: { check: text },
  arn: { check: text },
  bodyIs: { check: must('must be event or envelope', value => value === 'event' || value === 'envelope') },
  subscriptionArn: { check: text, mayBeAbsent: true },
};

const queue: Check = (value, property) =>
  isObject(value) ? membersOf(QUEUE, value, `${property}.`) : [{ property, rule: 'must be an object', value }];

const destination: Check = (value, property) => {
  if (isObject(value) && value['kind'] === 'queue') return membersOf(QUEUE_DESTINATION, value, `${property}.`);
  if (isObject(value) && value['kind'] === 'function') return membersOf(FUNCTION_DESTINATION, value, `${property}.`);
  return [{ property, rule: 'must be an object of the kind queue or function', value }];
};

const step: Check = (value, property) => {
  if (!isObject(value)) return [{ property, rule: 'must be an object', value }];
  const table = { messagesPerSecond: { check: moreThan(0) }, messages: { check: moreThan(0), mayBeAbsent: true } };
  return membersOf(table, value, `${property}.`);
};

const CARRIERS: readonly unknown[] = ['task', 'copy', 'replay'];

/** One place for each property of `RedriveSettings`: it cannot be forgotten here. */
const MEMBERS: Readonly<Record<keyof RedriveSettings, Member>> = {
  enabled: { check: truth },
  name: { check: text },
  deadLetters: { check: queue },
  destination: { check: destination },
  carrier: { check: must('must be task, copy or replay', value => CARRIERS.includes(value)) },
  mayCarry: { check: truth },
  failures: { check: queue, mayBeAbsent: true },
  quarantine: { check: queue, mayBeAbsent: true },
  mappingIds: { check: listOf(text) },
  recoveryAlarms: { check: listOf(text) },
  healthAlarms: { check: listOf(text) },
  healthyForMs: { check: atLeast(0) },
  maxBacklog: { check: atLeast(0), mayBeAbsent: true },
  maxAgeSeconds: { check: atLeast(0), mayBeAbsent: true },
  proofOfHealth: { check: truth },
  steps: { check: listOf(step) },
  settleMs: { check: atLeast(0) },
  maxReturnedPercent: { check: atLeast(0) },
  restMs: { check: atLeast(0) },
  runsPerDay: { check: atLeast(1) },
  messagesPerDay: { check: atLeast(1) },
  switchParameter: { check: text },
  switchMayBeAbsent: { check: truth },
  tickMs: { check: moreThan(0) },
  functionTimeoutMs: { check: moreThan(0) },
  resultsTopicArn: { check: text, mayBeAbsent: true },
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
  const value = objectOf(text);
  if (!value) {
    const problem = { property: REDRIVE_SETTINGS_VARIABLE, rule: 'must be a JSON object', value: text };
    return { kind: 'problems', problems: [problem] };
  }
  const problems = membersOf(MEMBERS, value, '');
  if (problems.length > 0) return { kind: 'problems', problems };
  const settings = value as unknown as RedriveSettings;
  const together = togetherProblems(settings);
  return together.length > 0 ? { kind: 'problems', problems: together } : { kind: 'settings', settings };
}
