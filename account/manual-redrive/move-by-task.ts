import { type SQSClient, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { awsFailureOf, backoffMs, isTransient, MAX_CALLS } from '../../mover/aws/aws-calls';
import { type CancelResult, listMoveTasks, taskCanceller } from '../../mover/aws/move-tasks';
import { messagesText } from '../../policy/format-text';
import type { MoveFacts } from '../../policy/redrive/redrive-facts';
import { isActive } from '../../policy/redrive/redrive-runs';
import { MINUTE_MS } from '../../policy/time-units';
import { isDenied } from '../connection/calls';
import { messageOf } from '../errors';
import type { MoveStep, MoveStepEnd, MoveStepPorts } from './manual-step';

export const LOOK_EVERY_MS = 1_000;

const LONGEST_PAUSE_MS = 5_000;

/** How long SQS may take to list a started task, to end a cancelled one, or to respond at all. */
const LISTING_TIMEOUT_MS = MINUTE_MS;

const UNLISTED = 'SQS does not list the task it started';

/** The failure reasons of SQS, in words. */
const FAILURES: readonly (readonly [RegExp, string])[] = [
  [/NonExistentQueue/, 'a queue does not exist any more'],
  [
    /AccessDenied|KMS|Kms/,
    'its caller lacks a permission: to receive and delete here, to send there, or to use the keys',
  ],
  [/CouldNotDetermineMessageSource/, 'SQS does not know the source queue of a message'],
];

/**
 * A task also needs permissions on the dead-letter queue. SQS does not say which is missing.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
const ALSO_NEEDED =
  'A task also needs sqs:ReceiveMessage, sqs:DeleteMessage and sqs:GetQueueAttributes on the dead-letter queue.';

export function failureText(failureReason: string): string {
  const words = FAILURES.find(([pattern]) => pattern.test(failureReason))?.[1];
  return words === undefined ? failureReason : `${words} (${failureReason})`;
}

export interface TaskClients {
  readonly sqs: SQSClient;
  /** Makes each call once. A retry would fail, because the task of the first attempt runs already. */
  readonly once: SQSClient;
}

/** The queues that a task moves messages between. */
export interface TaskRoute {
  readonly sourceArn: string;
  readonly destinationArn: string;
}

/** Starts a task and follows it to its end. */
class TaskRun {
  /** The start times of earlier tasks. */
  private before: ReadonlySet<number> = new Set();
  /** By the local clock. */
  private startedAtMs = 0;
  /** Needed to cancel the task. @default - SQS has not confirmed the start */
  private handle: string | undefined;
  /** Since when and why looking up the task fails. @default - the last look-up succeeded */
  private lookupFailure: { readonly sinceMs: number; readonly reason: string; attempts: number } | undefined;
  /** When the task was first cancelled, and the last result. @default - not cancelled */
  private cancelled: { readonly atMs: number; result: CancelResult } | undefined;
  private wasInterrupted = false;
  /** Why the task could not be looked up for so long that it was cancelled. @default - not cancelled */
  private cancelReason: string | undefined;
  private moved = 0;

  constructor(
    private readonly clients: TaskClients,
    private readonly route: TaskRoute,
    private readonly step: MoveStep,
    private readonly ports: MoveStepPorts,
  ) {}

  /** @throws the error with which SQS refuses the task. Then no task has started. */
  async run(): Promise<MoveStepEnd> {
    const tasks = await listMoveTasks(this.clients.sqs, this.route.sourceArn);
    this.before = new Set(tasks.map(({ startedAtMs }) => startedAtMs));
    this.startedAtMs = this.ports.nowMs();
    const startFailure = await this.start();
    const end = await this.follow();
    if (startFailure === undefined || end.ending !== 'unseen') return end;
    return { ...end, reason: `it is unknown whether a task has started: ${startFailure}; ${end.reason}` };
  }

