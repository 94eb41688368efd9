import type { StateItem } from '../../policy/fleet/fleet-items';
import { mayWaitAgain, waitingPlace } from '../../policy/fleet/placement';
import { HOUR_MS } from '../../policy/time-units';
import { errorOf } from '../shared/log';
import { afterFailure, type DeliveryInvocation, DONE, type Outcome, type ReceivedDelivery } from './received-delivery';
import { type Parking, park } from './states';

/** A message comes back that much before its place in the line, so that a turn is not lost while SQS and its poller need a moment. */
const LINE_LEAD_MS = 3_000;

/** All slots are taken, or the turn is later. A probe is still parked. */
export async function waitForTurn(
  received: ReceivedDelivery,
  state: StateItem,
  retryAtMs: number,
  place: number,
  invocation: DeliveryInvocation,
): Promise<Outcome> {
  const { delivery, endpoint } = received;
  if (delivery.probeDueAtMs !== undefined) return DONE;
  const untilMs = retryAtMs + (endpoint.maxPerSecond === undefined ? 0 : (place * 1_000) / endpoint.maxPerSecond);
  const isShort = await waitsInQueue(state, untilMs, invocation);
  return isShort ? comeBack(received, untilMs, invocation) : parkFull(received, invocation);
}

/** The message waits for its place in the line. */
export function waitInLine(received: ReceivedDelivery, atMs: number, invocation: DeliveryInvocation): Promise<Outcome> {
  return comeBack(received, atMs - LINE_LEAD_MS, invocation);
}

function parkFull(received: ReceivedDelivery, invocation: DeliveryInvocation): Promise<Outcome> {
  const reason = 'the endpoint has as many requests as it may get';
  return parkReceived(received, { attempts: received.attempt, reason }, invocation);
}

/**
 * Sends a copy that becomes visible later, or parks the message if it has waited too often. A hidden message would be in flight meanwhile,
 * and its next receive would look like an attempt.
 */
async function comeBack(received: ReceivedDelivery, atMs: number, invocation: DeliveryInvocation): Promise<Outcome> {
  const { delivery, attempt } = received;
  const { queues, nowMs, tally } = invocation;
  if (!mayWaitAgain(delivery)) return parkFull(received, invocation);
  const copy = { ...delivery, attempts: attempt, waits: (delivery.waits ?? 0) + 1 };
  const delaySeconds = Math.max(0, Math.ceil((atMs - nowMs()) / 1_000));
  const left = await queues.sendDeliveries([{ delivery: copy, delaySeconds }]);
  if (left.length === 0) return DONE;
  tally.count('Broken');
  return { kind: 'hidden', untilMs: atMs };
}

export async function waitsInQueue(
  state: StateItem,
  untilMs: number,
  invocation: DeliveryInvocation,
): Promise<boolean> {
  const { queues, nowMs, print } = invocation;
  let inFlight = 0;
  try {
    inFlight = await queues.inFlight();
  } catch (error) {
    print({ level: 'WARN', message: 'the queue could not be counted', problem: errorOf(error).message });
  }
  return waitingPlace(state, untilMs, nowMs(), inFlight) === 'queue';
}

/** SQS hides a message for twelve hours at most. */
const LONGEST_HIDDEN_MS = 11 * HOUR_MS;

export async function parkReceived(
  { delivery, message: queued }: ReceivedDelivery,
  parking: Parking,
  invocation: DeliveryInvocation,
): Promise<Outcome> {
  const { nowMs, tally, states } = invocation;
  try {
    await park(delivery, parking, invocation, states);
  } catch (error) {
    tally.broken(invocation, 'a message was not parked, and stays in the queue', error, { delivery: delivery.id });
    const { untilMs } = afterFailure(queued, nowMs());
    const dueAtMs = Math.min(parking.dueAtMs ?? 0, nowMs() + LONGEST_HIDDEN_MS);
    return { kind: 'hidden', untilMs: Math.max(untilMs, dueAtMs) };
  }
  tally.count('Parked');
  return DONE;
}
