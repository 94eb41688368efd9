import type { Attempt } from '../../fleet/attempts';
import { attemptsMade, SHORTEST_WAIT_SECONDS } from '../../policy/fleet/attempts-made';
import { type EndpointName, groupOf } from '../../policy/fleet/endpoint';
import { type AttemptResult, afterAttempt } from '../../policy/fleet/endpoint-health';
import { FAILED_ATTEMPT, type FailedAttemptLine } from '../../policy/fleet/failed-attempt-log';
import { type Delivery, isFor, readDelivery } from '../../policy/fleet/fleet-messages';
import { type EndpointItem, itemKeys, type StateItem } from '../../policy/fleet/fleet-table';
import { placementOf } from '../../policy/fleet/placement';
import { TURN_TOLERANCE_MS } from '../../policy/fleet/rate-lease';
import { type Admission, admission, type Grant, released, withHealth } from '../../policy/fleet/state-item';
import type { RelayStep } from '../../policy/relay/attempt-verdict';
import { deadLetteringFailedDelaySeconds, nextStep, type StepSettings } from '../../policy/relay/next-step';
import { RETENTION_MARGIN_SECONDS } from '../../policy/relay/relay-limits';
import { MAX_TOKEN_MS } from '../shared/access-token';
import type { Posted } from '../shared/http-endpoint';
import { errorOf } from '../shared/log';
import { deadLetter, deadLetterDelivery, type GivenUp } from './dead-letters';
import { endpointOf } from './http-endpoint-of';
import type { EndpointEntry, FleetPorts, QueuedMessage } from './ports';
import { giveUpAtMs } from './states';
import { parkWork, waitForTurn, waitInLine, waitsInQueue } from './waiting';
import { AFTER_FAILURE_MS, afterFailure, type DeliveryInvocation, DONE, type Outcome, type Work } from './work';

/** Time for the calls to AWS after the last attempt of an invocation. */
export const RESERVE_MS = 15_000;

/** When a message without attempts left is looked at again that could not be tried. */
const UNTRIED_DELAY_SECONDS = 300;

/** A turn is at most that far ahead. */
const LONGEST_TURN_MS = 10_000;

/** What is left of an admission. */
interface Admitted extends Admission {
  readonly left: Grant[];
  readonly places: number[];
}

/** The messages of one receive that are for one endpoint: they ask for slots and turns together. */
interface Group {
  readonly name: EndpointName;
  wanted: number;
  wantedProbes: number;
  admission?: Promise<Admitted>;
  refused: number;
}

/** The messages of one receive. Their endpoints and states are read together. */
export class MessageBatch {
  private readonly deliveries: ReadonlyMap<QueuedMessage, Delivery | undefined>;
  private readonly groups = new Map<string, Group>();
  private entries: Promise<ReadonlyMap<string, EndpointEntry>> | undefined;

  constructor(
    messages: readonly QueuedMessage[],
    private readonly invocation: DeliveryInvocation,
  ) {
    this.deliveries = new Map(messages.map(message => [message, deliveryIn(message)]));
    for (const delivery of this.deliveries.values()) {
      if (!delivery) continue;
      const { tenant, endpoint } = delivery;
      const key = groupOf(delivery);
      const group = this.groups.get(key) ?? { name: { tenant, endpoint }, wanted: 0, wantedProbes: 0, refused: 0 };
      group.wanted += 1;
      if (delivery.probeDueAtMs !== undefined) group.wantedProbes += 1;
      this.groups.set(key, group);
    }
  }

