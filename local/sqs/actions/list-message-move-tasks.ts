import type { ListMessageMoveTasksRequest, ListMessageMoveTasksResult } from '@aws-sdk/client-sqs';
import type { Call, SqsInternals } from '../desk';
import { invalidValue } from '../errors';
import type { Queue } from '../queue';

const MAX_RESULTS = 10;

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListMessageMoveTasks.html */
export function listMessageMoveTasks(
  internals: SqsInternals,
  source: Queue,
  { input, caller }: Call<ListMessageMoveTasksRequest>,
): ListMessageMoveTasksResult {
  const { MaxResults: max = 1 } = input;
  if (!(max >= 1 && max <= MAX_RESULTS)) {
    throw invalidValue(max, 'MaxResults', `Must be between 1 and ${MAX_RESULTS}, if provided.`);
  }
  internals.checks.checkAccess(caller, 'sqs:GetQueueAttributes', source);
  const tasks = internals.moveTasks.of(source).slice(0, max);
  return { Results: tasks.map(task => task.describe()) };
}
