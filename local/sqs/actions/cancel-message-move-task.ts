import type { CancelMessageMoveTaskRequest, CancelMessageMoveTaskResult } from '@aws-sdk/client-sqs';
import type { Call, SqsInternals } from '../desk';
import { noSuchTask } from '../move-tasks/errors';
import { checkMayRedrive } from '../move-tasks/permissions';
import { readTaskHandle } from '../move-tasks/task-handle';
import type { Queue } from '../queue';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CancelMessageMoveTask.html */
export function cancelMessageMoveTask(
  internals: SqsInternals,
  source: Queue,
  { input, caller }: Call<CancelMessageMoveTaskRequest>,
): CancelMessageMoveTaskResult {
  const { taskId } = readTaskHandle(input.TaskHandle ?? '');
  const task = internals.moveTasks.of(source).find(({ id }) => id === taskId);
  if (!task) throw noSuchTask();
  checkMayRedrive(internals, source, caller);
  task.cancel();
  return { ApproximateNumberOfMessagesMoved: task.approximatelyMoved };
}
