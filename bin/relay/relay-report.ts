import { type AlarmDocument, alarmDocument } from '../../account/documents/json-documents';
import { queueNameOf } from '../../account/names';
import type { Site } from '../../account/printed-commands';
import { configuredConcurrency, destinationOf, relayState } from '../../account/relay/find-relays';
import type { Activity, LastFailure, RelayFacts } from '../../account/relay/relay-state';
import { adviceOf, destinationText, nextProbeMs, stateText } from '../../account/relay/relay-state';
import { counted, formatDuration, formatNumber } from '../../policy/format-text';
import { formatInstant, isoInstant } from '../../policy/instants';
import type { RelaySettings } from '../../policy/relay/relay-settings';
import { phaseTable, summary } from '../policy/explain-text';
import { explain } from '../policy/explanation';
import { aboutLines, adviceLines, foreignText, wrap } from '../shared/terminal-text';

const WIDTH = 100;

/** The log has the rest of a longer response. */
const ANSWER_CHARACTERS = 160;

function scheduleOf({ retryPolicy }: RelaySettings) {
  return explain({ title: '', policy: { healthyRetryPolicy: retryPolicy }, notes: [], warnings: [], by: 'relay' });
}

function scheduleLines(settings: RelaySettings): string[] {
  const { retryPolicy, jitterPercent, retryAfterCapSeconds } = settings;
  const jitter = jitterPercent === 0 ? '' : `Each delay is up to ${jitterPercent} % shorter or longer. A`;
  const longer = `Retry-After header of the endpoint extends a delay to up to ${formatDuration(retryAfterCapSeconds)}.`;
  return [
    ...summary(scheduleOf(settings)),
    ...phaseTable(retryPolicy),
    ...wrap(jitter === '' ? `A ${longer}` : `${jitter} ${longer}`, WIDTH),
  ];
}

function failureText({ atMs, reason, answer }: LastFailure): string {
  const said = foreignText(answer, ANSWER_CHARACTERS);
  return `${formatInstant(atMs)}: ${reason}${said === '' ? '' : `: ${said}`}`;
}

function lastFailureText({ failedAtMs, lastFailure, lastHour }: Activity): string {
  if (!lastHour) return UNKNOWN;
  if (lastFailure) return failureText(lastFailure);
  return failedAtMs === undefined ? 'none in 14 days' : formatInstant(failedAtMs);
}

const UNKNOWN = 'unknown';

function hourText({ lastHour }: Activity): string {
  if (!lastHour) return UNKNOWN;
  const { Attempts, Delivered, Retried, Dead } = lastHour;
  const fates = `${formatNumber(Delivered)} delivered, ${formatNumber(Retried)} to be retried, ${formatNumber(Dead)} dead-lettered`;
  return `${counted(Attempts, 'attempt', 'attempts')}; ${fates}`;
}

function lastDeliveryText({ deliveredAtMs, lastHour }: Activity): string {
  if (!lastHour) return UNKNOWN;
  return deliveredAtMs === undefined ? 'none in 14 days' : formatInstant(deliveredAtMs);
}

function failureAlarmText({ failureAlarm, areAlarmsUnknown }: RelayFacts): string {
  if (failureAlarm) return `${failureAlarm.state} since ${formatInstant(failureAlarm.sinceMs)}`;
  return areAlarmsUnknown ? UNKNOWN : 'none';
}

function messagesText({ visible, inFlight, dead }: RelayFacts['messages']): string {
  const text = (count: number | undefined) => (count === undefined ? 'an unknown number' : formatNumber(count));
  return `${text(visible)} due, ${text(inFlight)} in flight or waiting for their next attempt, ${text(dead)} dead`;
}

/** The maximum rate of requests. Empty for a relay of a version without one. */
function ceilingText({ maxReceivesPerSecond, maximumConcurrency }: RelaySettings): string[] {
  if (maxReceivesPerSecond === undefined || maximumConcurrency === undefined) return [];
  const requests = counted(maxReceivesPerSecond, 'request', 'requests');
  return [`${requests} a second, shared by ${counted(maximumConcurrency, 'invocation', 'invocations')}`];
}

/** Where the access tokens of its requests come from. Undefined if they carry none. */
function tokenUrlOf({ settings }: RelayFacts['relay']): string | undefined {
  const { tokenUrl: url } = settings?.authorization ?? {};
  return url === undefined ? undefined : destinationOf({ url });
}

function probeText(facts: RelayFacts, nowMs: number): string[] {
  const probeMs = nextProbeMs(facts, nowMs);
  return probeMs === undefined ? [] : [`the breaker's first run from ${formatInstant(probeMs)} on`];
}

/** The rows that only a relay with a breaker has. */
const BREAKER_ROWS: readonly string[] = ['Breaker log', 'Next probe'];

