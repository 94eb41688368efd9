import { queueNameOf } from '../../../account/names';
import type { Site } from '../../../account/printed-commands';
import { type AttemptLog, type LoggedAttempt, latencyOf, waitingByAttempt } from '../../../account/relay/attempt-log';
import { configuredConcurrency, type Relay, relayState } from '../../../account/relay/find-relays';
import type { Activity, MessageCounts, RelayFacts } from '../../../account/relay/relay-state';
import { adviceOf, destinationText, nextProbeMs, stateText } from '../../../account/relay/relay-words';
import { retrySchedule } from '../../../policy/delivery-policy/retry-schedule';
import { formatDuration } from '../../../policy/format-text';
import { knownValue, type MaybeKnown } from '../../../template/maybe-known';
import type { AttemptDocument, RelayDetailDocument, RelayRow, ScheduledAttempt } from '../../api/relays';

const SHOWN_ATTEMPTS = 50;

/** Answers can be long. The log has the rest. */
const REASON_CHARACTERS = 300;

/** @param site for printed commands */
export function relayRow(facts: RelayFacts, shortName: string, site: Site, nowMs: number): RelayRow {
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
export function scheduleSeconds({ settings }: Relay): number {
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

export interface RelayKnowledge {
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
