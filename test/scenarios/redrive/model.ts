import type { Message } from '@aws-sdk/client-sqs';
import { AwsError } from '../../../local/kernel/aws-error';
import { Faults } from '../../../local/kernel/faults';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Timeline } from '../../../local/kernel/timeline';
import { Trace, type Traced } from '../../../local/kernel/trace';
import { Sqs, type SqsTraceEvent } from '../../../local/sqs';
import { totalOf } from '../../../policy/redrive/budget';
import type { HealthAlarmFacts, MoveFacts, QueueDepth, RedriveFacts } from '../../../policy/redrive/redrive-facts';
import { withActivity } from '../../../policy/redrive/redrive-runs';
import type { RedriveSettings } from '../../../policy/redrive/redrive-settings';
import { DAY_MS, MINUTE_MS } from '../../../policy/time-units';
import { ADMIN, START_MS } from '../../local/sqs/sqs-fixture';

/** The actual rate of a slow task, in messages a second. */
const SLOW_RATE = 1;

/** SQS moves a message after two receives, each of which hides it for 15 s. */
const MAX_RECEIVES = 2;
const VISIBILITY_SECONDS = '15';

/** The number of messages that the consumer receives at once. */
const MOST_AT_ONCE = 20;

/** Whether messages go to the source queue or a lane, which also determines where repeated failures go. */
export type Topology = 'source' | 'lane';

/** The current and previous state of an alarm. */
type Alarm = Omit<HealthAlarmFacts, 'name'>;

/**
 * A dead-letter queue, its destination and a consumer, on the embedded SQS: a queue whose failures come back, or a lane
 * whose failures go to a quarantine, with an anchor queue that lets SQS move the dead letters.
 */
export class RedriveModel {
  readonly timeline = new Timeline(START_MS);
  readonly trace = new Trace<SqsTraceEvent>(this.timeline);
  /** Whether all sends are denied, including those of tasks. */
  isDenied = false;
  readonly sqs = new Sqs({
    place: EXAMPLE_PLACE,
    timeline: this.timeline,
    random: new Random('redrive model'),
    access: {
      decide: ({ action }) => ({ allowed: !(this.isDenied && action === 'sqs:SendMessage'), reason: 'the model' }),
    },
    keys: { decide: () => ({ allowed: true, reason: 'the model' }) },
    faults: new Faults(this.timeline),
    metrics: { put: () => undefined },
    trace: this.trace,
  });
  readonly dlq = this.createQueue('dlq');
  readonly quarantine = this.createQueue('quarantine');
  readonly other = this.createQueue('other');
  readonly destination: string;
  readonly processed: string[] = [];
  readonly alarms = new Map<string, Alarm>();
  killSwitch: RedriveFacts['killSwitch'] = 'on';
  isBroken = false;
  /** Whether the consumer receives nothing although its event source mapping is enabled. */
  isHung = false;
  isMappingEnabled = true;
  sent = 0;
  private readonly deletedAtMs: number[] = [];
  /** When messages were sent to the destination directly. */
  private readonly sentHomeAtMs: number[] = [];
  /** The depths that CloudWatch reports: by the minute on AWS, by the tick here. */
  private readonly depths = new Map<string, number>();
  /** The requested rates of the redrive's tasks, by start time. SQS may be slower. */
  readonly rates = new Map<number, number>();
  /** The messages that tasks had moved by the last tick, by start time. */
  private readonly movedByTick = new Map<number, number>();
  private messagesByTick: QueueDepth | undefined;
  /** When the function reported that it moves messages. */
  private readonly seenMovingAtMs: number[] = [];

