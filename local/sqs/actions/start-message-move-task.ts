import type { StartMessageMoveTaskRequest, StartMessageMoveTaskResult } from '@aws-sdk/client-sqs';
import { isFifoName } from '../../kernel/fifo-name';
import type { Call, SqsInternals } from '../desk';
import { MAX_MOVES_PER_SECOND } from '../limits';
import { invalidRate, noSuchResource, notDeadLetterQueue, otherQueueType, sameQueue } from '../move-tasks/errors';
import { checkMayRedrive } from '../move-tasks/permissions';
import { taskHandle } from '../move-tasks/task-handle';
import type { Queue } from '../queue';

/**
 * The caller's permissions on the source are looked at here, those on the destination when the first message is on its
 * way: want of the former refuses the call, want of the latter fails the task.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export function startMessageMoveTask(
  internals: SqsInternals,
  source: Queue,
  { input, caller }: Call<StartMessageMoveTaskRequest>,
): StartMessageMoveTaskResult {
  const { DestinationArn: destinationArn, MaxNumberOfMessagesPerSecond: maxPerSecond } = input;
  if (maxPerSecond !== undefined && !isRate(maxPerSecond)) throw invalidRate();
  if (destinationArn !== undefined) checkDestination(internals, source, destinationArn);
  const isDeadLetterQueue = [...internals.directory.all()].some(
    ({ settings }) => settings.redrivePolicy?.deadLetterTargetArn === source.arn,
  );
  if (!isDeadLetterQueue) throw notDeadLetterQueue();
  checkMayRedrive(internals, source, caller);
  const { id: taskId } = internals.moveTasks.start({ source, destinationArn, maxPerSecond, starter: caller });
  return { TaskHandle: taskHandle({ taskId, sourceArn: source.arn }) };
}

const isRate = (perSecond: number): boolean =>
  Number.isInteger(perSecond) && perSecond >= 1 && perSecond <= MAX_MOVES_PER_SECOND;

function checkDestination({ directory }: SqsInternals, source: Queue, destinationArn: string): void {
  if (destinationArn === source.arn) throw sameQueue();
  if (!directory.findByArn(destinationArn)) throw noSuchResource('DestinationArn');
  if (isFifoName(destinationArn) !== isFifoName(source.arn)) throw otherQueueType();
}