  /** @returns the error, when it is unknown whether the task has started */
  private async start(): Promise<string | undefined> {
    const { sourceArn: SourceArn, destinationArn: DestinationArn } = this.route;
    const MaxNumberOfMessagesPerSecond = this.step.messagesPerSecond;
    const command = new StartMessageMoveTaskCommand({ SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond });
    for (let calls = 1; ; calls += 1) {
      try {
        this.handle = (await this.clients.once.send(command)).TaskHandle;
        return undefined;
      } catch (error) {
        const isThrottled = awsFailureOf(error, '')?.outcome === 'throttled';
        if (isThrottled && calls < MAX_CALLS) await this.ports.wait(backoffMs(calls));
        else if (!isThrottled && isTransient(error)) return messageOf(error);
        else throw isDenied(error) ? new Error(`${messageOf(error)} ${ALSO_NEEDED}`, { cause: error }) : error;
      }
    }
  }

  private async follow(): Promise<MoveStepEnd> {
    for (;;) {
      const pauseMs = LOOK_EVERY_MS * 2 ** (this.lookupFailure?.attempts ?? 0);
      try {
        await this.ports.wait(Math.min(pauseMs, LONGEST_PAUSE_MS));
      } catch (error) {
        await this.cancel(this.handle);
        return { moved: this.moved, ending: 'failed', reason: `the task was cancelled: ${messageOf(error)}` };
      }
      const task = await this.lookUp();
      if (task && !isActive(task)) return this.endOf(task);
      if (this.mustEnd(task)) await this.cancel(task?.handle ?? this.handle);
      const reason = this.lostBecause(task);
      if (reason !== undefined) return { moved: this.moved, ending: 'unseen', reason };
    }
  }

  /** Finds the task, once SQS lists it. Only one task can run at a time, so the oldest new task is this one. */
  private async lookUp(): Promise<MoveFacts | undefined> {
    const { nowMs, progress } = this.ports;
    try {
      const tasks = await listMoveTasks(this.clients.sqs, this.route.sourceArn);
      this.lookupFailure = undefined;
      const task = tasks.filter(({ startedAtMs }) => !this.before.has(startedAtMs)).at(-1);
      this.moved = task?.moved ?? this.moved;
      progress(this.moved);
      return task;
    } catch (error) {
      const { sinceMs, attempts } = this.lookupFailure ?? { sinceMs: nowMs(), attempts: 0 };
      this.lookupFailure = { sinceMs, attempts: attempts + 1, reason: messageOf(error) };
      return undefined;
    }
  }

  /** Whether the task has moved enough, was interrupted, or cannot be looked up any more. */
  private mustEnd(task: MoveFacts | undefined): boolean {
    this.wasInterrupted ||= this.ports.isInterrupted();
    const { messages = Number.POSITIVE_INFINITY, messagesPerSecond } = this.step;
    const nowMs = this.ports.nowMs();
    // Both time and count must be reached, because the count lags and a task can be slow. Without lookups, time alone decides.
    const isTimeOver = (nowMs - this.startedAtMs) * messagesPerSecond >= messages * 1_000;
    const isEnough = isTimeOver && (this.lookupFailure !== undefined || (task?.moved ?? 0) >= messages);
    const lostSinceMs = this.lookupFailure?.sinceMs ?? (task ? nowMs : this.startedAtMs);
    const isLost = nowMs - lostSinceMs >= LISTING_TIMEOUT_MS;
    if (isLost) this.cancelReason ??= this.lookupFailure?.reason ?? UNLISTED;
    return this.wasInterrupted || isEnough || isLost;
  }

  /** Does nothing when SQS has accepted an earlier cancellation. */
  private async cancel(handle: string | undefined): Promise<void> {
    const { cancelled } = this;
    if (handle === undefined || (cancelled && !mayRetry(cancelled.result))) return;
    const result = await taskCanceller(this.clients.sqs)(handle);
    if (result.outcome === 'cancelled') this.moved = Math.max(this.moved, result.moved ?? 0);
    this.cancelled = { atMs: cancelled?.atMs ?? this.ports.nowMs(), result };
  }

