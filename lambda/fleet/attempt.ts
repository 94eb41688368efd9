import type { Attempt } from '../../fleet/attempts';
import { type Grant, released, TURN_TOLERANCE_MS } from '../../policy/fleet/admission';
import { type FleetStep, resultOf, stepAfterAttempt } from '../../policy/fleet/attempt-step';
import { groupOf } from '../../policy/fleet/endpoint';
import type { AttemptResult } from '../../policy/fleet/endpoint-health';
import { FAILED_ATTEMPT, type FailedAttemptLine } from '../../policy/fleet/failed-attempt-log';
import { itemKeys, type StateItem } from '../../policy/fleet/fleet-items';
import type { Delivery } from '../../policy/fleet/fleet-messages';
import { type EndedAttempt, withResult } from '../../policy/fleet/state-item';
import type { Posted } from '../shared/http-endpoint';
import { giveBack, LONGEST_TURN_MS, longestMs, reportUnwritten } from './admit';
import { deadLetterDelivery, type GivenUp } from './dead-letters';
import { endpointOf } from './http-endpoint-of';
import {
  afterDeadLetteringFailed,
  afterFailure,
  type DeliveryInvocation,
  DONE,
  type Outcome,
  type ReceivedDelivery,
} from './received-delivery';
import { parkReceived, waitForTurn, waitsInQueue } from './waiting';

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
export async function makeAttempt(
  received: ReceivedDelivery,
  grant: Grant,
  invocation: DeliveryInvocation,
): Promise<Outcome> {
  const { nowMs, tally, settings, remainingMs } = invocation;
  const { delivery, endpoint } = received;
  const ready = await endpointOf(endpoint, invocation);
  const isInTurn = endpoint.maxPerSecond === undefined || (await untilTurn(grant, invocation));
  const beganAtMs = nowMs();
  if (!isInTurn) {
    await giveBack(received, grant, invocation);
    return waitForTurn(received, invocation.states.current(delivery), beganAtMs, 1, invocation);
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
  const result = ready.kind === 'not-ready' && ready.isBroken ? undefined : resultOf(posted.verdict);
  return settle(received, { posted, result, beganAtMs }, grant, invocation);
}

/** An attempt that has ended. */
interface Ended {
  readonly posted: Posted;
  /** What it says about the endpoint. Undefined if the fleet itself failed. */
  readonly result: AttemptResult | undefined;
  readonly beganAtMs: number;
}

async function settle(
  received: ReceivedDelivery,
  { posted, result, beganAtMs }: Ended,
  grant: Grant,
  invocation: DeliveryInvocation,
): Promise<Outcome> {
  const { nowMs, tally, chance, unrecorded } = invocation;
  const { delivery, message, settings, attempt } = received;
  const endedAtMs = nowMs();
  const isProbe = delivery.probeDueAtMs !== undefined;
  const decided = stepAfterAttempt(settings, {
    ...posted,
    isProbe,
    attempt,
    message: { ...message, sentAtMs: delivery.sentAtMs },
    nowMs: endedAtMs,
    chance: chance(),
  });
  if (posted.requests > 0) tally.measure('Latency', endedAtMs - beganAtMs);
  const state = await afterResult(received, result, grant, invocation);
  // Its endpoint may be down, and then it would be parked: what the table does not take must not use up its attempts.
  const isKept = decided.kind === 'dead' && decided.cause === 'retries-spent' && unrecorded.last(groupOf(delivery));
  const step: FleetStep = isKept
    ? { kind: 'retry', dueAtMs: afterFailure(message, endedAtMs).untilMs, attempts: attempt, reason: decided.reason }
    : decided;
  const retryAtMs = step.kind === 'retry' ? step.dueAtMs : undefined;
  const nextAtMs = step.kind === 'stays-parked' ? state.probeAtMs : retryAtMs;
  const next = nextAtMs === undefined ? {} : { nextAtMs };
  const times = { atMs: beganAtMs, latencyMs: endedAtMs - beganAtMs, ...next };
  logAttempt(received, posted, { ...times, outcome: OUTCOMES[step.kind] }, invocation);
  if (step.kind === 'delivered') {
    tally.count('Delivered');
    if (attempt === 0 && !isProbe) tally.measure('Delay', endedAtMs - delivery.sentAtMs);
    if (isProbe) await unparkProbe(delivery, invocation);
    return DONE;
  }
  tally.count('FailedAttempts');
  printFailure(received, posted, invocation);
  if (step.kind === 'stays-parked') return DONE;
  if (step.kind === 'dead') return giveUp(received, step, posted, invocation);
  if (await waitsInQueue(state, step.dueAtMs, invocation)) return { kind: 'hidden', untilMs: step.dueAtMs };
  return parkReceived(received, step, invocation);
}

/** How the log says what became of a message. */
const OUTCOMES: Readonly<Record<FleetStep['kind'], Attempt['outcome']>> = {
  delivered: 'delivered',
  'stays-parked': 'failed',
  retry: 'failed',
  dead: 'dead',
};

/** Writes what the attempt says about its endpoint, if that changes anything. If that fails, the next attempt decides. */
async function afterResult(
  { delivery, endpoint, message }: ReceivedDelivery,
  result: AttemptResult | undefined,
  grant: Grant,
  invocation: DeliveryInvocation,
): Promise<StateItem> {
  const { states, settings, nowMs, unrecorded } = invocation;
  const group = groupOf(delivery);
  const ended: EndedAttempt = {
    result,
    isProbe: delivery.probeDueAtMs !== undefined,
    createdAtMs: endpoint.createdAtMs,
    nowMs: nowMs(),
  };
  if (result === 'delivered') unrecorded.forget(group);
  try {
    return await states.change(delivery, state => released(withResult(state, ended, settings.health), grant));
  } catch (error) {
    reportUnwritten('the state of an endpoint was not written', error, delivery, invocation);
    if (result !== undefined && result !== 'delivered') unrecorded.add(group, ended, message.receiveCount);
    return states.current(delivery);
  }
}

/** The message was delivered: if this fails, it is delivered again with the same id. */
async function unparkProbe(delivery: Delivery, invocation: DeliveryInvocation): Promise<void> {
  const { table, tally } = invocation;
  try {
    await table.unpark([itemKeys.parked(delivery, delivery.probeDueAtMs ?? 0, delivery.id)]);
    tally.count('Returned');
  } catch (error) {
    tally.broken(invocation, 'a delivered message is still parked', error, { delivery: delivery.id });
  }
}

/** Sends a message to the dead-letter queue. A probe is then no longer parked. */
export async function giveUp(
  { delivery, attempt, message }: ReceivedDelivery,
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

function printFailure(
  { delivery }: ReceivedDelivery,
  { verdict, statusCode }: Posted,
  { print }: DeliveryInvocation,
): void {
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
  { delivery, attempt }: ReceivedDelivery,
  { verdict, statusCode }: Posted,
  ended: Pick<Attempt, 'atMs' | 'latencyMs' | 'outcome' | 'nextAtMs'>,
  { settings, requestId, logAttempt: log }: DeliveryInvocation,
): void {
  const { tenant, endpoint, id: deliveryId, eventId, type, data, sentAtMs } = delivery;
  const message = { tenant, endpoint, deliveryId, eventId, type, sentAtMs, attempt: attempt + 1 };
  log?.({
    ...message,
    ...(delivery.probeDueAtMs !== undefined && { isProbe: true }),
    ...ended,
    reason: verdict.reason,
    requestId,
    ...(statusCode !== undefined && { statusCode }),
    ...(settings.logsBodies && { data }),
  });
}
