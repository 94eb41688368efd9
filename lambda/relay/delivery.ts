import { type NotificationEnvelope, readEnvelope } from '../../policy/messages/envelope';
import { deadLetterAttributes } from '../../policy/messages/reason-attributes';
import type { DeadStep, FailedAttempt, RelayStep } from '../../policy/relay/attempt-verdict';
import { deadLetteringFailedDelaySeconds } from '../../policy/relay/next-step';
import { attemptsSpent, expiredStep, latenessMs } from '../../policy/relay/relay-schedule';
import { errorOf } from '../shared/log';
import { attemptRecord } from './attempt-record';
import { hasTimeForAttempt, type Invocation, RESERVE_MS, retryIn, stepAfter, stepUntried } from './invocation';
import { type DeliveryResult, idsOf, type RelayMessage } from './message';
import { MAX_SECRET_READ_MS, type NotReady, type Posted, type Ready } from './ports';

/** A message that SNS sent. */
interface NotificationMessage {
  readonly relayMessage: RelayMessage;
  readonly envelope: NotificationEnvelope;
}

/** One attempt that is over. */
interface AttemptResult {
  /** 0 for the initial one, else the number of the retry. */
  readonly attempt: number;
  readonly destination: string;
  readonly beganAtMs: number;
  readonly latencyMs: number;
  readonly posted: Posted;
}

/** A second request of one attempt keeps the pace as the first did. */
async function hasAnotherTurn(run: Invocation): Promise<boolean> {
  if (!hasTimeForAttempt(run)) return false;
  await run.pacer.turn();
  return true;
}

/** What a secret that is no longer good had refused is tried again, with the new one. */
async function verdictUnlessSecretChanged(posted: Posted, ready: Ready, { remainingMs }: Invocation): Promise<Posted> {
  const { verdict } = posted;
  if (verdict.kind !== 'dead' || remainingMs() < MAX_SECRET_READ_MS + RESERVE_MS) return posted;
  if (!(await ready.hasOldSecrets())) return posted;
  return { ...posted, verdict: { kind: 'retry', reason: `${verdict.reason}, but a secret has changed since` } };
}

/** Counts and records an attempt, and decides what follows if it failed. */
function recordAttempt(
  { relayMessage, envelope }: NotificationMessage,
  tried: AttemptResult,
  run: Invocation,
): RelayStep | undefined {
  const { attempt, destination, beganAtMs, latencyMs, posted } = tried;
  const { verdict, retryAfterSeconds, requests } = posted;
  const step =
    verdict.kind === 'delivered' ? undefined : stepAfter(verdict, attempt, relayMessage, run, retryAfterSeconds);
  const late = latenessMs(run.settings, attempt, relayMessage, beganAtMs);
  run.tally.attempted({ latencyMs, latenessMs: late, requests, isToRetry: verdict.kind === 'retry' });
  const facts = { relayMessage, envelope, destination, attempt, posted, step, beganAtMs, latencyMs, latenessMs: late };
  run.print(attemptRecord(facts));
  return step;
}

/** Nobody could be asked. */
function settleUntried(
  relayMessage: RelayMessage,
  notReady: NotReady,
  attempt: number,
  run: Invocation,
): Promise<DeliveryResult> | DeliveryResult {
  const { verdict, destination } = notReady;
  const step = stepUntried(verdict, attempt, relayMessage, run);
  run.tally.untried();
  run.print({ level: 'ERROR', message: 'not tried', ...idsOf(relayMessage), destination, reason: verdict.reason });
  if (step.kind === 'retry') return retryIn(step.delaySeconds, run);
  return deadLetterMessage(relayMessage, step, { attemptsSpent: attempt, destination }, run);
}

/** What is left of the immediate retries is skipped: the next delayed one is due, if there is any. */
function settleOutOfTime(
  relayMessage: RelayMessage,
  failed: FailedAttempt | undefined,
  run: Invocation,
): DeliveryResult {
  const { numNoDelayRetries } = run.settings.retryPolicy;
  const step = failed && stepAfter(failed, numNoDelayRetries, relayMessage, run);
  if (step?.kind === 'retry') return retryIn(step.delaySeconds, run);
  return { kind: 'handed-back', reason: 'too little time is left for an attempt' };
}

