import type { Connection } from '../../../account/connection/connection';
import { BadInput } from '../../../account/errors';
import { queueNameOf } from '../../../account/names';
import type { Site } from '../../../account/printed-commands';
import {
  type AttemptLog,
  attemptLog,
  type LoggedAttempt,
  latencyOf,
  waitingByAttempt,
} from '../../../account/relay/attempt-log';
import {
  configuredConcurrency,
  type FoundRelays,
  findRelays,
  type Relay,
  relayState,
} from '../../../account/relay/find-relays';
import {
  type Activity,
  activityOf,
  adviceOf,
  destinationText,
  type MessageCounts,
  nextProbeMs,
  type RelayFacts,
  relayFacts,
  stateText,
} from '../../../account/relay/relay-state';
import { shortNames } from '../../../diagnosis/inventory/short-names';
import { retrySchedule } from '../../../policy/delivery-policy/retry-schedule';
import { formatDuration } from '../../../policy/format-text';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../policy/time-units';
import { knownValue, type MaybeKnown } from '../../../template/maybe-known';
import type {
  AttemptDocument,
  RelayDetailDocument,
  RelayRow,
  RelaysDocument,
  ScheduledAttempt,
} from '../../api/relays';
import type { ConsoleContext } from '../context';
import { type FeedSources, polled } from '../feed';

const SHOWN_ATTEMPTS = 50;

/** Answers can be long. The log has the rest. */
const REASON_CHARACTERS = 300;

/** @param site for printed commands */
function relayRow(facts: RelayFacts, shortName: string, site: Site, nowMs: number): RelayRow {
  const { relay, messages, failureAlarm, areAlarmsUnknown } = facts;
  const { name, settings, mapping, problems } = relay;
  return {
    name,
    shortName,
    destination: destinationText(relay),
    state: relayState(relay),
    says: stateText(relay),
    concurrency: mapping?.maximumConcurrency ?? null,
    configuredConcurrency: configuredConcurrency(relay) ?? null,
    due: messages.visible ?? null,
    inFlight: messages.inFlight ?? null,
    dead: messages.dead ?? null,
    queue: settings ? queueNameOf(settings.queueUrl) : null,
    deadLetterQueue: settings ? queueNameOf(settings.deadLetterQueueUrl) : null,
    failureAlarm: failureAlarm?.state ?? (areAlarmsUnknown ? 'unknown' : null),
    nextProbeAtMs: nextProbeMs(facts, nowMs) ?? null,
    problems,
    advice: adviceOf(facts, site),
  };
}

/** How long a message is retried, without jitter. 0 if the settings cannot be read. */
function scheduleSeconds({ settings }: Relay): number {
  return settings ? (retrySchedule(settings.retryPolicy).at(-1)?.atSeconds ?? 0) : 0;
}

function scheduleOf({ settings }: Relay, attempts: readonly LoggedAttempt[]): readonly ScheduledAttempt[] | null {
  if (!settings) return null;
  const waiting = waitingByAttempt(attempts);
  const retries = retrySchedule(settings.retryPolicy).map(({ retry, atSeconds, phase }) => {
    const { messages = 0, firstDueMs = null } = waiting.get(retry + 1) ?? {};
    return { attempt: retry + 1, atSeconds, phase, waiting: messages, nextDueMs: firstDueMs };
  });
  return [{ attempt: 1, atSeconds: 0, phase: 'initial', waiting: 0, nextDueMs: null }, ...retries];
}

function attemptDocument({ atMs, record }: LoggedAttempt): AttemptDocument {
  const { delivery, notification, relay } = record;
  const { verdict, reason, latencyMs, nextRetryInSeconds } = relay;
  return {
    atMs,
    messageId: notification.messageId,
    attempt: delivery.attempts ?? 1,
    verdict,
    statusCode: delivery.statusCode ?? null,
    reason: reason.slice(0, REASON_CHARACTERS),
    latencyMs,
    nextRetryInSeconds: nextRetryInSeconds ?? null,
  };
}

function scheduleNote({ settings }: Relay): string {
  if (!settings) return '';
  const { jitterPercent, retryAfterCapSeconds } = settings;
  const jitter = jitterPercent === 0 ? '' : `Each delay is up to ${jitterPercent} % shorter or longer. `;
  return `${jitter}A Retry-After header of the endpoint extends a delay to up to ${formatDuration(retryAfterCapSeconds)}.`;
}

