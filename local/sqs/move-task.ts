import type { ListMessageMoveTasksResultEntry } from '@aws-sdk/client-sqs';
import { AwsError } from '../kernel/aws-error';
import { afterLatency, type Caller, type Latency } from '../kernel/caller';
import type { Clock } from '../kernel/clock';
import type { Scheduled } from '../kernel/timeline';
import { messageTooLong, queueDoesNotExist } from './errors';
import { MAX_ACTIVE_MOVE_TASKS, MAX_MOVE_TASK_MS, MAX_MOVES_PER_SECOND } from './limits';
import type { Message, SentMessage } from './message';
import {
  alreadyRunning,
  checkMayMove,
  type MoveTaskDependencies,
  notCancellable,
  taskHandle,
  tooManyTasks,
} from './move-task-rules';
import type { Queue } from './queue';

/** What somebody wants moved. */
export interface MoveOrder {
  readonly source: Queue;
  /** @default each message goes back to the queue whose redrive policy moved it to `source` */
  readonly destinationArn: string | undefined;
  /** Messages a second, 1 to 500. @default 500, our choice: AWS "optimizes the rate", and publishes no more than its top */
  readonly maxPerSecond: number | undefined;
  /** In whose name every message is received, sent and deleted. */
  readonly starter: Caller;
}

type EndStatus = 'COMPLETED' | 'CANCELLED' | 'FAILED';

/** How a task is over. */
interface End {
  readonly status: EndStatus;
  readonly failureReason?: string;
}

/** How late the count of moved messages is told while a task is active: our choice. */
export const COUNT_LAG_MS = 5_000;

/** For how long a cancelled task moves on: our choice; two recordings have it move on for seconds. */
export const CANCELLING_MS = 3_000;

/** After how long a task tries again what a server error has stopped: our choice. */
const RETRY_MS = 5_000;

/** AWS's reasons are error codes, recorded or documented; this one is ours. */
const RAN_TOO_LONG = 'MaximumTaskDurationExceeded';

/**
 * One message move task. It moves the visible messages of its source one by one, the one whose turn it is first, at an
 * even pace that never exceeds the rate, and is over when its turn comes and no message is visible. A message in flight
 * stays; one that a task cannot move stays too.
 *
 * A moved message is a new one: new id, sent now, never received, kept for the whole retention period of its new queue.
 * Body, attributes, trace header, group and sender stay. AWS says of ids and times only; the rest is our choice, and so
 * is that the new message names no dead-letter source queue.
 *
 * The deduplication id of a moved message is the id it had before. Our choice: the destination takes it in, whatever was
 * sent with that id, as a redrive policy's move is taken in; a task that was told "that one I have" would lose the message.
 *
 * Where a fault makes SQS slow, the next message waits for the answers to the receive, the send and the delete of this one.
 *
 * The source counts it as received and deleted and the destination as sent, by the permissions that AWS asks for; what
 * its metrics do is not published.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export class MoveTask {
  private status: 'RUNNING' | 'CANCELLING' | EndStatus = 'RUNNING';
  private toMove: number | undefined;
  private failureReason: string | undefined;
  private readonly startedAtMs: number;
  private readonly moved: LaggingCounter;
  private readonly intervalMs: number;
  /** The end, whatever is left to move. */
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

  /** As `ListMessageMoveTasks` tells of it. */
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

  /** How many messages the task is said to have moved: late while it is active, the truth when it is over. */
  get approximatelyMoved(): number {
    return this.isActive ? this.moved.approximate : this.moved.exact;
  }

  /** Stops the task in a moment; what is moved until then stays moved. */
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
    const tryMove = this.turn(latency);
    if (tryMove !== 'moved' && tryMove !== 'to be tried again') {
      afterLatency(timeline, latency, () => this.end(tryMove));
      return;
    }
    const answeredAtMs = timeline.nowMs + latency.ms;
    const isMoved = tryMove === 'moved';
    this.nextMoveAtMs = isMoved ? Math.max(this.nextMoveAtMs + this.intervalMs, answeredAtMs) : answeredAtMs + RETRY_MS;
    this.next = timeline.at(Math.ceil(this.nextMoveAtMs), () => this.moveNext());
  }

  /** Moves the message whose turn it is, if it can. */
  private turn(latency: Latency): 'moved' | 'to be tried again' | End {
    try {
      const message = this.nextMessage();
      if (!message) return { status: this.status === 'CANCELLING' ? 'CANCELLED' : 'COMPLETED' };
      this.move(message, latency);
      return 'moved';
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      return error.fault === 'client' ? { status: 'FAILED', failureReason: error.code } : 'to be tried again';
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
    checkMayMove(this.dependencies, source, destination, starter, latency);
    const sent = movedCopy(message, context.random.uuid(), context.timeline.nowMs);
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

  /** @throws AwsError whose code AWS gives as the reason why a task failed */
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
 * Counts, and tells the count late: what it tells was true at the last full `lagMs` since it began. On record are tasks
 * that told 0 messages moved when two had long arrived; by how much AWS is late it does not say, so the lag is our choice.
 */
export class LaggingCounter {
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

  /** The truth. */
  get exact(): number {
    return this.counted;
  }

  /** What is told. */
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

/** How many of a queue's tasks are remembered. */
const REMEMBERED = 10;

/** Every message move task of the account. A queue that is deleted takes the memory of its tasks with it. */
export class MoveTasks {
  private readonly bySource = new WeakMap<Queue, MoveTask[]>();
  private active = 0;

  constructor(private readonly dependencies: MoveTaskDependencies) {}

  /** The last ten tasks of a source, the newest first. */
  of(source: Queue): readonly MoveTask[] {
    return this.bySource.get(source) ?? [];
  }

  /** @throws AwsError when the source, or the account, has all the active tasks it may have */
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