/** One request, or two, when its turn has come. */
async function makeAttempt(
  { relayMessage, envelope }: NotificationMessage,
  ready: Ready,
  attempt: number,
  run: Invocation,
) {
  const turn = run.pacer.turn();
  if (turn) await turn;
  const beganAtMs = run.nowMs();
  const answered = await ready.post(envelope, relayMessage.body, () => hasAnotherTurn(run));
  const latencyMs = run.nowMs() - beganAtMs;
  const posted = await verdictUnlessSecretChanged(answered, ready, run);
  const { destination } = ready;
  return {
    posted,
    step: recordAttempt({ relayMessage, envelope }, { attempt, destination, beganAtMs, latencyMs, posted }, run),
  };
}

async function attempts(
  notification: NotificationMessage,
  first: Ready | NotReady,
  due: number,
  run: Invocation,
): Promise<DeliveryResult> {
  const { relayMessage } = notification;
  let attempt = due;
  let failed: FailedAttempt | undefined;
  for (let ready = first; ; ready = await run.endpoint()) {
    if (ready.kind === 'not-ready') return settleUntried(relayMessage, ready, attempt, run);
    if (!hasTimeForAttempt(run)) return settleOutOfTime(relayMessage, failed, run);
    const { posted, step } = await makeAttempt(notification, ready, attempt, run);
    if (posted.verdict.kind === 'delivered' || !step) return { kind: 'delivered' };
    if (step.kind === 'dead') {
      const { statusCode: lastStatusCode } = posted;
      const past = { attemptsSpent: attempt + 1, destination: ready.destination };
      return deadLetterMessage(
        relayMessage,
        step,
        { ...past, ...(lastStatusCode !== undefined && { lastStatusCode }) },
        run,
      );
    }
    if (step.delaySeconds > 0) return retryIn(step.delaySeconds, run);
    failed = posted.verdict;
    attempt = step.retry;
  }
}

/**
 * Tries to deliver a message: the attempt that is due, and the immediate retries after it. It answers once there is nothing
 * more to do in this invocation.
 */
export async function deliver(relayMessage: RelayMessage, run: Invocation): Promise<DeliveryResult> {
  const reading = readEnvelope(relayMessage.body);
  const ready = await run.endpoint();
  if (reading.kind === 'none') {
    const step = { kind: 'dead', cause: 'not-an-envelope', reason: `the message ${reading.reason}` } as const;
    return deadLetterMessage(relayMessage, step, { attemptsSpent: 0, destination: ready.destination }, run);
  }
  const due = attemptsSpent(run.settings, relayMessage, run.nowMs());
  if (run.areExpiring) {
    return deadLetterMessage(
      relayMessage,
      expiredStep(run.settings, relayMessage),
      { attemptsSpent: due, destination: ready.destination },
      run,
    );
  }
  return await attempts({ relayMessage, envelope: reading.envelope }, ready, due, run);
}

/** Our choice: how long a message stays hidden that a breaker had given up untried, and the dead-letter queue did not take. */
const EXPIRING_DELAY_SECONDS = 300;

/** How far the relay came with a message it gives up. */
export interface DeliveryHistory {
  /** Attempts of the schedule that are spent, the initial one included. */
  readonly attemptsSpent: number;
  /** The endpoint, as records may show it. */
  readonly destination: string;
  /**
   * Of the last answer.
   * @default - none came
   */
  readonly lastStatusCode?: number;
}

/**
 * Sends a message to the dead-letter queue with the reason; the relay's own queue forgets it afterwards. Where that does not
 * come about the message stays, and is tried again later.
 */
export async function deadLetterMessage(
  relayMessage: RelayMessage,
  { cause, reason }: DeadStep,
  past: DeliveryHistory,
  run: Invocation,
): Promise<DeliveryResult> {
  const { sentAtMs, firstReceivedAtMs } = relayMessage;
  const facts = { ...past, cause, reason, sentAtMs, firstReceivedAtMs, deadLetteredAtMs: run.nowMs() };
  const { attributes, omitted } = deadLetterAttributes(facts, relayMessage.body, relayMessage.attributes);
  const reported = {
    ...idsOf(relayMessage),
    cause,
    reason,
    ...past,
    ...(omitted.length > 0 && { omitted }),
  };
  try {
    await run.queues.deadLetterMessage(relayMessage, attributes);
  } catch (error) {
    const { name, message: problem } = errorOf(error);
    const message = 'the dead-letter queue did not take the message, which stays in the queue';
    run.print({ level: 'ERROR', message, ...reported, error: name, problem });
    run.tally.deadLetteringFailed();
    return retryIn(
      run.areExpiring ? EXPIRING_DELAY_SECONDS : deadLetteringFailedDelaySeconds(relayMessage, run.nowMs()),
      run,
    );
  }
  run.print({ level: 'WARN', message: 'dead-lettered', ...reported });
  return { kind: 'dead', cause };
}
