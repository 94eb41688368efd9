import { type SQSClient, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { cancelling } from '../../../lambda/redrive/task-carrier';
import { taskList } from '../../../lambda/redrive/task-list';
import type { MoveFacts } from '../../../lib/policy/redrive/redrive-facts';
import { isActive } from '../../../lib/policy/redrive/runs';
import { isDenied } from '../../aws/call-failure';
import { messageOf } from '../../errors';
import type { Stage, StageEnd, StagePorts } from './stage';

/** Our choice: as often as an operator wants to know. */
export const LOOK_EVERY_MS = 1_000;

/** Our choice: how long SQS may take to list a task it has begun, and to end one it was asked to cancel. */
const PATIENCE_MS = 60_000;

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

/** One task, from its beginning to its end. */
class TaskStage {
  /** When tasks began that were there before. */
  private before: ReadonlySet<number> = new Set();
  private startedAtMs = 0;
  private cancelledAtMs: number | undefined;
  private wasInterrupted = false;
  private moved = 0;

  constructor(
    private readonly sqs: SQSClient,
    private readonly route: { readonly sourceArn: string; readonly destinationArn: string },
    private readonly stage: Stage,
    private readonly ports: StagePorts,
  ) {}

  /** @throws what SQS refuses the task with: then nothing has begun */
  async run(): Promise<StageEnd> {
    const { sourceArn: SourceArn, destinationArn: DestinationArn } = this.route;
    this.before = new Set((await taskList(this.sqs, SourceArn)).map(({ startedAtMs }) => startedAtMs));
    const MaxNumberOfMessagesPerSecond = this.stage.messagesPerSecond;
    this.startedAtMs = this.ports.nowMs();
    try {
      await this.sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond }));
    } catch (error) {
      throw isDenied(error) ? new Error(`${messageOf(error)} ${ALSO_TAKEN}`, { cause: error }) : error;
    }
    try {
      return await this.follow();
    } catch (error) {
      return { moved: this.moved, ending: 'unseen', reason: messageOf(error) };
    }
  }

  private async follow(): Promise<StageEnd> {
    for (;;) {
      await this.ports.wait(LOOK_EVERY_MS);
      const task = await this.look();
      if (task && !isActive(task)) return this.endOf(task);
      const lateMs = this.ports.nowMs() - (this.cancelledAtMs ?? this.startedAtMs);
      if (lateMs > PATIENCE_MS && (!task || this.cancelledAtMs !== undefined)) {
        const reason = task
          ? 'SQS has not ended the task it was asked to cancel'
          : 'SQS does not list the task it began';
        return { moved: this.moved, ending: 'unseen', reason };
      }
      if (task) await this.cancelWhereDue(task);
    }
  }

  /** The task, once SQS lists it: at most one runs at a time, so that ours is the oldest of those that are new. */
  private async look(): Promise<MoveFacts | undefined> {
    const tasks = await taskList(this.sqs, this.route.sourceArn);
    const task = tasks.filter(({ startedAtMs }) => !this.before.has(startedAtMs)).at(-1);
    this.moved = task?.moved ?? this.moved;
    this.ports.progress(this.moved);
    return task;
  }

  private async cancelWhereDue({ handle, startedAtMs, moved }: MoveFacts): Promise<void> {
    const { stage, ports } = this;
    this.wasInterrupted ||= ports.isInterrupted();
    const elapsedMs = ports.nowMs() - startedAtMs;
    const { messages = Number.POSITIVE_INFINITY, messagesPerSecond } = stage;
    // By its rate and by the count, which comes late: a task that is slow has the time it takes.
    const isEnough = moved >= messages && elapsedMs * messagesPerSecond >= messages * 1_000;
    if ((!this.wasInterrupted && !isEnough) || handle === undefined || this.cancelledAtMs !== undefined) return;
    this.cancelledAtMs = ports.nowMs();
    const cancelled = await cancelling(this.sqs)(handle);
    if ('reason' in cancelled) throw new Error(cancelled.reason);
  }

  private endOf({ status, moved, failureReason = 'SQS does not say why' }: MoveFacts): StageEnd {
    if (status === 'FAILED')
      return { moved, ending: 'failed', reason: `the task failed: ${failureText(failureReason)}` };
    if (status === 'COMPLETED') return { moved, ending: 'empty', reason: 'no letter is visible any more' };
    if (this.wasInterrupted)
      return { moved, ending: 'interrupted', reason: 'it was interrupted, and the task cancelled' };
    if (this.cancelledAtMs === undefined)
      return { moved, ending: 'failed', reason: 'somebody else cancelled the task' };
    return { moved, ending: 'done', reason: 'it has moved what it should' };
  }
}

/**
 * Has SQS move letters by a task of its own, and follows it to its end. A task knows no quota, so one that should move a few is
 * cancelled, and moves some more. An interrupt cancels it too.
 *
 * @throws what SQS refuses the task with: then nothing has begun
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export function moveByTask(
  sqs: SQSClient,
  route: { readonly sourceArn: string; readonly destinationArn: string },
  stage: Stage,
  ports: StagePorts,
): Promise<StageEnd> {
  return new TaskStage(sqs, route, stage, ports).run();
}