interface RelayKnowledge {
  readonly relay: Relay;
  /** @default - unknown */
  readonly messages: MessageCounts | undefined;
  readonly activity: Activity;
  readonly log: MaybeKnown<AttemptLog>;
  readonly unknowns: readonly string[];
}

export function relayDetail({ relay, messages, activity, log, unknowns }: RelayKnowledge): RelayDetailDocument {
  const { attempts, sinceMs } = knownValue(log) ?? { attempts: [], sinceMs: null };
  const schedule = scheduleOf(relay, attempts);
  const { lastHour, deliveredAtMs, failedAtMs, lastFailure } = activity;
  const { visible, inFlight } = messages ?? {};
  const held = visible === undefined || inFlight === undefined ? null : visible + inFlight;
  const waiting = schedule?.reduce((sum, it) => sum + it.waiting, 0) ?? 0;
  return {
    name: relay.name,
    schedule,
    scheduleNote: scheduleNote(relay),
    waitingElsewhere: held === null ? null : Math.max(0, held - waiting),
    logSinceMs: sinceMs,
    attempts: attempts.slice(0, SHOWN_ATTEMPTS).map(attemptDocument),
    latency: latencyOf(attempts) ?? null,
    lastHour: lastHour
      ? {
          attempts: lastHour.Attempts,
          delivered: lastHour.Delivered,
          retried: lastHour.Retried,
          dead: lastHour.Dead,
          failed: lastHour.FailedAttempts,
        }
      : null,
    deliveredAtMs: deliveredAtMs ?? null,
    failedAtMs: failedAtMs ?? null,
    lastFailure: lastFailure
      ? `${lastFailure.reason}${lastFailure.answer === '' ? '' : `: ${lastFailure.answer}`}`.slice(0, REASON_CHARACTERS)
      : null,
    unknowns,
  };
}

/** How often a relay's metrics and log are read: CloudWatch charges for metrics, and has one value a minute. */
const DETAIL_MS = { aws: MINUTE_MS, simulation: 1_000 } as const;

/** How often functions and mappings are listed. */
const LIST_MS = { aws: 30_000, simulation: 1_000 } as const;

/** Attempts that are older are not read: the message has most likely been delivered or dead-lettered. */
const LONGEST_WINDOW_MS = DAY_MS;

/** A message waits at most for the longest delay, and somewhat longer if the relay is behind. */
const WINDOW_FACTOR = 1.5;

async function relaysDocument(aws: Connection, { source }: ConsoleContext, nowMs: number): Promise<RelaysDocument> {
  const { relays, warnings } = await findRelays(aws);
  const facts = await relayFacts(aws, relays);
  const short = shortNames(relays.map(({ name }) => name));
  const site = { options: source.options, region: aws.region };
  const rows = facts.map(it => relayRow(it, short.get(it.relay.name) ?? it.relay.name, site, nowMs));
  return { relays: rows, unknowns: [...warnings, ...aws.unread.texts] };
}

async function detailOf(
  aws: Connection,
  { relays }: FoundRelays,
  name: string,
  nowMs: number,
): Promise<RelayDetailDocument> {
  const relay = relays.find(it => it.name === name);
  if (!relay) throw new BadInput([`${aws.region} has no relay ${name}: it may have been deleted`]);
  const windowMs = Math.min(LONGEST_WINDOW_MS, WINDOW_FACTOR * 1_000 * scheduleSeconds(relay));
  const window = { fromMs: nowMs - Math.max(windowMs, HOUR_MS), toMs: nowMs };
  const [[facts], activity, log] = await Promise.all([
    relayFacts(aws, [relay]),
    activityOf(aws, relay, nowMs),
    attemptLog(aws, relay, window),
  ]);
  return relayDetail({ relay, messages: facts?.messages, activity, log, unknowns: aws.unread.texts });
}

export function relayFeeds(context: ConsoleContext): Pick<FeedSources, 'relays' | 'relay'> {
  const { source, nowMs } = context;
  return {
    relays: polled(
      () => source.use(async aws => relaysDocument(aws, context, await source.nowMs())),
      { nextMs: () => LIST_MS[source.kind] },
      nowMs,
    ),
    relay: polled(
      name => source.use(async aws => detailOf(aws, await findRelays(aws), name, await source.nowMs())),
      { nextMs: () => DETAIL_MS[source.kind] },
      nowMs,
    ),
  };
}
