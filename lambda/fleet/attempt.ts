import type { Attempt } from '../../fleet/attempts';
import { SHORTEST_WAIT_SECONDS } from '../../policy/fleet/attempts-made';
import { groupOf } from '../../policy/fleet/endpoint';
import { type AttemptResult, afterAttempt } from '../../policy/fleet/endpoint-health';
import { FAILED_ATTEMPT, type FailedAttemptLine } from '../../policy/fleet/failed-attempt-log';
import { itemKeys, type StateItem } from '../../policy/fleet/fleet-items';
import type { Delivery } from '../../policy/fleet/fleet-messages';
import { TURN_TOLERANCE_MS } from '../../policy/fleet/rate-lease';
import { type Grant, released, withHealth } from '../../policy/fleet/state-item';
import type { RelayStep } from '../../policy/relay/attempt-verdict';
import { nextStep } from '../../policy/relay/next-step';
import type { Posted } from '../shared/http-endpoint';
import { errorOf } from '../shared/log';
import { giveBack, LONGEST_TURN_MS, longestMs } from './admit';
import { deadLetterDelivery, type GivenUp } from './dead-letters';
import { endpointOf } from './http-endpoint-of';
import { parkWork, waitForTurn, waitsInQueue } from './waiting';
import { afterDeadLetteringFailed, type DeliveryInvocation, DONE, type Outcome, type Work } from './work';

/** When a message without attempts left is looked at again that could not be tried. */
const UNTRIED_DELAY_SECONDS = 300;

/** Waits for a turn. @returns whether it has come: it may be over, or far ahead if the clock was set back */
async function untilTurn({ startsAtMs }: Grant, { nowMs, wait }: DeliveryInvocation): Promise<boolean> {
  // Node's timers may fire a millisecond early.
  for (let leftMs = startsAtMs - nowMs(); leftMs > 0; leftMs = startsAtMs - nowMs()) {
    if (leftMs > LONGEST_TURN_MS) return false;
    await wait(leftMs);
  }
  return nowMs() <= startsAtMs + TURN_TOLERANCE_MS;
}

/** Makes one attempt, and does what its result demands. */
export async function makeAttempt(work: Work, grant: Grant, invocation: DeliveryInvocation): Promise<Outcome> {
  const { nowMs, tally, settings, remainingMs } = invocation;
  const { delivery, endpoint } = work;
  const ready = await endpointOf(endpoint, invocation);
  const isInTurn = endpoint.maxPerSecond === undefined || (await untilTurn(grant, invocation));
  const beganAtMs = nowMs();
  if (!isInTurn) {
    await giveBack(work, grant, invocation);
    return waitForTurn(work, invocation.states.current(delivery), beganAtMs, 1, invocation);
  }
  if (ready.kind === 'ready') tally.count('Attempts');
  else if (ready.isBroken) tally.count('Broken');
  // A second request at once would exceed a ceiling, and bother an endpoint that fails.
  const isLimited = grant.slot !== undefined || endpoint.maxPerSecond !== undefined;
  const mayRepeat = async () => !isLimited && remainingMs() >= longestMs(false, settings);
  // Also of an endpoint without a secret: it needs the id to recognize a message that comes again.
  const headers = { 'webhook-id': delivery.id, 'webhook-timestamp': String(Math.floor(beganAtMs / 1_000)) };
  const posted: Posted =
    ready.kind === 'ready'
      ? await ready.endpoint.post({ id: delivery.id, body: delivery.data, headers }, mayRepeat)
      : { verdict: ready.verdict, requests: 0, answer: '' };
  // An outage of KMS says nothing about an endpoint, and must disable none.
  const result = ready.kind === 'not-ready' && ready.isBroken ? undefined : resultOf(posted);
  return settle(work, { posted, result, beganAtMs }, grant, invocation);
}

/** An attempt that has ended. */
interface Ended {
  readonly posted: Posted;
  /** What it says about the endpoint. Undefined if the fleet itself failed. */
  readonly result: AttemptResult | undefined;
  readonly beganAtMs: number;
}

/** What an attempt says about its endpoint. One that refuses a message by `deadStatuses` works. */
function resultOf({ verdict }: Posted): AttemptResult {
  if (verdict.kind === 'delivered') return 'delivered';
  if (verdict.kind === 'retry' || verdict.cause === 'forbidden-address') return 'failed';
  return verdict.cause === 'gone' ? 'gone' : 'delivered';
}

async function settle(
  work: Work,
  { posted, result, beganAtMs }: Ended,
  grant: Grant,
  invocation: DeliveryInvocation,
): Promise<Outcome> {
  const { nowMs, tally, chance } = invocation;
  const { delivery, message, settings, attempt } = work;
  const { verdict } = posted;
  const endedAtMs = nowMs();
  const isProbe = delivery.probeDueAtMs !== undefined;
  const facts = { attempt, message, nowMs: endedAtMs, chance: chance() };
  const asked = posted.retryAfterSeconds;
  const step: RelayStep | undefined =
    verdict.kind === 'delivered'
      ? undefined
      : stepOfFleet(
          posted,
          nextStep(settings, {
            ...facts,
            message: { ...message, sentAtMs: delivery.sentAtMs },
            verdict,
            ...(asked !== undefined && { retryAfterSeconds: asked }),
          }),
          invocation,
        );
  if (posted.requests > 0) tally.measure('Latency', endedAtMs - beganAtMs);
  const state = await afterResult(work, result, grant, invocation);
  // A failed probe says nothing about its message, which is still parked.
  const isStillParked = isProbe && verdict.kind === 'retry';
  const dueAtMs = endedAtMs + Math.max(SHORTEST_WAIT_SECONDS, step?.kind === 'retry' ? step.delaySeconds : 0) * 1_000;
  const isRetried = isStillParked || step?.kind === 'retry';
  const nextAtMs = isStillParked ? state.probeAtMs : isRetried ? dueAtMs : undefined;
  const outcome = isRetried ? 'failed' : step ? 'dead' : 'delivered';
  logAttempt(work, posted, { beganAtMs, endedAtMs, outcome, nextAtMs }, invocation);
  if (!step) {
    tally.count('Delivered');
    if (attempt === 0 && !isProbe) tally.measure('Delay', endedAtMs - delivery.sentAtMs);
    if (isProbe) await unparkProbe(delivery, invocation);
    return DONE;
  }
  tally.count('FailedAttempts');
  printFailure(work, posted, invocation);
  if (isStillParked) return DONE;
  if (step.kind === 'dead') return giveUp(work, step, posted, invocation);
  if (await waitsInQueue(state, dueAtMs, invocation)) return { kind: 'hidden', untilMs: dueAtMs };
  const attempts = posted.requests > 0 ? attempt + 1 : attempt;
  return parkWork(work, { attempts, dueAtMs, reason: step.reason }, invocation);
}

