import type { Clock } from '../../kernel/clock';
import type { Message } from '../message/message';
import type { Gauge } from '../queue/metrics';
import { firstTurn, MessageHeap, SortedMessages } from './message-collections';
import type { DeliveryOrder, MessageStore } from './message-store';

/** After this many receives in one queue, a message goes to the back and its age no longer counts. */
const POISON_RECEIVES = 3;

/**
 * The order of a standard queue. SQS promises none.
 * **Assumption SQS-16:** The oldest visible message comes first. Messages of noisy tenants come after all others, as
 * fair queues require. A message that was received three times without being deleted goes to the back, as AWS documents
 * for poison messages.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
export class StandardOrder implements DeliveryOrder {
  /** The visible messages without a group. Each counts as a quiet tenant of its own. */
  private readonly ungrouped = new SortedMessages('place', firstTurn);
  private readonly tenants: Tenants;
  private inFlight = 0;
  private readonly time = new InFlightTime();
  private isFair = false;

  constructor(private readonly clock: Clock) {
    this.tenants = new Tenants(clock);
  }

  next(): Message | undefined {
    const own = this.ungrouped.peek();
    if (!this.isFair) return own;
    const grouped = this.tenants.nextQuiet();
    if (own && grouped) return firstTurn(own, grouped) ? own : grouped;
    return own ?? grouped ?? this.tenants.nextNoisy();
  }

  arrived(message: Message): void {
    const { groupId } = message.sent;
    if (groupId === undefined) return;
    this.isFair = true;
    this.tenants.arrived(message, groupId);
  }

  entered(message: Message): void {
    const { groupId } = message.sent;
    if (message.place === 'in-flight') this.countInFlight(1);
    if (groupId !== undefined) this.tenants.entered(message, groupId, this);
    else if (message.place === 'visible') this.ungrouped.push(message);
  }

  leaving(message: Message): void {
    const { groupId } = message.sent;
    if (message.place === 'in-flight') this.countInFlight(-1);
    if (groupId !== undefined) this.tenants.leaving(message, groupId);
    else if (message.place === 'visible') this.ungrouped.remove(message);
  }

  get inFlightCount(): number {
    return this.inFlight;
  }

  /** How long its messages were in flight recently, all together. */
  get recentMs(): number {
    return this.time.recentMs(this.clock.nowMs);
  }

  private countInFlight(by: number): void {
    this.inFlight += by;
    this.time.change(this.clock.nowMs, by);
  }

  left(): boolean {
    return false;
  }

  goesToTheBack(message: Message): boolean {
    return this.isPoison(message);
  }

  isPoison(message: Message): boolean {
    return message.receivesHere >= POISON_RECEIVES;
  }

  gauges(store: MessageStore, nowMs: number): readonly Gauge[] {
    if (!this.isFair) return [];
    const loud = { visible: 0, inFlight: 0, delayed: 0 };
    for (const { visible, inFlight, delayed } of this.tenants.noisy) {
      loud.visible += visible.size;
      loud.inFlight += inFlight;
      loud.delayed += delayed;
    }
    const oldestMs = store.oldestArrivalMs(({ sent }) => !this.tenants.isNoisy(sent.groupId)) ?? nowMs;
    return [
      { name: 'ApproximateNumberOfNoisyGroups', value: this.tenants.noisy.size },
      { name: 'ApproximateNumberOfMessagesVisibleInQuietGroups', value: store.visibleCount - loud.visible },
      { name: 'ApproximateNumberOfMessagesNotVisibleInQuietGroups', value: store.inFlightCount - loud.inFlight },
      { name: 'ApproximateNumberOfMessagesDelayedInQuietGroups', value: store.delayedCount - loud.delayed },
      {
        name: 'ApproximateAgeOfOldestMessageInQuietGroups',
        value: Math.floor((nowMs - oldestMs) / 1000),
        unit: 'Seconds',
      },
    ];
  }
}

/**
 * A noisy tenant has at least this many messages in flight, and more than this share of all in-flight messages; or more than this
 * share of the recent processing time.
 */
const NOISY = { messages: 30, share: 0.1 };

/** How many tenants are remembered at least. */
const SWEEP_FROM = 1_000;

/** All tenants of a queue together. */
type Whole = Pick<StandardOrder, 'inFlightCount' | 'recentMs'>;

/** A tenant that sends nothing for this long is no longer noisy. */
const SILENT_MS = 300_000;

/**
 * The tenants of a standard queue by message group id, for AWS's fair queues. A tenant becomes noisy when more of its messages are
 * visible, and either at least 30 are in flight, which are more than a tenth of all, or its share of the recent processing time is more than
 * a tenth. It stays noisy until none of its messages is visible, or it has sent none for five minutes. Messages of quiet tenants are received first. Among
 * noisy tenants, the one with the fewest messages in flight comes first.
 * **Assumption SQS-17:** Processing time is the time in flight. AWS says neither that, nor how recent it is.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues-detailed.html
 */
class Tenants {
  private readonly byGroupId = new Map<string, Tenant>();
  private sweepFrom = SWEEP_FROM;
  private readonly noisyOnes = new Set<Tenant>();
  private readonly quiet = new MessageHeap('headSlot', firstTurn);

  constructor(private readonly clock: Clock) {}