  constructor(
    readonly topology: Topology,
    private readonly tickMs: number,
    /** Whether tasks are slower than their rates, or counts are reported one tick late. */
    readonly sqsIs: 'exact' | 'slow' | 'late' = 'exact',
  ) {
    const queue = (name: string, deadLetters: string) =>
      this.createQueue(name, {
        VisibilityTimeout: VISIBILITY_SECONDS,
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: this.arnOf(deadLetters), maxReceiveCount: MAX_RECEIVES }),
      });
    if (topology === 'lane') queue('anchor', this.dlq);
    this.destination = queue('destination', topology === 'lane' ? this.quarantine : this.dlq);
  }

  arnOf(url: string): string {
    return this.sqs.queueByUrl(url)?.arn ?? `no queue at ${url}`;
  }

  happened<Type extends SqsTraceEvent['type']>(type: Type): Traced<Extract<SqsTraceEvent, { type: Type }>>[] {
    const isOfType = (it: Traced<SqsTraceEvent>): it is Traced<Extract<SqsTraceEvent, { type: Type }>> =>
      it.type === type;
    return this.trace.events.filter(isOfType);
  }

  get nowMs(): number {
    return this.timeline.nowMs;
  }

  /**
   * Sends new messages: to the destination if that is the source queue, otherwise to the dead-letter queue. A sender that is
   * denied keeps its messages.
   */
  arrive(count: number, kind: 'good' | 'poison'): void {
    const url = this.topology === 'lane' ? this.dlq : this.destination;
    for (let i = 0; i < count; i += 1) {
      const isSent = this.attempt(() => this.send(url, `${kind}-${this.sent}`));
      this.sent += isSent ? 1 : 0;
    }
  }

  /** Adds dead letters at the beginning. */
  deadLetterMessage(count: number): void {
    for (let i = 0; i < count; i += 1) this.send(this.dlq, `good-${this.sent + i}`);
    this.sent += count;
  }

  /** Runs the consumer, which fails on poison, or on every message. */
  consume(): void {
    if (!this.isMappingEnabled || this.isHung) return;
    for (let taken = 0; taken < MOST_AT_ONCE; taken += 10) {
      const batch = this.receive(this.destination);
      if (batch.length === 0) return;
      for (const message of batch.filter(({ Body = '' }) => !this.isBroken && !Body.startsWith('poison'))) {
        const { ReceiptHandle } = message;
        this.sqs.call('DeleteMessage', ADMIN, { QueueUrl: this.destination, ReceiptHandle });
        this.processed.push(message.Body ?? '');
        this.deletedAtMs.push(this.nowMs);
      }
    }
  }

  /** Receives the dead letters like an operator who looks at them, which hides them for a while. */
  peek(): void {
    this.receive(this.dlq, 40);
  }

  setAlarm(name: string, state: HealthAlarmFacts['state']): void {
    const before = this.alarms.get(name)?.state;
    if (before === state) return;
    if (state === 'missing') {
      this.alarms.delete(name);
      return;
    }
    this.alarms.set(name, { state, sinceMs: this.nowMs, recovered: before === 'ALARM' && state === 'OK' });
  }

  /** Starts a task, which may be slower than its rate. */
  startMoving(destinationArn: string, messagesPerSecond: number): boolean {
    const isBegun = this.attempt(() =>
      this.sqs.call('StartMessageMoveTask', ADMIN, {
        SourceArn: this.arnOf(this.dlq),
        DestinationArn: destinationArn,
        MaxNumberOfMessagesPerSecond: this.sqsIs === 'slow' ? SLOW_RATE : messagesPerSecond,
      }),
    );
    const [task] = this.moves();
    if (isBegun && task) this.rates.set(task.startedAtMs, messagesPerSecond);
    return isBegun;
  }

  /** Records in CloudWatch that the function saw messages moving. */
  seeMoving(): void {
    this.seenMovingAtMs.push(Math.floor(this.nowMs / MINUTE_MS) * MINUTE_MS);
  }

  /** Records the metrics of the two queues, and the counts that are reported late. */
  measure(): void {
    const depthOf = this.depthsNow();
    this.messagesByTick = depthOf(this.dlq);
    for (const { startedAtMs, moved } of this.moves()) this.movedByTick.set(startedAtMs, moved);
    for (const url of [this.dlq, this.quarantine]) {
      this.depths.set(this.minuteOf(url, this.nowMs), totalOf(depthOf(url)));
    }
  }

  /** Makes a call that AWS may refuse, because another task runs or this one is over. Returns whether it succeeded. */
  attempt(call: () => void): boolean {
    try {
      call();
      return true;
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      return false;
    }
  }

  facts(
    settings: RedriveSettings,
    trigger: RedriveFacts['trigger'],
    settledAtMs: (moves: readonly MoveFacts[]) => number | undefined,
  ): RedriveFacts {
    const moves = withActivity(this.moves().map(this.reported), this.seenMovingAtMs);
    const depthOf = this.depthsNow();
    const settled = settledAtMs(moves);
    const tenth = moves[9];
    const messages = settled === undefined ? undefined : this.depths.get(this.minuteOf(this.dlq, settled));
    return {
      nowMs: this.nowMs,
      trigger,
      killSwitch: this.killSwitch,
      deadLetters: (this.sqsIs === 'late' && this.messagesByTick) || depthOf(this.dlq),
      destination: {
        depth: depthOf(this.destination),
        ...this.deletedSince(moves[0]?.startedAtMs ?? 0),
        ...(settled !== undefined && this.sentSince(settled - settings.settleMs)),
      },
      moves,
      isMovesComplete: tenth === undefined || tenth.startedAtMs <= this.nowMs - DAY_MS,
      alarms: [...this.alarms].map(([name, alarm]) => ({ name, ...alarm })),
      mappings: settings.mappingIds.map(id => ({ id, state: this.isMappingEnabled ? 'Enabled' : 'Disabled' })),
      ...(this.topology === 'lane' && { failures: this.failures(depthOf, moves[0]?.startedAtMs, settled) }),
      ...(messages !== undefined && { deadLettersWhenSettled: messages }),
    };
  }

  moves(): readonly MoveFacts[] {
    const { Results = [] } = this.sqs.call('ListMessageMoveTasks', ADMIN, {
      SourceArn: this.arnOf(this.dlq),
      MaxResults: 10,
    });
    return Results.map(result => ({
      carrier: 'task',
      status: statusOf(result.Status),
      startedAtMs: result.StartedTimestamp ?? 0,
      moved: result.ApproximateNumberOfMessagesMoved ?? 0,
      ...(result.TaskHandle !== undefined && { handle: result.TaskHandle }),
      ...(result.MaxNumberOfMessagesPerSecond !== undefined && {
        messagesPerSecond: result.MaxNumberOfMessagesPerSecond,
      }),
      ...(result.DestinationArn !== undefined && { destinationArn: result.DestinationArn }),
      ...(result.ApproximateNumberOfMessagesToMove !== undefined && {
        toMove: result.ApproximateNumberOfMessagesToMove,
      }),
      ...(result.FailureReason !== undefined && { failureReason: result.FailureReason }),
    }));
  }

  /** A task as SQS reports it to the function. */
  private readonly reported = (move: MoveFacts): MoveFacts => {
    const { startedAtMs, status } = move;
    const messagesPerSecond = this.rates.get(startedAtMs);
    const moved = this.sqsIs === 'late' && status === 'RUNNING' ? (this.movedByTick.get(startedAtMs) ?? 0) : move.moved;
    return { ...move, moved, ...(messagesPerSecond !== undefined && { messagesPerSecond }) };
  };

  /** Returns the current depth of each queue, by its URL. */
  private depthsNow(): (url: string) => QueueDepth {
    const all = this.sqs.depths();
    return url => {
      const { visible = 0, inFlight = 0, delayed = 0 } = all.find(depth => depth.url === url) ?? {};
      return { visible, inFlight, delayed };
    };
  }

  /** Returns the bodies of all remaining messages. */
  left(): string[] {
    const bodies: string[] = [];
    for (const url of [this.destination, this.dlq, this.quarantine, this.other]) {
      for (let batch = this.receive(url, 3_600); batch.length > 0; batch = this.receive(url, 3_600)) {
        bodies.push(...batch.map(({ Body = '' }) => Body));
      }
    }
    return bodies;
  }

  private createQueue(QueueName: string, Attributes: Record<string, string> = {}): string {
    return this.sqs.call('CreateQueue', ADMIN, { QueueName, Attributes }).QueueUrl ?? '';
  }

  private send(QueueUrl: string, MessageBody: string): void {
    this.sqs.call('SendMessage', ADMIN, { QueueUrl, MessageBody });
    if (QueueUrl === this.destination) this.sentHomeAtMs.push(this.nowMs);
  }

  private receive(QueueUrl: string, VisibilityTimeout?: number): readonly Message[] {
    const input = { QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 0, VisibilityTimeout };
    const answer = this.sqs.call('ReceiveMessage', ADMIN, input);
    if (answer instanceof Promise) throw new Error('a short poll must answer at once');
    return answer.Messages ?? [];
  }

  private minuteOf(url: string, atMs: number): string {
    return `${url} ${Math.floor(atMs / this.tickMs)}`;
  }

  /** Counts whole ticks, and reports them one tick late. */
  private deletedSince(fromMs: number): { readonly deleted?: number } {
    const from = Math.floor(fromMs / this.tickMs) * this.tickMs;
    const count = this.deletedAtMs.filter(atMs => atMs >= from && atMs < this.nowMs - this.tickMs).length;
    return count > 0 ? { deleted: count } : {};
  }

  /** Counts from the next whole tick, and reports one tick late. */
  private sentSince(fromMs: number): { readonly sentSince: number } {
    const from = (Math.floor(fromMs / this.tickMs) + 1) * this.tickMs;
    const isCounted = (atMs: number) => atMs >= from && atMs < this.nowMs - this.tickMs;
    return { sentSince: this.sentHomeAtMs.filter(isCounted).length };
  }

  private failures(
    depthOf: (url: string) => QueueDepth,
    startedAtMs: number | undefined,
    settledAtMs: number | undefined,
  ) {
    const at = (atMs: number) => this.depths.get(this.minuteOf(this.quarantine, atMs));
    const whenSettled = settledAtMs === undefined ? undefined : at(settledAtMs);
    const atStart = startedAtMs === undefined ? 0 : (at(startedAtMs) ?? 0);
    return { now: totalOf(depthOf(this.quarantine)), atStart, ...(whenSettled !== undefined && { whenSettled }) };
  }
}

function statusOf(status: string | undefined): MoveFacts['status'] {
  switch (status) {
    case 'RUNNING':
    case 'COMPLETED':
    case 'CANCELLING':
    case 'CANCELLED':
    case 'FAILED':
      return status;
    default:
      throw new Error(`SQS tells of a task that is ${status}`);
  }
}
