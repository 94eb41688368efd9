import { hash } from 'node:crypto';
import type { RelayAttemptRecord } from '../../policy/messages/delivery-status';
import { type NotificationEnvelope, readEnvelope } from '../../policy/messages/envelope';
import { deadLetterAttributes } from '../../policy/messages/reason-attributes';
import type { DeadStep, FailedAttempt, RelayStep, RelayVerdict } from '../../policy/relay/attempt-verdict';
import { deadLetteringFailedDelaySeconds } from '../../policy/relay/next-step';
import { attemptsSpent, expiredStep, latenessMs } from '../../policy/relay/relay-schedule';
import type { Posted } from '../shared/http-endpoint';
import { errorOf } from '../shared/log';
import {
  hasTimeForAttempt,
  hasTimeForRequest,
  RESERVE_MS,
  type RelayInvocation,
  retryIn,
  stepAfter,
  stepUntried,
} from './invocation';
import { type DeliveryResult, idsOf, type RelayMessage } from './message';
import { MAX_SECRET_READ_MS, type NotReady, type Ready } from './ports';

interface NotificationMessage {
  readonly relayMessage: RelayMessage;
  readonly envelope: NotificationEnvelope;
}

interface AttemptResult {
  /** 0 for the initial attempt, then the number of the retry. */
  readonly attempt: number;
  readonly destination: string;
  readonly beganAtMs: number;
  readonly latencyMs: number;
  readonly posted: Posted;
}

/**
 * Tries to deliver a message: makes the attempt that is due, and the immediate retries after it. Resolves when this invocation
 * can do nothing more for the message.
 */
export async function deliver(relayMessage: RelayMessage, invocation: RelayInvocation): Promise<DeliveryResult> {
  const { settings, nowMs, areExpiring } = invocation;
  const reading = readEnvelope(relayMessage.body);
  const ready = await invocation.endpoint();
  const { destination } = ready;
  if (reading.kind === 'none') {
    const step = { kind: 'dead', cause: 'not-an-envelope', reason: `the message ${reading.reason}` } as const;
    return deadLetterMessage(relayMessage, step, { attemptsSpent: 0, destination }, invocation);
  }
  const due = attemptsSpent(settings, relayMessage, nowMs());
  if (areExpiring) {
    const step = expiredStep(settings, relayMessage);
    return deadLetterMessage(relayMessage, step, { attemptsSpent: due, destination }, invocation);
  }
  return await attempts({ relayMessage, envelope: reading.envelope }, ready, due, invocation);
}

async function attempts(
  notification: NotificationMessage,
  first: Ready | NotReady,
  due: number,
  invocation: RelayInvocation,
): Promise<DeliveryResult> {
  const { relayMessage } = notification;
  let attempt = due;
  let failed: FailedAttempt | undefined;
  for (let ready = first; ; ready = await invocation.endpoint()) {
    if (ready.kind === 'not-ready') return settleUntried(relayMessage, ready, attempt, invocation);
    if (!hasTimeForAttempt(invocation)) return settleOutOfTime(relayMessage, failed, invocation);
    const { posted, step } = await makeAttempt(notification, ready, attempt, invocation);
    if (posted.verdict.kind === 'delivered' || !step) return { kind: 'delivered' };
    if (step.kind === 'dead') {
      const { statusCode: lastStatusCode } = posted;
      const history = {
        attemptsSpent: attempt + 1,
        destination: ready.destination,
        ...(lastStatusCode !== undefined && { lastStatusCode }),
      };
      return deadLetterMessage(relayMessage, step, history, invocation);
    }
    if (step.delaySeconds > 0) return retryIn(step.delaySeconds, invocation);
    failed = posted.verdict;
    attempt = step.retry;
  }
}

