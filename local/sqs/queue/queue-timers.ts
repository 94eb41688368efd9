import { MINUTE_MS } from '../../../policy/time-units';
import type { Scheduled, Scheduler, Task } from '../../kernel/timeline';
import { ACTIVE_FOR_MS } from '../limits';
import type { MessageStore } from '../message-store/message-store';
import type { QueueMetrics } from './metrics';
import type { Receivers } from './receivers';

/** Schedules work at the next instant at which a message becomes visible. */
export class NextReturn {
  private atMs: number | undefined;
  private work: Scheduled | undefined;
  private readonly task: Task;

  constructor(
    private readonly scheduler: Scheduler,
    look: () => void,
  ) {
    this.task = () => {
      this.atMs = undefined;
      look();
    };
  }

  /** @param atMs undefined when no message is hidden */
  plan(atMs: number | undefined): void {
    if (this.atMs === atMs) return;
    if (this.atMs !== undefined) this.work?.cancel();
    this.atMs = atMs;
    if (atMs !== undefined) this.work = this.scheduler.at(atMs, this.task);
  }
}

/**
 * Schedules work for the first expiry. It runs in the background: if it runs too early it finds nothing due and
 * schedules the next, so deletes need not change the plan.
 */
export class NextExpiry {
  private atMs = Number.POSITIVE_INFINITY;
  private work: Scheduled | undefined;
  private readonly task: Task;

  constructor(
    private readonly scheduler: Scheduler,
    look: () => void,
  ) {
    this.task = () => {
      this.atMs = Number.POSITIVE_INFINITY;
      look();
    };
  }

  plan(atMs: number): void {
    if (this.atMs <= atMs) return;
    this.work?.cancel();
    this.atMs = atMs;
    this.work = this.scheduler.inBackground(atMs, this.task);
  }

  stop(): void {
    this.work?.cancel();
  }
}

/**
 * Lambda polls a queue with at least five pollers, each for 20 s at a time. The simulated event source mapping is
 * notified instead, so the empty receives of those polls are counted for it.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
const EMPTY_RECEIVES_A_MINUTE = 15;

/**
 * Measures a queue every full minute while it is active: while it holds messages, and for six hours after the last
 * call, of which each poll of a mapping is one. It runs in the background, and an idle queue costs nothing.
 *
 * **Assumption SQS-25:** AWS calls a queue active "for up to six hours if it contains messages or if any action accesses it".
 * That can also mean that the metrics of a queue with messages stop after six hours without a call.
 * **Assumption SQS-27:** The age of the oldest message of an active queue without messages is 0, and is reported.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
export class Gauges {
  private next: Scheduled | undefined;
  private lastUsedMs = 0;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly store: MessageStore,
    private readonly metrics: QueueMetrics,
    private readonly receivers: Receivers,
  ) {}

  touch(): void {
    this.lastUsedMs = this.scheduler.nowMs;
    if (!this.next) this.sampleNextMinute();
  }

  stop(): void {
    this.next?.cancel();
  }

  private sampleNextMinute(): void {
    const nextMinuteMs = (Math.floor(this.scheduler.nowMs / MINUTE_MS) + 1) * MINUTE_MS;
    this.next = this.scheduler.inBackground(nextMinuteMs, () => this.sample());
  }

  private sample(): void {
    const { nowMs } = this.scheduler;
    const oldestMs = this.store.oldestArrivalMs() ?? nowMs;
    this.metrics.put('ApproximateNumberOfMessagesVisible', this.store.visibleCount);
    this.metrics.put('ApproximateNumberOfMessagesNotVisible', this.store.inFlightCount);
    this.metrics.put('ApproximateNumberOfMessagesDelayed', this.store.delayedCount);
    this.metrics.put('ApproximateAgeOfOldestMessage', Math.floor((nowMs - oldestMs) / 1000), 'Seconds');
    const polls = this.receivers.listening * EMPTY_RECEIVES_A_MINUTE;
    // A listener that leaves receivable messages in the queue is denied: its polls are refused, not empty.
    if (polls > 0 && !this.store.isReceivable) this.metrics.put('NumberOfEmptyReceives', polls);
    for (const { name, value, unit } of this.store.gauges(nowMs)) this.metrics.put(name, value, unit);
    this.next = undefined;
    if (polls > 0) this.lastUsedMs = nowMs;
    if (this.store.size > 0 || nowMs - this.lastUsedMs < ACTIVE_FOR_MS) this.sampleNextMinute();
  }
}
