import type { Fix } from '../fixes/fix';
import { mergedFixes } from '../fixes/merge-calls';
import type { Cause, CauseKey, Explanation, Unexplained } from './cause';
import { configuredFailure } from './configured-letters';
import { Consumers } from './consumer-letters';
import type { FailureRecord } from './death';
import { Deliveries } from './delivery-letters';
import type { Evidence, SeenMessage } from './evidence';
import { functionFailure } from './function-letters';
import { quarantineFailure, relayFailure } from './relay-letters';
import { undeliveredEventFailure } from './undelivered-events';
import { notesOn, unexplainedText } from './unexplained';

type Reader = (seen: SeenMessage) => FailureRecord | undefined;

function keyText({ failed, by, code, destination }: CauseKey): string {
  return JSON.stringify([failed, by, code, destination]);
}

/** Which of two deaths to show: a letter of the queue, one that somebody told of, the later. */
function isBetter(one: FailureRecord, other: FailureRecord): boolean {
  const ranks = [one, other].map(({ messages, isInferred = false, lastAtMs }) =>
    [messages > 0, !isInferred, lastAtMs].map(Number),
  );
  const [own = [], others = []] = ranks;
  const at = own.findIndex((rank, index) => rank !== others[index]);
  return at !== -1 && (own[at] ?? 0) > (others[at] ?? 0);
}

/** Deaths that are alike, as one cause. */
function causeOf(deaths: readonly [FailureRecord, ...FailureRecord[]]): Cause {
  const [first] = deaths;
  const best = deaths.reduce((found, death) => (isBetter(death, found) ? death : found), first);
  const { says, oneOf = [], details = [], fix } = best.diagnose();
  const sum = (count: (death: FailureRecord) => number) => deaths.reduce((total, death) => total + count(death), 0);
  return {
    key: best.key,
    says,
    isInferred: deaths.every(({ isInferred = false }) => isInferred),
    messages: sum(({ messages }) => messages),
    deliveries: sum(({ deliveries }) => deliveries),
    firstAtMs: deaths.reduce((earliest, { firstAtMs }) => Math.min(earliest, firstAtMs), first.firstAtMs),
    lastAtMs: deaths.reduce((latest, { lastAtMs }) => Math.max(latest, lastAtMs), first.lastAtMs),
    example: best.example,
    oneOf,
    details,
    ...(fix && { fix }),
  };
}

function causesOf(deaths: readonly FailureRecord[]): Cause[] {
  const alike = new Map<string, [FailureRecord, ...FailureRecord[]]>();
  for (const death of deaths) {
    const text = keyText(death.key);
    const known = alike.get(text);
    if (known) known.push(death);
    else alike.set(text, [death]);
  }
  return [...alike.values()]
    .map(causeOf)
    .sort(
      (one, other) =>
        other.messages - one.messages || other.deliveries - one.deliveries || other.lastAtMs - one.lastAtMs,
    );
}

function unexplainedOf(messages: readonly SeenMessage[], evidence: Evidence): Unexplained[] {
  const alike = new Map<string, Unexplained>();
  for (const seen of messages) {
    const { messageId, sentAtMs } = seen.decoded.message;
    const says = unexplainedText(seen, evidence);
    const known = alike.get(says) ?? { says, messages: 0, firstAtMs: sentAtMs, lastAtMs: sentAtMs, example: messageId };
    alike.set(says, {
      ...known,
      messages: known.messages + 1,
      firstAtMs: Math.min(known.firstAtMs, sentAtMs),
      lastAtMs: Math.max(known.lastAtMs, sentAtMs),
    });
  }
  return [...alike.values()].sort((one, other) => other.messages - one.messages);
}

/** With fixes that can all be made: none takes away what one before it gave. */
function withMergedFixes({ causes, unexplained, notes }: Explanation): Explanation {
  const fixes = [...new Set([...causes, ...notes].flatMap(({ fix }) => fix ?? []))];
  const merged = mergedFixes(fixes);
  const mergedOf = (fix: Fix | undefined) => (fix ? merged[fixes.indexOf(fix)] : undefined);
  const whole = <T extends { readonly fix?: Fix }>(reported: T): T => {
    const fix = mergedOf(reported.fix);
    return fix ? { ...reported, fix } : reported;
  };
  return { causes: causes.map(whole), unexplained, notes: notes.map(whole) };
}

/**
 * Why the letters of a dead-letter queue died, by all that was gathered. Who says so of a letter is asked in this order: the
 * queue SQS moved it from; whoever wrote it; the log of the topic; and last, how things are configured now.
 */
export function explain(evidence: Evidence): Explanation {
  const consumers = new Consumers(evidence);
  const deliveries = new Deliveries(evidence);
  const readers: readonly Reader[] = [
    seen => consumers.death(seen),
    relayFailure,
    quarantineFailure,
    seen => functionFailure(seen, evidence),
    seen => undeliveredEventFailure(seen, evidence),
    seen => deliveries.death(seen),
    seen => configuredFailure(seen, evidence),
  ];
  const deaths: FailureRecord[] = [];
  const silent: SeenMessage[] = [];
  for (const seen of evidence.messages) {
    const death = readers.reduce<FailureRecord | undefined>((found, read) => found ?? read(seen), undefined);
    if (death) deaths.push(death);
    else silent.push(seen);
  }
  return withMergedFixes({
    causes: causesOf([...deaths, ...consumers.logged(), ...deliveries.unclaimed()]),
    unexplained: unexplainedOf(silent, evidence),
    notes: notesOn(evidence),
  });
}
