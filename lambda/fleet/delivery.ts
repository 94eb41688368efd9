import type { EndpointEntry, ReadEntry } from '../../fleet/fleet-store';
import { attemptsMade, stepSettingsOf } from '../../policy/fleet/attempt-step';
import { groupOf } from '../../policy/fleet/endpoint';
import type { EndpointItem, StateItem } from '../../policy/fleet/fleet-items';
import { type Delivery, isFor, readDelivery } from '../../policy/fleet/fleet-messages';
import { placementOf } from '../../policy/fleet/placement';
import { type Admitted, admit, type Group, giveBack, longestMs } from './admit';
import { giveUp, makeAttempt } from './attempt';
import { deadLetter, deadLetterDelivery } from './dead-letters';
import type { QueuedMessage } from './ports';
import {
  afterDeadLetteringFailed,
  afterFailure,
  type DeliveryInvocation,
  DONE,
  type Outcome,
  type ReceivedDelivery,
} from './received-delivery';
import { giveUpAtMs } from './states';
import { parkReceived, waitForTurn, waitInLine } from './waiting';

type Entries = Promise<ReadonlyMap<string, ReadEntry>>;

/** The messages of one receive. Their endpoints and states are read together. */
export class MessageBatch {
  private readonly deliveries: ReadonlyMap<QueuedMessage, Delivery | undefined>;
  private readonly groups = new Map<string, Group>();
  private entries: Entries | undefined;

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
    if (invocation.remainingMs() < longestMs(endpoint.authorization !== undefined, settings))
      return isProbe ? DONE : afterFailure(message, nowMs());
    states.learn(delivery, read);
    const admitted = await this.admissionOf(group, endpoint);
    const { state } = admitted;
    // It is still parked: the prober sends it again.
    if (isProbe && state.health !== 'open') return DONE;
    const placement = placementOf({ giveUpAtMs: giveUpAtMs(delivery, invocation), isProbe }, state, nowMs());
    const stepSettings = stepSettingsOf(endpoint, settings);
    const attempt = attemptsMade(stepSettings, delivery.attempts, message, nowMs());
    const received: ReceivedDelivery = { message, delivery, endpoint, settings: stepSettings, attempt };
    if (placement === 'too-old') {
      const reason = `${downReason(state)}, and the message is older than ${settings.maxAgeSeconds} seconds`;
      return giveUp(received, { cause: 'retention-spent', reason }, undefined, invocation);
    }
    if (placement === 'park')
      return parkReceived(received, { attempts: attempt, reason: downReason(state) }, invocation);
    const grant = admitted.left.shift();
    if (!grant) {
      if (admitted.isRefused) return isProbe ? DONE : afterFailure(message, nowMs());
      const comesBackAtMs = admitted.places.shift();
      if (comesBackAtMs !== undefined) return waitInLine(received, comesBackAtMs, invocation);
      group.refused += 1;
      return waitForTurn(received, state, admitted.retryAtMs, group.refused, invocation);
    }
    if (
      invocation.remainingMs() <
      grant.startsAtMs - nowMs() + longestMs(endpoint.authorization !== undefined, settings)
    ) {
      await giveBack(received, grant, invocation);
      return isProbe ? DONE : { kind: 'hidden', untilMs: nowMs() };
    }
    return makeAttempt(received, grant, invocation);
  }

  private async entryOf(delivery: Delivery): Promise<EndpointEntry | undefined> {
    const { invocation } = this;
    const { table, tally } = invocation;
    const group = groupOf(delivery);
    this.entries ??= table.entries([...this.groups.values()].map(({ name }) => name));
    try {
      const entry = readIn(await this.entries, group);
      if (entry.endpoint && isFor(delivery, entry.endpoint)) return entry;
      // The read may be older than the endpoint.
      return readIn(await table.entries([delivery], true), group);
    } catch (error) {
      tally.broken(invocation, 'an endpoint could not be read', error, { delivery: delivery.id });
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

/** @throws if DynamoDB did not read it, or what it read is no entry */
function readIn(entries: Awaited<Entries>, group: string): EndpointEntry {
  const read = entries.get(group);
  if (!read) throw new Error(`DynamoDB left ${group} unread`);
  return read();
}

/** An event is not younger than its message. So a sender whose clock is ahead does not lengthen the life of a message. */
function deliveryIn({ body, sentAtMs }: QueuedMessage): Delivery | undefined {
  const delivery = readDelivery(body);
  return delivery && { ...delivery, sentAtMs: Math.min(delivery.sentAtMs, sentAtMs) };
}

function downReason({ health, disabledReason }: StateItem): string {
  return health === 'disabled' ? `the endpoint is disabled (${disabledReason})` : 'the endpoint is down';
}