/** Waits for its turn and makes the request; a second one if the first met a dead connection. */
async function makeAttempt(
  { relayMessage, envelope }: NotificationMessage,
  ready: Ready,
  attempt: number,
  invocation: RelayInvocation,
) {
  const turn = invocation.pacer.turn();
  if (turn) await turn;
  const beganAtMs = invocation.nowMs();
  const answered = await ready.post(envelope, relayMessage.body, () => mayRequestAgain(invocation));
  const latencyMs = invocation.nowMs() - beganAtMs;
  const posted = await retriedIfSecretChanged(answered, ready, invocation);
  const result = { attempt, destination: ready.destination, beganAtMs, latencyMs, posted };
  return { posted, step: recordAttempt({ relayMessage, envelope }, result, invocation) };
}

/** The second request of an attempt waits for a turn of its own, so that the pace holds. */
async function mayRequestAgain(invocation: RelayInvocation): Promise<boolean> {
  if (!hasTimeForRequest(invocation)) return false;
  await invocation.pacer.turn();
  return true;
}

/** Retries a message that the endpoint refused, if a secret has changed since it was read: the old secret may be the reason. */
async function retriedIfSecretChanged(posted: Posted, ready: Ready, { remainingMs }: RelayInvocation): Promise<Posted> {
  const { verdict } = posted;
  const isRefused = verdict.kind === 'dead' || isClientError(verdict);
  if (!isRefused || remainingMs() < MAX_SECRET_READ_MS + RESERVE_MS) return posted;
  if (!(await ready.hasOldSecrets())) return posted;
  return { ...posted, verdict: { kind: 'retry', reason: `${verdict.reason}, but a secret has changed since` } };
}

function isClientError(verdict: RelayVerdict): boolean {
  return verdict.kind === 'retry' && verdict.isClientError === true;
}

/** Counts and logs an attempt, and decides what follows if it failed. */
function recordAttempt(
  { relayMessage, envelope }: NotificationMessage,
  result: AttemptResult,
  invocation: RelayInvocation,
): RelayStep | undefined {
  const { attempt, destination, beganAtMs, latencyMs, posted } = result;
  const { verdict, retryAfterSeconds, requests } = posted;
  const step =
    verdict.kind === 'delivered' ? undefined : stepAfter(verdict, attempt, relayMessage, invocation, retryAfterSeconds);
  const late = latenessMs(invocation.settings, attempt, relayMessage, beganAtMs);
  invocation.tally.attempted({
    latencyMs,
    latenessMs: late,
    requests,
    isToRetry: verdict.kind === 'retry',
    isClientError: isClientError(verdict),
  });
  const facts = { relayMessage, envelope, destination, attempt, posted, step, beganAtMs, latencyMs, latenessMs: late };
  invocation.print(attemptRecord(facts));
  return step;
}

/** No request could be made, for example because a secret cannot be read. */
function settleUntried(
  relayMessage: RelayMessage,
  notReady: NotReady,
  attempt: number,
  invocation: RelayInvocation,
): Promise<DeliveryResult> | DeliveryResult {
  const { verdict, destination } = notReady;
  const step = stepUntried(verdict, attempt, relayMessage, invocation);
  const { reason } = verdict;
  invocation.tally.untried();
  invocation.print({ level: 'ERROR', message: 'not tried', ...idsOf(relayMessage), destination, reason });
  if (step.kind === 'retry') return retryIn(step.delaySeconds, invocation);
  return deadLetterMessage(relayMessage, step, { attemptsSpent: attempt, destination }, invocation);
}

/** Skips the remaining immediate retries. The next delayed one, if there is any, becomes due. */
function settleOutOfTime(
  relayMessage: RelayMessage,
  failed: FailedAttempt | undefined,
  invocation: RelayInvocation,
): DeliveryResult {
  const { numNoDelayRetries } = invocation.settings.retryPolicy;
  const step = failed && stepAfter(failed, numNoDelayRetries, relayMessage, invocation);
  if (step?.kind === 'retry') return retryIn(step.delaySeconds, invocation);
  return { kind: 'handed-back', reason: 'too little time is left for an attempt' };
}

/** How long a message stays hidden that was expiring while the breaker was open, and that the dead-letter queue did not take. */
const EXPIRING_DELAY_SECONDS = 300;