function factLines(facts: RelayFacts, activity: Activity, nowMs: number): string[] {
  const { relay, messages } = facts;
  const { settings, breaker } = relay;
  const tokenUrl = tokenUrlOf(relay);
  const rows: readonly (readonly [about: string, ...texts: string[]])[] = [
    ['Delivers to', destinationText(relay)],
    ['Access tokens', ...(tokenUrl === undefined ? [] : [`from ${tokenUrl}`])],
    ['Queue', ...(settings ? [queueNameOf(settings.queueUrl)] : [])],
    ['Dead letters', ...(settings ? [queueNameOf(settings.deadLetterQueueUrl)] : [])],
    ['Ceiling', ...(settings ? ceilingText(settings) : [])],
    ['Log', relay.logGroupName],
    ['Breaker', stateText(relay)],
    ['Breaker log', ...(breaker?.logGroupName === undefined ? [] : [breaker.logGroupName])],
    ['Next probe', ...probeText(facts, nowMs)],
    ['Messages', messagesText(messages)],
    ['Last hour', hourText(activity)],
    ['Last delivery', lastDeliveryText(activity)],
    ['Last failure', lastFailureText(activity)],
    ['Failure alarm', failureAlarmText(facts)],
  ];
  return aboutLines(rows.filter(([about]) => breaker !== undefined || !BREAKER_ROWS.includes(about)));
}

export function showText(facts: RelayFacts, activity: Activity, site: Site, nowMs: number): string {
  const { settings, name } = facts.relay;
  const advice = adviceLines(adviceOf(facts, site));
  const lines = [
    name,
    ...factLines(facts, activity, nowMs),
    ...(settings ? ['', 'Schedule', ...scheduleLines(settings)] : []),
    ...(advice.length > 0 ? ['', 'What to do', ...advice] : []),
  ];
  return `${lines.join('\n')}\n`;
}

const instantOrNull = (atMs: number | undefined) => (atMs === undefined ? null : isoInstant(atMs));

function lastFailureDocument({ failedAtMs, lastFailure }: Activity) {
  if (!lastFailure) return failedAtMs === undefined ? null : { at: isoInstant(failedAtMs) };
  const { atMs, ...rest } = lastFailure;
  return { at: isoInstant(atMs), ...rest };
}

function hourDocument({ Attempts, Delivered, Retried, Dead, FailedAttempts }: NonNullable<Activity['lastHour']>) {
  return { attempts: Attempts, delivered: Delivered, retried: Retried, dead: Dead, failedAttempts: FailedAttempts };
}

function scheduleDocument(settings: RelaySettings) {
  const { retries, totalSeconds } = scheduleOf(settings);
  const { retryPolicy, jitterPercent, retryAfterCapSeconds } = settings;
  return { attempts: 1 + retries.length, totalSeconds, jitterPercent, retryAfterCapSeconds, retryPolicy };
}

/** The JSON document of `dlo relay show`. */
export function showDocument(facts: RelayFacts, activity: Activity, site: Site, nowMs: number) {
  const { settings, logGroupName, breaker } = facts.relay;
  return {
    ...relayDocument(facts),
    tokenUrl: tokenUrlOf(facts.relay) ?? null,
    queueUrl: settings?.queueUrl ?? null,
    deadLetterQueueUrl: settings?.deadLetterQueueUrl ?? null,
    logGroupName,
    breakerLogGroupName: breaker?.logGroupName ?? null,
    maxReceivesPerSecond: settings?.maxReceivesPerSecond ?? null,
    schedule: settings ? scheduleDocument(settings) : null,
    lastHour: activity.lastHour ? hourDocument(activity.lastHour) : null,
    lastDeliveryAt: instantOrNull(activity.deliveredAtMs),
    lastFailure: lastFailureDocument(activity),
    nextProbeAt: instantOrNull(nextProbeMs(facts, nowMs)),
    alarms: facts.alarms.map(alarmDocument),
    advice: adviceOf(facts, site),
  };
}

/** A relay for `--json`. `null` is unknown, or does not exist. */
export interface RelayDocument {
  readonly name: string;
  readonly destination: string;
  /** `closed`, `half-open`, `open`, `stopped-by-hand`; `running` without a breaker; `no-mapping`; `unknown`. */
  readonly state: string;
  readonly since: string | null;
  readonly concurrency: number | null;
  readonly configuredConcurrency: number | null;
  readonly messages: Readonly<Record<'visible' | 'inFlight' | 'dead', number | null>>;
  readonly failureAlarm: AlarmDocument | null;
}

export function relayDocument({ relay, messages, failureAlarm }: RelayFacts): RelayDocument {
  const { mapping } = relay;
  const { visible, inFlight, dead } = messages;
  return {
    name: relay.name,
    destination: destinationText(relay),
    state: relayState(relay),
    since: mapping ? isoInstant(mapping.lastModifiedAtMs) : null,
    concurrency: mapping?.maximumConcurrency ?? null,
    configuredConcurrency: configuredConcurrency(relay) ?? null,
    messages: { visible: visible ?? null, inFlight: inFlight ?? null, dead: dead ?? null },
    failureAlarm: failureAlarm ? alarmDocument(failureAlarm) : null,
  };
}