  get noisy(): ReadonlySet<Tenant> {
    return this.noisyOnes;
  }

  isNoisy(groupId: string | undefined): boolean {
    const tenant = groupId === undefined ? undefined : this.byGroupId.get(groupId);
    return tenant !== undefined && this.noisyOnes.has(tenant);
  }

  nextQuiet(): Message | undefined {
    for (const tenant of this.noisyOnes) if (this.isSilent(tenant)) this.markQuiet(tenant);
    return this.quiet.peek();
  }

  nextNoisy(): Message | undefined {
    let next: Tenant | undefined;
    for (const tenant of this.noisyOnes) if (!next || tenant.inFlight < next.inFlight) next = tenant;
    return next?.visible.peek();
  }

  arrived(message: Message, groupId: string): void {
    if (this.byGroupId.size >= this.sweepFrom) this.sweep();
    const tenant = this.byGroupId.get(groupId) ?? new Tenant();
    this.byGroupId.set(groupId, tenant);
    tenant.lastSentMs = message.arrivedAtMs;
  }

  entered(message: Message, groupId: string, whole: Whole): void {
    const tenant = this.byGroupId.get(groupId);
    if (!tenant) return;
    if (message.place === 'visible') tenant.visible.push(message);
    else if (message.place === 'in-flight') tenant.countInFlight(1, this.clock.nowMs);
    else tenant.delayed += 1;
    if (this.isTooNoisy(tenant, whole)) this.noisyOnes.add(tenant);
    this.offer(tenant);
  }

  leaving(message: Message, groupId: string): void {
    const tenant = this.byGroupId.get(groupId);
    if (!tenant) return;
    if (message.place === 'visible') tenant.visible.remove(message);
    else if (message.place === 'in-flight') tenant.countInFlight(-1, this.clock.nowMs);
    else tenant.delayed -= 1;
    if (tenant.visible.size === 0) this.noisyOnes.delete(tenant);
    this.offer(tenant);
  }

  /** Forgets tenants without messages, unless their recent processing time still counts. */
  private sweep(): void {
    const { nowMs } = this.clock;
    for (const [groupId, { size, time }] of this.byGroupId) {
      if (size === 0 && time.recentMs(nowMs) === 0) this.byGroupId.delete(groupId);
    }
    this.sweepFrom = Math.max(SWEEP_FROM, 2 * this.byGroupId.size);
  }

  private isTooNoisy(tenant: Tenant, whole: Whole): boolean {
    if (tenant.visible.size === 0 || this.isSilent(tenant)) return false;
    const { messages, share } = NOISY;
    if (tenant.inFlight >= messages && tenant.inFlight > whole.inFlightCount * share) return true;
    return tenant.time.recentMs(this.clock.nowMs) > whole.recentMs * share;
  }

  private isSilent({ lastSentMs }: Tenant): boolean {
    return this.clock.nowMs >= lastSentMs + SILENT_MS;
  }

  private markQuiet(tenant: Tenant): void {
    this.noisyOnes.delete(tenant);
    this.offer(tenant);
  }

  /** Offers the first visible message of a quiet tenant, and none of a noisy tenant. */
  private offer(tenant: Tenant): void {
    const head = this.noisyOnes.has(tenant) ? undefined : tenant.visible.peek();
    if (tenant.offered === head) return;
    if (tenant.offered) this.quiet.remove(tenant.offered);
    if (head) this.quiet.push(head);
    tenant.offered = head;
  }
}

class Tenant {
  readonly visible = new MessageHeap('placeSlot', firstTurn);
  readonly time = new InFlightTime();
  delayed = 0;
  inFlight = 0;
  lastSentMs = Number.NEGATIVE_INFINITY;
  /** Its message among the first messages of the quiet tenants. */
  offered: Message | undefined;

  countInFlight(by: number, nowMs: number): void {
    this.inFlight += by;
    this.time.change(nowMs, by);
  }

  get size(): number {
    return this.visible.size + this.delayed + this.inFlight;
  }
}

/** **Assumption SQS-17:** How recent "recent" is: this window and the one before. */
const WINDOW_MS = 300_000;

/** How long messages were in flight recently, all together. */
class InFlightTime {
  private inFlight = 0;
  private sinceMs = 0;
  private windowStartMs = 0;
  private currentMs = 0;
  private previousMs = 0;

  /** @param by how many more messages are in flight from now on */
  change(nowMs: number, by: number): void {
    this.advance(nowMs);
    this.inFlight += by;
  }

  recentMs(nowMs: number): number {
    this.advance(nowMs);
    return this.previousMs + this.currentMs;
  }

  private advance(nowMs: number): void {
    const startMs = nowMs - (nowMs % WINDOW_MS);
    if (startMs !== this.windowStartMs) {
      const wholeMs = this.currentMs + this.inFlight * (this.windowStartMs + WINDOW_MS - this.sinceMs);
      const isNext = startMs === this.windowStartMs + WINDOW_MS;
      this.previousMs = isNext ? wholeMs : this.inFlight * WINDOW_MS;
      this.currentMs = 0;
      this.windowStartMs = startMs;
      this.sinceMs = startMs;
    }
    this.currentMs += this.inFlight * (nowMs - this.sinceMs);
    this.sinceMs = nowMs;
  }
}