  /** Why the task cannot be followed any more. Undefined while it can. */
  private lostBecause(task: MoveFacts | undefined): string | undefined {
    const { lookupFailure, cancelled } = this;
    const nowMs = this.ports.nowMs();
    const refusal = cancelled && 'reason' in cancelled.result ? cancelled.result.reason : undefined;
    const isCancelledLong = cancelled !== undefined && nowMs - cancelled.atMs > LISTING_TIMEOUT_MS;
    if (refusal !== undefined && (isCancelledLong || (cancelled && !mayRetry(cancelled.result)))) return refusal;
    const asked = cancelled === undefined ? '' : ' SQS has been asked to cancel the task.';
    if (lookupFailure) {
      const isFailingLong = nowMs - lookupFailure.sinceMs > LISTING_TIMEOUT_MS;
      return isCancelledLong || (isFailingLong && !cancelled) ? `${lookupFailure.reason}${asked}` : undefined;
    }
    if (task) return isCancelledLong ? 'SQS has not ended the cancelled task' : undefined;
    return nowMs - this.startedAtMs > LISTING_TIMEOUT_MS ? `${UNLISTED}.${asked}` : undefined;
  }

  private endOf({ status, moved, failureReason = 'SQS does not say why' }: MoveFacts): MoveStepEnd {
    if (status === 'FAILED')
      return { moved, ending: 'failed', reason: `the task failed: ${failureText(failureReason)}` };
    if (status === 'COMPLETED') return { moved, ending: 'empty', reason: 'no message is visible any more' };
    if (this.wasInterrupted)
      return { moved, ending: 'interrupted', reason: 'the command was interrupted, and the task cancelled' };
    if (this.cancelled === undefined) return { moved, ending: 'failed', reason: 'another caller cancelled the task' };
    if (this.cancelReason !== undefined)
      return {
        moved,
        ending: 'failed',
        reason: `the task was cancelled because it could not be looked up: ${this.cancelReason}`,
      };
    return { moved, ending: 'done', reason: 'the task has moved as many messages as it should' };
  }
}

/** Whether another attempt to cancel may succeed. */
function mayRetry({ outcome }: CancelResult): boolean {
  return outcome === 'throttled' || outcome === 'unavailable';
}

/**
 * Moves messages with a move task of SQS, and follows the task to its end. A task has no limit on messages, so a task that should
 * move only some is cancelled after them. It moves a few more until it ends. The task is also cancelled on an interrupt, and when
 * SQS has not listed it for a minute.
 *
 * @param remaining reads how many messages the dead-letter queue has
 * @throws the error with which SQS refuses a task. Then no message has moved.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export async function moveByTask(
  clients: TaskClients,
  route: TaskRoute,
  step: MoveStep,
  ports: MoveStepPorts & { readonly remaining: () => Promise<number> },
): Promise<MoveStepEnd> {
  for (let tasks = 1; ; tasks += 1) {
    const end = await new TaskRun(clients, route, step, ports).run();
    if (end.ending !== 'empty' || end.moved > 0) return end;
    const isLast = tasks > MISSED_TASKS;
    if (!isLast && !ports.isInterrupted()) await ports.wait(MISSED_PAUSE_MS);
    if (ports.isInterrupted()) return { moved: 0, ending: 'interrupted', reason: INTERRUPTED };
    if (isLast) return missedEnd(await ports.remaining(), tasks);
  }
}

/** How often a task is started again that has completed without moving a message. The plan has seen that there are some. */
const MISSED_TASKS = 2;

/** Until SQS should know of messages that had just arrived. */
const MISSED_PAUSE_MS = 10_000;

const INTERRUPTED = 'the command was interrupted after a task that moved no message';

/** The result when no task has moved a message. */
function missedEnd(remaining: number, tasks: number): MoveStepEnd {
  if (remaining === 0) return { moved: 0, ending: 'empty', reason: 'no message is visible any more' };
  const reason = `${tasks} tasks completed without moving a message, and the dead-letter queue still has ${messagesText(remaining)}, visible or in flight`;
  return { moved: 0, ending: 'failed', reason };
}