  async deliver(message: QueuedMessage): Promise<Outcome> {
    const { invocation } = this;
    const { nowMs, settings, states } = invocation;
    const delivery = this.deliveries.get(message);
    if (!delivery) return this.deadLetterForeign(message);
    const entry = await this.entryOf(delivery);
    const group = this.groups.get(groupOf(delivery));
    if (!entry || !group) return afterFailure(message, nowMs());
    const { endpoint, state: read } = entry;
    if (!endpoint || !isFor(delivery, endpoint)) return this.deadLetterRemoved(delivery, message);
    const isProbe = delivery.probeDueAtMs !== undefined;
    // So too if its clock is ahead: turns at that time would block the endpoint until then.
    if (invocation.remainingMs() < longestMs(endpoint, settings))
      return isProbe ? DONE : afterFailure(message, nowMs());
    states.learn(delivery, read);
    const admitted = await this.admissionOf(group, endpoint);
    const { state } = admitted;
    // It is still parked: the prober sends it again.
    if (isProbe && state.health !== 'open') return DONE;
    const placement = placementOf({ giveUpAtMs: giveUpAtMs(delivery, invocation), isProbe }, state, nowMs());
    const stepSettings = stepSettingsOf(endpoint, invocation);
    const attempt = attemptsMade(stepSettings, delivery.attempts, message, nowMs());
    const work: Work = { message, delivery, endpoint, settings: stepSettings, attempt };
    if (placement.kind === 'dead') {
      const reason = `${downReason(state)}, and the message is older than ${settings.maxAgeSeconds} seconds`;
      return giveUp(work, { cause: placement.cause, reason }, undefined, invocation);
    }
    if (placement.kind === 'park') return parkWork(work, { attempts: attempt, reason: downReason(state) }, invocation);
    const grant = admitted.left.shift();
    if (!grant) {
      const comesBackAtMs = admitted.places.shift();
      if (comesBackAtMs !== undefined) return waitInLine(work, comesBackAtMs, invocation);
      group.refused += 1;
      return waitForTurn(work, state, admitted.retryAtMs, group.refused, invocation);
    }
    if (invocation.remainingMs() < grant.startsAtMs - nowMs() + longestMs(endpoint, settings)) {
      await giveBack(work, grant, invocation);
      return isProbe ? DONE : { kind: 'hidden', untilMs: nowMs() };
    }
    return makeAttempt(work, grant, invocation);
  }

  private async entryOf(delivery: Delivery): Promise<EndpointEntry | undefined> {
    const { table, print } = this.invocation;
    this.entries ??= table.entries([...this.groups.values()].map(({ name }) => name));
    try {
      const entry = (await this.entries).get(groupOf(delivery));
      if (!entry || (entry.endpoint && isFor(delivery, entry.endpoint))) return entry;
      // The read may be older than the endpoint.
      return (await table.entries([delivery], true)).get(groupOf(delivery));
    } catch (error) {
      print({ level: 'ERROR', message: 'endpoints could not be read', problem: errorOf(error).message });
      return undefined;
    }
  }

  private admissionOf(group: Group, endpoint: EndpointItem): Promise<Admitted> {
    group.admission ??= admit(group.name, group, endpoint, this.invocation);
    return group.admission;
  }

  /** Only the fleet sends to this queue, so this is another's message. */
  private async deadLetterForeign(message: QueuedMessage): Promise<Outcome> {
    const { body, sentAtMs } = message;
    const { settings, nowMs, tally } = this.invocation;
    const givenUp = { cause: 'not-an-event', reason: 'the message is not a delivery of the fleet', sentAtMs } as const;
    const isDone = await deadLetter(body, settings.fleetName, givenUp, this.invocation, tally);
    return isDone ? DONE : afterDeadLetteringFailed(message, nowMs());
  }

  /** A probe is still parked: the prober gives it up. */
  private async deadLetterRemoved(delivery: Delivery, message: QueuedMessage): Promise<Outcome> {
    const { nowMs, tally } = this.invocation;
    if (delivery.probeDueAtMs !== undefined) return DONE;
    const givenUp = { cause: 'endpoint-removed', reason: 'the endpoint was removed' } as const;
    const isDone = await deadLetterDelivery(delivery, givenUp, this.invocation, tally);
    return isDone ? DONE : afterDeadLetteringFailed(message, nowMs());
  }
}

/** An event is not younger than its message. So a sender whose clock is ahead does not lengthen the life of a message. */
function deliveryIn({ body, sentAtMs }: QueuedMessage): Delivery | undefined {
  const delivery = readDelivery(body);
  return delivery && { ...delivery, sentAtMs: Math.min(delivery.sentAtMs, sentAtMs) };
}

/** When the message comes back, its endpoint gets another attempt. */
function afterDeadLetteringFailed(message: QueuedMessage, now: number): Outcome {
  return { kind: 'hidden', untilMs: now + deadLetteringFailedDelaySeconds(message, now) * 1_000 };
}

function downReason({ health, disabledReason }: StateItem): string {
  return health === 'disabled' ? `the endpoint is disabled (${disabledReason})` : 'the endpoint is down';
}

