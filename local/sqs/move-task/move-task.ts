import type { ListMessageMoveTasksResultEntry } from '@aws-sdk/client-sqs';
import { AwsError } from '../../kernel/aws-error';
import { afterLatency, type Caller, type Latency } from '../../kernel/caller';
import type { Clock } from '../../kernel/clock';
import type { Scheduled } from '../../kernel/timeline';
import { messageTooLong, queueDoesNotExist } from '../errors';
import { MAX_ACTIVE_MOVE_TASKS, MAX_MOVE_TASK_MS, MAX_MOVES_PER_SECOND } from '../limits';
import type { Message, SentMessage } from '../message/message';
import { encryptionOf } from '../queue/encryption';
import type { Queue } from '../queue/queue';
import {
  alreadyRunning,
  checkMayMove,
  type MoveTaskDependencies,
  notCancellable,
  taskHandle,
  tooManyTasks,
} from './move-task-rules';

interface MoveOrder {
  readonly source: Queue;
  /** @default each message returns to the queue whose redrive policy moved it to `source` */
  readonly destinationArn: string | undefined;
  /**
   * Messages per second, 1 to 500. @default 500. **Assumption TASK-4:** AWS "optimizes the rate" and publishes only the
   * maximum.
   */
  readonly maxPerSecond: number | undefined;
  /** The caller on whose behalf every message is received, sent and deleted. */
  readonly starter: Caller;
}

type EndStatus = 'COMPLETED' | 'CANCELLED' | 'FAILED';

interface End {
  readonly status: EndStatus;
  readonly failureReason?: string;
}

/**
 * Delay of the reported number of moved messages while a task is active. **Assumption TASK-5:** AWS does not publish
 * this.
 */
const COUNT_LAG_MS = 5_000;

/** How long a cancelled task still moves messages. **Assumption TASK-6:** In two recordings it took seconds. */
const CANCELLING_MS = 3_000;

/** Delay before a task retries after a server error. **Assumption TASK-7:** AWS does not publish this. */
const RETRY_MS = 5_000;

/**
 * Failure reasons of AWS are error codes, recorded or documented. **Assumption TASK-8:** AWS does not publish this one.
 */
const RAN_TOO_LONG = 'MaximumTaskDurationExceeded';

/** The message move tasks of the account. Deleting a queue also forgets its tasks. */
export class MoveTasks {
  private readonly bySource = new WeakMap<Queue, MoveTask[]>();
  private active = 0;

  constructor(private readonly dependencies: MoveTaskDependencies) {}

  /** The last ten tasks of a source, newest first. */
  of(source: Queue): readonly MoveTask[] {
    return this.bySource.get(source) ?? [];
  }

  start(order: MoveOrder): MoveTask {
    const earlier = this.of(order.source);
    if (earlier.some(({ isActive }) => isActive)) throw alreadyRunning();
    if (this.active >= MAX_ACTIVE_MOVE_TASKS) throw tooManyTasks();
    this.active += 1;
    const task = new MoveTask(this.dependencies.context.random.uuid(), order, this.dependencies, () => {
      this.active -= 1;
    });
    this.bySource.set(order.source, [task, ...earlier].slice(0, REMEMBERED));
    return task;
  }
}

