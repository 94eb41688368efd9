import { isPoison } from './message-history';
import type { Fate, Traffic } from './traffic';

/** The kinds of changes that make a deployment unsafe, unless they are accepted. */
export const FAILING_KINDS = [
  'stops-arriving',
  'runs-less-often',
  'loses-its-dead-letter-queue',
  'lost',
  'dead-lettered',
  'left-behind',
] as const;

/**
 * What a deployment changes for messages that a receiver gets today. `stops-arriving`: the new version by itself does not deliver
 * them either. `runs-less-often`: a schedule sends fewer. `loses-its-dead-letter-queue`: the new version loses what the receiver does not
 * take, and the old one keeps it. The others happen although both versions deliver. `lost`: no queue has them.
 * `dead-lettered`: a dead-letter queue has them, also after they were received. `left-behind`: another queue has them, from which nothing receives. `late`: they come more than a minute
 * later. `duplicated`: they come more often.
 */
export type DeliveryChangeKind = (typeof FAILING_KINDS)[number] | 'late' | 'duplicated';

export const isFailing = (kind: string): boolean => FAILING_KINDS.some(it => it === kind);

/** The same traffic, played three times. */
export interface Plays {
  /** The old version by itself. */
  readonly old: Traffic;
  /** The old version while it is updated to the new one, and after it. */
  readonly updated: Traffic;
  /** The new version by itself; the old one if CloudFormation rolls the update back; undefined if it cannot be created by itself. */
  readonly next: Traffic | undefined;
  /** How long the update took; undefined if CloudFormation rolls it back. */
  readonly seconds: number | undefined;
}

/** A message of which one receiver gets something else than it gets today. */
export interface ChangedDelivery {
  readonly receiver: string;
  readonly kind: DeliveryChangeKind;
  readonly fate: Fate;
}

const LATE_SECONDS = 60;

/** Compares what each receiver gets during and after the update with what it gets from the old version. */
export function changedDeliveries(plays: Plays): readonly ChangedDelivery[] {
  const { old, updated, next } = plays;
  return [...updated.fates].flatMap(([key, fate]) => {
    const message = new Message(plays, fate, old.fates.get(key), next?.fates.get(key));
    return message.changes();
  });
}

/** One message of the traffic in the three plays. */
class Message {
  constructor(
    private readonly plays: Plays,
    private readonly now: Fate,
    private readonly before: Fate | undefined,
    private readonly after: Fate | undefined,
  ) {}

  changes(): readonly ChangedDelivery[] {
    const { now, before } = this;
    const change = (receiver: string, kind: DeliveryChangeKind | undefined) =>
      kind === undefined ? [] : [{ receiver, kind, fate: now }];
    const kept = [...(before?.kept ?? [])].flatMap(queue => change(queue, this.changeOfKept(queue)));
    // A message that makes every handler fail reaches no receiver in any version. It takes those of its batch with it.
    if (isPoison(now.token) || now.failedAt.size > 0) return kept;
    const received = [...(before?.received.keys() ?? [])].flatMap(it => change(it, this.changeOf(it)));
    const added = this.newReceivers().flatMap(it => change(it, this.isMissing(it) ? this.gone() : undefined));
    return [...received, ...kept, ...added];
  }

  /** After the update, what the new version adds must work. */
  private newReceivers(): readonly string[] {
    const { seconds } = this.plays;
    if (seconds === undefined || this.now.sentAt < seconds) return [];
    return [...(this.after?.received.keys() ?? [])].filter(it => !this.before?.received.has(it));
  }

  private changeOf(receiver: string): DeliveryChangeKind | undefined {
    const [usual, receipt] = [this.before?.received.get(receiver), this.now.received.get(receiver)];
    if (usual && receipt) {
      if (this.isDeadToo(receiver)) return 'dead-lettered';
      if (receipt.count > usual.count) return 'duplicated';
      return receipt.afterSeconds > usual.afterSeconds + LATE_SECONDS ? 'late' : undefined;
    }
    if (!this.isMissing(receiver)) return undefined;
    const { after, plays } = this;
    const stops = !(after && plays.next) || this.isMissing(receiver, after, plays.next);
    return stops && this.isOfNewVersion() ? 'stops-arriving' : this.gone();
  }

  /** Whether a message that a function has processed is also in the dead-letter queue of its queue. */
  private isDeadToo(receiver: string): boolean {
    const { updated } = this.plays;
    const groups = [...updated.groups.values()].filter(it => it.has(receiver));
    return this.newlyKept(this.now).some(queue => updated.isDead(queue) && groups.some(it => it.has(queue)));
  }

  /** What was sent before the update was sent to the old version. */
  private isOfNewVersion(): boolean {
    return this.now.sentAt >= 0 && this.plays.seconds !== undefined;
  }

  /** Whether neither a receiver got a message, nor one that has taken its place at the same queue. */
  private isMissing(receiver: string, fate = this.now, { groups } = this.plays.updated): boolean {
    if (fate.received.has(receiver)) return false;
    const others = [...fate.received.keys()].filter(it => !this.before?.received.has(it));
    return ![...groups.values()].some(group => group.has(receiver) && others.some(it => group.has(it)));
  }

  /** What happens to a message that does not arrive. AWS tells the sender if it refuses one during the update. */
  private gone(): DeliveryChangeKind | undefined {
    const { now, plays } = this;
    if (now.refused !== undefined && plays.seconds !== undefined && now.sentAt < plays.seconds) return undefined;
    const added = this.newlyKept(now);
    if (added.length === 0) return 'lost';
    return added.some(it => plays.updated.isDead(it)) ? 'dead-lettered' : 'left-behind';
  }

  private newlyKept({ kept }: Fate): readonly string[] {
    return [...kept].filter(it => !this.before?.kept.has(it));
  }

  /** What changes for a message that is in a queue in the end: dead, or waiting for a consumer that does not receive. */
  private changeOfKept(queue: string): DeliveryChangeKind | undefined {
    const { now, after, plays } = this;
    const isDead = plays.old.isDead(queue);
    // A message that fails must be dead in the end. What reaches no function any more is in the changes of the function.
    if (isPoison(now.token) && !(isDead && now.failedAt.size > 0)) return undefined;
    const isHeld = (fate: Fate, traffic: Traffic) =>
      fate.kept.has(queue) ||
      // No receiver can do anything with a message that makes every handler fail: it must be kept.
      (!isPoison(now.token) && [...fate.received.keys()].some(it => !this.before?.received.has(it))) ||
      this.newlyKept(fate).some(it => traffic.owns(it) && traffic.isDead(it) === isDead);
    if (isHeld(now, plays.updated)) return undefined;
    if (this.isOfNewVersion() && !(after && plays.next && isHeld(after, plays.next))) return 'stops-arriving';
    const added = this.newlyKept(now);
    if (added.length === 0) return 'lost';
    return !isDead && added.some(it => plays.updated.isDead(it)) ? 'dead-lettered' : 'left-behind';
  }
}
