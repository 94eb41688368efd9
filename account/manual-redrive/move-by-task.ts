import { type SQSClient, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { awsFailureOf, backoffMs, isTransient, MAX_CALLS } from '../../mover/aws-calls';
import { type CancelResult, listMoveTasks, taskCanceller } from '../../mover/move-tasks';
import type { MoveFacts } from '../../policy/redrive/redrive-facts';
import { isActive } from '../../policy/redrive/redrive-runs';
import { isDenied } from '../connection/calls';
import { messageOf } from '../errors';
import type { MoveStep, MoveStepEnd, MoveStepPorts } from './move-step';

/** Our choice: as often as an operator wants to know. */
export const LOOK_EVERY_MS = 1_000;

/** Our choice: as seldom somebody looks who sees nothing. */
const LONGEST_REST_MS = 5_000;

/** Our choice: how long SQS may take to list a task it has begun, to end one it was asked to cancel, or to answer at all. */
const LISTING_TIMEOUT_MS = 60_000;

const UNLISTED = 'SQS does not list the task it began';

/** What a failed task says, in words. */
const FAILURES: readonly (readonly [RegExp, string])[] = [
  [/NonExistentQueue/, 'a queue is not there any more'],
  [
    /AccessDenied|KMS|Kms/,
    'whoever began it may not do all it takes: receive and delete here, send there, and use the keys',
  ],
  [/CouldNotDetermineMessageSource/, 'SQS does not know where a letter came from'],
];

/**
 * What a task takes of the dead-letter queue beside its own permission: SQS does not say which is missing.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
const ALSO_TAKEN =
  'Beside that, a task takes sqs:ReceiveMessage, sqs:DeleteMessage and sqs:GetQueueAttributes of the dead-letter queue.';

/** Why a task failed, by SQS's word for it. */
export function failureText(failureReason: string): string {
  const words = FAILURES.find(([pattern]) => pattern.test(failureReason))?.[1];
  return words === undefined ? failureReason : `${words} (${failureReason})`;
}

/** The clients a task is begun and followed by. */
export interface TaskClients {
  readonly sqs: SQSClient;
  /** Asks once: who asks a second time is told of the task that the first has begun. */
  readonly once: SQSClient;
}

/** From where to where a task moves letters. */
export interface TaskRoute {
  readonly sourceArn: string;
  readonly destinationArn: string;
}

/** One task, from its beginning to its end. */
class TaskStage {
  /** When tasks began that were there before. */
  private before: ReadonlySet<number> = new Set();
  /** By our own clock, as all here but what SQS tells. */
  private startedAtMs = 0;
  /** By which it can be cancelled. @default - nobody has answered that it began */
  private handle: string | undefined;
  /** Why SQS cannot be asked about the task, and since when. @default - it can */
  private blind: { readonly sinceMs: number; readonly reason: string; looks: number } | undefined;
  /** When it was first asked to cancel the task, and what came of it. @default - nobody has */
  private cancelled: { readonly atMs: number; came: CancelResult } | undefined;
  private wasInterrupted = false;
  /** Why nobody could look after it for so long that it was cancelled. @default - somebody could */
  private wasUnseen: string | undefined;
  private moved = 0;

  constructor(
    private readonly clients: TaskClients,
    private readonly route: TaskRoute,
    private readonly stage: MoveStep,
    private readonly ports: MoveStepPorts,
  ) {}

  /** @throws what SQS refuses the task with: then nothing has begun */
  async run(): Promise<MoveStepEnd> {
    const tasks = await listMoveTasks(this.clients.sqs, this.route.sourceArn);
    this.before = new Set(tasks.map(({ startedAtMs }) => startedAtMs));
    this.startedAtMs = this.ports.nowMs();
    const unanswered = await this.start();
    const end = await this.follow();
    if (unanswered === undefined || end.ending !== 'unseen') return end;
    return { ...end, reason: `whether a task has begun nobody knows: ${unanswered}; ${end.reason}` };
  }

  /**
   * Begins the task, and answers what came in place of an answer, where it may have begun for all that.
   * @throws what SQS refuses it with
   */
  private async start(): Promise<string | undefined> {
    const { sourceArn: SourceArn, destinationArn: DestinationArn } = this.route;
    const MaxNumberOfMessagesPerSecond = this.stage.messagesPerSecond;
    const command = new StartMessageMoveTaskCommand({ SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond });
    for (let calls = 1; ; calls += 1) {
      try {
        this.handle = (await this.clients.once.send(command)).TaskHandle;
        return undefined;
      } catch (error) {
        const isThrottled = awsFailureOf(error, '')?.outcome === 'throttled';
        if (isThrottled && calls < MAX_CALLS) await this.ports.wait(backoffMs(calls));
        else if (!isThrottled && isTransient(error)) return messageOf(error);
        else throw isDenied(error) ? new Error(`${messageOf(error)} ${ALSO_TAKEN}`, { cause: error }) : error;
      }
    }
  }

  private async follow(): Promise<MoveStepEnd> {
    for (;;) {
      const rest = LOOK_EVERY_MS * 2 ** (this.blind?.looks ?? 0);
      await this.ports.wait(Math.min(rest, LONGEST_REST_MS));
      const task = await this.look();
      if (task && !isActive(task)) return this.endOf(task);
      if (this.isToEnd(task)) await this.cancel(task?.handle ?? this.handle);
      const reason = this.lostBecause(task);
      if (reason !== undefined) return { moved: this.moved, ending: 'unseen', reason };
    }
  }

  /** The task, once SQS lists it: at most one runs at a time, so that ours is the oldest of those that are new. */
  private async look(): Promise<MoveFacts | undefined> {
    const { nowMs, progress } = this.ports;
    try {
      const tasks = await listMoveTasks(this.clients.sqs, this.route.sourceArn);
      this.blind = undefined;
      const task = tasks.filter(({ startedAtMs }) => !this.before.has(startedAtMs)).at(-1);
      this.moved = task?.moved ?? this.moved;
      progress(this.moved);
      return task;
    } catch (error) {
      const { sinceMs, looks } = this.blind ?? { sinceMs: nowMs(), looks: 0 };
      this.blind = { sinceMs, looks: looks + 1, reason: messageOf(error) };
      return undefined;
    }
  }

  /** Whether it has done what it should, nobody wants it any more, or nobody can look after it. */
  private isToEnd(task: MoveFacts | undefined): boolean {
    this.wasInterrupted ||= this.ports.isInterrupted();
    const { messages = Number.POSITIVE_INFINITY, messagesPerSecond } = this.stage;
    const nowMs = this.ports.nowMs();
    // By its rate and by the count, which comes late: a task that is slow has the time it takes. Who sees nothing goes by time.
    const isTimeOver = (nowMs - this.startedAtMs) * messagesPerSecond >= messages * 1_000;
    const isEnough = isTimeOver && (this.blind !== undefined || (task?.moved ?? 0) >= messages);
    const unseenSinceMs = this.blind?.sinceMs ?? (task ? nowMs : this.startedAtMs);
    const isUnseen = nowMs - unseenSinceMs >= LISTING_TIMEOUT_MS;
    if (isUnseen) this.wasUnseen ??= this.blind?.reason ?? UNLISTED;
    return this.wasInterrupted || isEnough || isUnseen;
  }

  /** Asks until SQS has heard it. */
  private async cancel(handle: string | undefined): Promise<void> {
    const { cancelled } = this;
    if (handle === undefined || (cancelled && !mayPass(cancelled.came))) return;
    const came = await taskCanceller(this.clients.sqs)(handle);
    if (came.outcome === 'cancelled') this.moved = Math.max(this.moved, came.moved ?? 0);
    this.cancelled = { atMs: cancelled?.atMs ?? this.ports.nowMs(), came };
  }

  /** Why nobody can follow the task any more; undefined while somebody can, or may yet. */
  private lostBecause(task: MoveFacts | undefined): string | undefined {
    const { blind, cancelled } = this;
    const nowMs = this.ports.nowMs();
    const refusal = cancelled && 'reason' in cancelled.came ? cancelled.came.reason : undefined;
    const isCancelledLong = cancelled !== undefined && nowMs - cancelled.atMs > LISTING_TIMEOUT_MS;
    if (refusal !== undefined && (isCancelledLong || (cancelled && !mayPass(cancelled.came)))) return refusal;
    const asked = cancelled === undefined ? '' : ' SQS has been asked to cancel the task.';
    if (blind) {
      const isBlindLong = nowMs - blind.sinceMs > LISTING_TIMEOUT_MS;
      return isCancelledLong || (isBlindLong && !cancelled) ? `${blind.reason}${asked}` : undefined;
    }
    if (task) return isCancelledLong ? 'SQS has not ended the task it was asked to cancel' : undefined;
    return nowMs - this.startedAtMs > LISTING_TIMEOUT_MS ? `${UNLISTED}.${asked}` : undefined;
  }

  private endOf({ status, moved, failureReason = 'SQS does not say why' }: MoveFacts): MoveStepEnd {
    if (status === 'FAILED')
      return { moved, ending: 'failed', reason: `the task failed: ${failureText(failureReason)}` };
    if (status === 'COMPLETED') return { moved, ending: 'empty', reason: 'no letter is visible any more' };
    if (this.wasInterrupted)
      return { moved, ending: 'interrupted', reason: 'it was interrupted, and the task cancelled' };
    if (this.cancelled === undefined) return { moved, ending: 'failed', reason: 'somebody else cancelled the task' };
    if (this.wasUnseen !== undefined)
      return {
        moved,
        ending: 'failed',
        reason: `nobody could look after the task, so it was cancelled: ${this.wasUnseen}`,
      };
    return { moved, ending: 'done', reason: 'it has moved what it should' };
  }
}

/** Whether SQS may heed it when it is asked once more. */
function mayPass({ outcome }: CancelResult): boolean {
  return outcome === 'throttled' || outcome === 'unavailable';
}

/**
 * Has SQS move letters by a task of its own, and follows it to its end. A task knows no quota, so one that should move a few is
 * cancelled, and moves some more. An interrupt cancels it too, and so does who cannot look after it: where SQS does not list the
 * tasks, it is asked again for a minute.
 *
 * @throws what SQS refuses the task with: then nothing has begun
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export function moveByTask(
  clients: TaskClients,
  route: TaskRoute,
  stage: MoveStep,
  ports: MoveStepPorts,
): Promise<MoveStepEnd> {
  return new TaskStage(clients, route, stage, ports).run();
}