/** How the delivery of a message went until the relay gave it up. */
interface DeliveryHistory {
  readonly attemptsSpent: number;
  /** The endpoint, as logs may show it. */
  readonly destination: string;
  /** @default - no answer came */
  readonly lastStatusCode?: number;
}

/**
 * Sends a message with the reason to the dead-letter queue, after which the relay's queue deletes it. If that fails, the message
 * stays in the relay's queue and is tried again later.
 */
async function deadLetterMessage(
  relayMessage: RelayMessage,
  { cause, reason }: DeadStep,
  history: DeliveryHistory,
  invocation: RelayInvocation,
): Promise<DeliveryResult> {
  const { nowMs, queues, print, tally, areExpiring } = invocation;
  const { sentAtMs, firstReceivedAtMs } = relayMessage;
  const facts = { ...history, cause, reason, sentAtMs, firstReceivedAtMs, deadLetteredAtMs: nowMs() };
  const { attributes, omitted } = deadLetterAttributes(facts, relayMessage.body, relayMessage.attributes);
  const record = { ...idsOf(relayMessage), cause, reason, ...history, ...(omitted.length > 0 && { omitted }) };
  try {
    await queues.deadLetterMessage(relayMessage, attributes);
  } catch (error) {
    const { name, message: problem } = errorOf(error);
    const message = 'the dead-letter queue did not take the message, which stays in the queue';
    print({ level: 'ERROR', message, ...record, error: name, problem });
    tally.deadLetteringFailed();
    const delaySeconds = areExpiring ? EXPIRING_DELAY_SECONDS : deadLetteringFailedDelaySeconds(relayMessage, nowMs());
    return retryIn(delaySeconds, invocation);
  }
  print({ level: 'WARN', message: 'dead-lettered', ...record });
  return { kind: 'dead', cause };
}

interface AttemptFacts {
  readonly relayMessage: RelayMessage;
  readonly envelope: NotificationEnvelope;
  readonly destination: string;
  /** 0 for the initial attempt, then the number of the retry. */
  readonly attempt: number;
  readonly posted: Posted;
  /** What follows, if it failed. */
  readonly step: RelayStep | undefined;
  readonly beganAtMs: number;
  readonly latencyMs: number;
  readonly latenessMs: number;
}

/** SNS's format in records: `2019-11-05 18:33:46.123`. */
function recordTime(isoInstant: string): string {
  return isoInstant.replace('T', ' ').replace(/Z$/, '');
}

/** Time from the publication to the attempt; 0 if the envelope has no valid timestamp. */
function dwellTimeMs({ Timestamp }: NotificationEnvelope, atMs: number): number {
  const publishedAtMs = Timestamp.endsWith('Z') ? new Date(Timestamp).getTime() : Number.NaN;
  return Number.isNaN(publishedAtMs) ? 0 : Math.max(0, atMs - publishedAtMs);
}

function attemptRecord(facts: AttemptFacts): RelayAttemptRecord {
  const { relayMessage, envelope, destination, attempt, posted, step, beganAtMs, latencyMs, latenessMs } = facts;
  const { verdict, statusCode, answer, cut, requests } = posted;
  return {
    notification: {
      messageMD5Sum: hash('md5', envelope.Message),
      messageId: envelope.MessageId,
      topicArn: envelope.TopicArn,
      timestamp: recordTime(envelope.Timestamp),
    },
    delivery: {
      deliveryId: relayMessage.messageId,
      destination,
      providerResponse: answer,
      dwellTimeMs: dwellTimeMs(envelope, beganAtMs),
      attempts: attempt + 1,
      ...(statusCode !== undefined && { statusCode }),
    },
    status: verdict.kind === 'delivered' ? 'SUCCESS' : 'FAILURE',
    relay: {
      verdict: verdict.kind,
      reason: verdict.reason,
      ...(cut !== undefined && { cut }),
      ...(requests > 1 && { requests }),
      receiveCount: relayMessage.receiveCount,
      ...(step?.kind === 'retry' && { nextRetryInSeconds: step.delaySeconds }),
      latencyMs,
      latenessMs,
    },
  };
}