/** A message that was not sent, because a secret or a token cannot be read, keeps its last attempt. */
function stepOfFleet(
  { requests, verdict: { reason } }: Posted,
  step: RelayStep,
  { settings }: DeliveryInvocation,
): RelayStep {
  if (step.kind !== 'dead') return step;
  if (step.cause === 'retention-spent') {
    return {
      ...step,
      reason: `${reason}, and at the next retry it would be older than ${settings.maxAgeSeconds} seconds`,
    };
  }
  if (requests > 0 || step.cause !== 'retries-spent') return step;
  return { kind: 'retry', retry: 0, delaySeconds: UNTRIED_DELAY_SECONDS, reason };
}

/** Writes what the attempt says about its endpoint, if that changes anything. If that fails, the next attempt decides. */
async function afterResult(
  { delivery, endpoint }: Work,
  result: AttemptResult | undefined,
  grant: Grant,
  { states, settings, nowMs, print }: DeliveryInvocation,
): Promise<StateItem> {
  const now = nowMs();
  try {
    return await states.change(delivery, state => {
      // An attempt from before the breaker opened is not a failed probe.
      const isLate = state.health === 'open' && delivery.probeDueAtMs === undefined && result === 'failed';
      const isOfRemoved = state.removedCreatedAtMs === endpoint.createdAtMs;
      const isMute = result === undefined || isLate || isOfRemoved;
      const next = isMute ? state : withHealth(state, afterAttempt(state, result, now, settings.health), now);
      return released(next, grant);
    });
  } catch (error) {
    const { name, message: problem } = errorOf(error);
    print({
      level: 'WARN',
      message: 'the state of an endpoint was not written',
      group: groupOf(delivery),
      error: name,
      problem,
    });
    return states.current(delivery);
  }
}

/** The message was delivered: if this fails, it is delivered again with the same id. */
async function unparkProbe(delivery: Delivery, { table, tally, print }: DeliveryInvocation): Promise<void> {
  try {
    await table.unpark([itemKeys.parked(delivery, delivery.probeDueAtMs ?? 0, delivery.id)]);
    tally.count('Returned');
  } catch (error) {
    print({
      level: 'WARN',
      message: 'a delivered message is still parked',
      delivery: delivery.id,
      problem: errorOf(error).message,
    });
  }
}

/** Sends a message to the dead-letter queue. A probe is then no longer parked. */
export async function giveUp(
  { delivery, attempt, message }: Work,
  { cause, reason }: Pick<GivenUp, 'cause' | 'reason'>,
  posted: Posted | undefined,
  invocation: DeliveryInvocation,
): Promise<Outcome> {
  const { nowMs, tally } = invocation;
  const attempts = posted ? attempt + 1 : attempt;
  const status = posted?.statusCode;
  const givenUp = { cause, reason, ...(status !== undefined && { lastStatusCode: status }) };
  const isDone = await deadLetterDelivery({ ...delivery, attempts }, givenUp, invocation, tally);
  if (delivery.probeDueAtMs !== undefined) {
    if (isDone) await unparkProbe(delivery, invocation);
    return DONE;
  }
  return isDone ? DONE : afterDeadLetteringFailed(message, nowMs());
}

function printFailure({ delivery }: Work, { verdict, statusCode }: Posted, { print }: DeliveryInvocation): void {
  const { tenant, endpoint, id: deliveryId } = delivery;
  const status = statusCode === undefined ? {} : { statusCode };
  print({
    message: FAILED_ATTEMPT,
    tenant,
    endpoint,
    deliveryId,
    reason: verdict.reason,
    ...status,
  } satisfies FailedAttemptLine);
}

function logAttempt(
  { delivery, attempt }: Work,
  { verdict, statusCode }: Posted,
  {
    beganAtMs,
    endedAtMs,
    outcome,
    nextAtMs,
  }: { beganAtMs: number; endedAtMs: number; outcome: Attempt['outcome']; nextAtMs: number | undefined },
  { settings, requestId, logAttempt: log }: DeliveryInvocation,
): void {
  if (!log) return;
  const { tenant, endpoint, id: deliveryId, eventId, type, data, sentAtMs } = delivery;
  log({
    tenant,
    endpoint,
    deliveryId,
    eventId,
    type,
    sentAtMs,
    attempt: attempt + 1,
    atMs: beganAtMs,
    latencyMs: endedAtMs - beganAtMs,
    outcome,
    reason: verdict.reason,
    requestId,
    ...(statusCode !== undefined && { statusCode }),
    ...(nextAtMs !== undefined && { nextAtMs }),
    ...(settings.logsBodies && { data }),
  });
}