function stepSettingsOf(
  endpoint: EndpointItem,
  { settings }: Pick<FleetPorts, 'settings'>,
): StepSettings & Pick<FleetPorts['settings'], 'retryPolicy'> {
  const { retryPolicy, jitterPercent, retryAfterCapSeconds, maxAgeSeconds } = settings;
  return {
    retryPolicy: endpoint.retryPolicy ?? retryPolicy,
    jitterPercent,
    retryAfterCapSeconds,
    maxDelaySeconds: maxAgeSeconds,
    // No queue deletes the message then: it needs no margin.
    retentionSeconds: maxAgeSeconds + RETENTION_MARGIN_SECONDS,
    fifo: false,
  };
}

/** The longest time of an attempt, with what follows it. */
function longestMs({ authorization }: EndpointItem, { totalTimeoutMs }: FleetPorts['settings']): number {
  return totalTimeoutMs + (authorization ? MAX_TOKEN_MS : 0) + RESERVE_MS;
}

/** Takes slots and turns for the messages of one endpoint, in one write. */
async function admit(
  name: EndpointName,
  { wanted, wantedProbes }: Group,
  endpoint: EndpointItem,
  { states, settings, nowMs, accessTokenOf, remainingMs, print }: DeliveryInvocation,
): Promise<Admitted> {
  const { maxPerSecond } = endpoint;
  const holdMs = longestMs(endpoint, settings);
  const askFor = ({ health }: StateItem) => (health === 'disabled' ? 0 : health === 'open' ? wantedProbes : wanted);
  const decide = (state: StateItem) =>
    admission(state, askFor(state), { maxPerSecond, holdMs, health: settings.health }, nowMs());
  // Turns must not pass while a token is asked for. Whether there is one, each attempt sees for itself.
  const accessToken = accessTokenOf(endpoint);
  if (accessToken && askFor(states.current(name)) > 0 && remainingMs() >= holdMs) await accessToken.get();
  let admitted: Admission | undefined;
  try {
    const state = await states.change(name, current => {
      admitted = decide(current);
      return admitted.state;
    });
    return {
      ...(admitted ?? decide(state)),
      state,
      left: [...(admitted?.grants ?? [])],
      places: [...(admitted?.line ?? [])],
    };
  } catch (error) {
    // Other deliverers were faster each time, or the table throttles: the messages wait.
    const { name: errorName, message: problem } = errorOf(error);
    print({ level: 'WARN', message: 'no slot was taken', group: groupOf(name), error: errorName, problem });
    const retryAtMs = nowMs() + AFTER_FAILURE_MS;
    return { grants: [], line: [], state: states.current(name), retryAtMs, left: [], places: [] };
  }
}

/** Gives back a slot without an attempt. If that fails, the slot's time ends. */
async function giveBack({ delivery }: Work, grant: Grant, { states, print }: DeliveryInvocation): Promise<void> {
  try {
    await states.change(delivery, state => released(state, grant));
  } catch (error) {
    print({ level: 'WARN', message: 'a slot was not given back', problem: errorOf(error).message });
  }
}

/** Waits for a turn. @returns whether it has come: it may be over, or far ahead if the clock was set back */
async function untilTurn({ startsAtMs }: Grant, { nowMs, wait }: DeliveryInvocation): Promise<boolean> {
  // Node's timers may fire a millisecond early.
  for (let leftMs = startsAtMs - nowMs(); leftMs > 0; leftMs = startsAtMs - nowMs()) {
    if (leftMs > LONGEST_TURN_MS) return false;
    await wait(leftMs);
  }
  return nowMs() <= startsAtMs + TURN_TOLERANCE_MS;
}

async function makeAttempt(work: Work, grant: Grant, invocation: DeliveryInvocation): Promise<Outcome> {
  const { nowMs, tally } = invocation;
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
  const mayRepeat = grant.slot === undefined && endpoint.maxPerSecond === undefined;
  // Also of an endpoint without a secret: it needs the id to recognize a message that comes again.
  const headers = { 'webhook-id': delivery.id, 'webhook-timestamp': String(Math.floor(beganAtMs / 1_000)) };
  const posted: Posted =
    ready.kind === 'ready'
      ? await ready.endpoint.post({ id: delivery.id, body: delivery.data, headers }, async () => mayRepeat)
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

async function giveUp(
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
  const { tenant, endpoint, id: deliveryId, eventId, type, data } = delivery;
  log({
    tenant,
    endpoint,
    deliveryId,
    eventId,
    type,
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