/**
 * One message move task. It moves the visible messages of its source one by one, in the order in which they would be
 * received, at an even pace that never exceeds the rate. It ends when no message is visible at its next step. Messages
 * in flight stay, as does a message that the task cannot move.
 * A moved message is a new message: it has a new id, was sent now and never received, and is kept for the whole
 * retention period of its new queue.
 * **Assumption TASK-9:** Body, attributes, trace header, message group and sender stay the same, and the new message
 * has no dead-letter source queue. AWS documents only ids and times.
 * **Assumption TASK-10:** The deduplication id of a moved message is its old message id. The destination accepts it
 * even if it has seen that id, as it does for a redrive policy. Otherwise the task would lose the message as a
 * duplicate.
 * When a fault makes SQS slow, the task waits for the responses to the receive, the send and the delete before it moves
 * the next message.
 * **Assumption TASK-11:** In the metrics, the source counts the message as received and deleted, and the destination
 * counts it as sent.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
class MoveTask {
  private status: 'RUNNING' | 'CANCELLING' | EndStatus = 'RUNNING';
  private toMove: number | undefined;
  private failureReason: string | undefined;
  private readonly startedAtMs: number;
  private readonly moved: LaggingCounter;
  private readonly intervalMs: number;
  /** Ends the task, even if messages remain. */
  private deadline: Scheduled;
  private nextMoveAtMs: number;
  private next: Scheduled;

  /** @param whenOver called once, when the task is no longer active */
  constructor(
    readonly id: string,
    private readonly order: MoveOrder,
    private readonly dependencies: MoveTaskDependencies,
    private readonly whenOver: () => void,
  ) {
    const { timeline, trace } = dependencies.context;
    const { source, destinationArn, maxPerSecond = MAX_MOVES_PER_SECOND } = order;
    this.startedAtMs = timeline.nowMs;
    this.nextMoveAtMs = this.startedAtMs;
    this.intervalMs = 1000 / maxPerSecond;
    this.moved = new LaggingCounter(timeline, COUNT_LAG_MS);
    trace.record({
      type: 'sqs.move-task-started',
      queueArn: source.arn,
      taskId: id,
      ...(destinationArn !== undefined && { destinationArn }),
      messagesPerSecond: maxPerSecond,
    });
    this.next = timeline.after(0, () => {
      source.use();
      this.toMove = source.store.visibleCount;
      this.moveNext();
    });
    this.deadline = timeline.after(MAX_MOVE_TASK_MS, () => this.end({ status: 'FAILED', failureReason: RAN_TOO_LONG }));
  }

  get isActive(): boolean {
    return this.status === 'RUNNING' || this.status === 'CANCELLING';
  }

  /** The task as `ListMessageMoveTasks` shows it. */
  describe(): ListMessageMoveTasksResultEntry {
    const { source, destinationArn, maxPerSecond } = this.order;
    const handle = taskHandle({ taskId: this.id, sourceArn: source.arn });
    return {
      ...(this.status === 'RUNNING' && { TaskHandle: handle }),
      Status: this.status,
      SourceArn: source.arn,
      ...(destinationArn !== undefined && { DestinationArn: destinationArn }),
      ...(maxPerSecond !== undefined && { MaxNumberOfMessagesPerSecond: maxPerSecond }),
      ApproximateNumberOfMessagesMoved: this.approximatelyMoved,
      ...(this.toMove !== undefined && { ApproximateNumberOfMessagesToMove: this.toMove }),
      ...(this.failureReason !== undefined && { FailureReason: this.failureReason }),
      StartedTimestamp: this.startedAtMs,
    };
  }

  /** The reported number of moved messages: delayed while the task is active, exact after its end. */
  get approximatelyMoved(): number {
    return this.isActive ? this.moved.approximate : this.moved.exact;
  }

  /** Stops the task after `CANCELLING_MS`. Messages moved until then stay moved. */
  cancel(): void {
    if (this.status !== 'RUNNING') throw notCancellable(this.status);
    this.status = 'CANCELLING';
    const { timeline, trace } = this.dependencies.context;
    trace.record({ type: 'sqs.move-task-cancelling', queueArn: this.order.source.arn, taskId: this.id });
    this.deadline.cancel();
    this.deadline = timeline.after(CANCELLING_MS, () => this.end({ status: 'CANCELLED' }));
  }

  private moveNext(): void {
    const { timeline } = this.dependencies.context;
    const latency: Latency = { ms: 0 };
    const step = this.tryMove(latency);
    if (step !== 'moved' && step !== 'retry') {
      afterLatency(timeline, latency, () => this.end(step));
      return;
    }
    const answeredAtMs = timeline.nowMs + latency.ms;
    const isMoved = step === 'moved';
    this.nextMoveAtMs = isMoved ? Math.max(this.nextMoveAtMs + this.intervalMs, answeredAtMs) : answeredAtMs + RETRY_MS;
    this.next = timeline.at(Math.ceil(this.nextMoveAtMs), () => this.moveNext());
  }

  /** Moves the next message, if there is one. */
  private tryMove(latency: Latency): 'moved' | 'retry' | End {
    try {
      const message = this.nextMessage();
      if (!message) return { status: this.status === 'CANCELLING' ? 'CANCELLED' : 'COMPLETED' };
      this.move(message, latency);
      return 'moved';
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      return error.fault === 'client' ? { status: 'FAILED', failureReason: error.code } : 'retry';
    }
  }

  private nextMessage(): Message | undefined {
    const { source } = this.order;
    if (this.dependencies.directory.findByArn(source.arn) !== source) throw queueDoesNotExist();
    source.use();
    return source.store.nextVisible();
  }

  private move(message: Message, latency: Latency): void {
    const { context } = this.dependencies;
    const { source, starter } = this.order;
    const destination = this.destinationOf(message);
    checkMayMove(this.dependencies, { source, message, destination, starter, latency });
    const moved = movedCopy(message, context.random.uuid(), context.timeline.nowMs);
    const sent = { ...moved, encryption: encryptionOf(destination) };
    const { maximumMessageBytes, delaySeconds } = destination.settings;
    if (sent.sizeBytes > maximumMessageBytes) throw messageTooLong(maximumMessageBytes);
    destination.use();
    destination.accept(sent, delaySeconds);
    source.release(message);
    source.metrics.put('NumberOfMessagesReceived', 1);
    source.metrics.put('NumberOfMessagesDeleted', 1);
    this.moved.count();
    context.trace.record({
      type: 'sqs.moved',
      queueArn: source.arn,
      messageId: message.id,
      receiveCount: message.receiveCount,
      taskId: this.id,
      destinationArn: destination.arn,
      newMessageId: sent.id,
    });
  }

  private destinationOf({ deadLetterQueueSourceArn }: Message): Queue {
    const arn = this.order.destinationArn ?? deadLetterQueueSourceArn;
    if (arn === undefined) {
      throw new AwsError('CouldNotDetermineMessageSource', 'No redrive policy has moved this message here.');
    }
    const destination = this.dependencies.directory.findByArn(arn);
    if (!destination) throw queueDoesNotExist();
    return destination;
  }

  private end({ status, failureReason }: End): void {
    if (!this.isActive) return;
    this.status = status;
    this.failureReason = failureReason;
    this.next.cancel();
    this.deadline.cancel();
    this.dependencies.context.trace.record({
      type: 'sqs.move-task-ended',
      queueArn: this.order.source.arn,
      taskId: this.id,
      status,
      messagesMoved: this.moved.exact,
      ...(failureReason !== undefined && { failureReason }),
    });
    this.whenOver();
  }
}

function movedCopy({ id: oldId, sent }: Message, id: string, sentAtMs: number): SentMessage {
  const deduplicationId = sent.deduplicationId && oldId;
  return { ...sent, id, deduplicationId, sentAtMs };
}

/**
 * Counts, and reports the count late: the reported value was exact at the last multiple of `lagMs` since the start.
 * Recorded tasks reported 0 moved messages when two had long arrived.
 * **Assumption TASK-5:** AWS does not say how late the count is.
 */
class LaggingCounter {
  private counted = 0;
  private reported = 0;
  private period = 0;
  private readonly beganAtMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly lagMs: number,
  ) {
    this.beganAtMs = clock.nowMs;
  }

  get exact(): number {
    return this.counted;
  }

  /** The reported count. */
  get approximate(): number {
    this.catchUp();
    return this.reported;
  }

  count(): void {
    this.catchUp();
    this.counted += 1;
  }

  private catchUp(): void {
    const period = Math.floor((this.clock.nowMs - this.beganAtMs) / this.lagMs);
    if (period === this.period) return;
    this.period = period;
    this.reported = this.counted;
  }
}

/** SQS remembers this many tasks of a queue. */
const REMEMBERED = 10;
