import { ListMessageMoveTasksCommand, type ListMessageMoveTasksResultEntry, type SQSClient } from '@aws-sdk/client-sqs';
import type { MoveFacts, MoveStatus } from '../../policy/redrive/redrive-facts';
import { isNotADeadLetterQueue } from './move-refusals';
import { isNotFound } from './refusal';

/** SQS tells of no more, however many there were. */
export const MAX_LISTED_TASKS = 10;

const STATUSES: readonly MoveStatus[] = ['RUNNING', 'COMPLETED', 'CANCELLING', 'CANCELLED', 'FAILED'];

function taskFactsOf(entry: ListMessageMoveTasksResultEntry): MoveFacts {
  const { TaskHandle, MaxNumberOfMessagesPerSecond, DestinationArn, FailureReason } = entry;
  const status = STATUSES.find(it => it === entry.Status);
  if (!status) throw new Error(`SQS tells of a move task whose status is ${entry.Status}`);
  return {
    carrier: 'task',
    status,
    startedAtMs: entry.StartedTimestamp ?? 0,
    moved: entry.ApproximateNumberOfMessagesMoved ?? 0,
    ...(TaskHandle !== undefined && { handle: TaskHandle }),
    ...(MaxNumberOfMessagesPerSecond !== undefined && { messagesPerSecond: MaxNumberOfMessagesPerSecond }),
    ...(DestinationArn !== undefined && { destinationArn: DestinationArn }),
    ...(entry.ApproximateNumberOfMessagesToMove !== undefined && { toMove: entry.ApproximateNumberOfMessagesToMove }),
    ...(FailureReason !== undefined && { failureReason: FailureReason }),
  };
}

/**
 * The tasks SQS remembers of a source, the newest first: none where there is no such queue, or none that may have any.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListMessageMoveTasks.html
 */
export async function listMoveTasks(client: SQSClient, SourceArn: string): Promise<readonly MoveFacts[]> {
  try {
    const command = new ListMessageMoveTasksCommand({ SourceArn, MaxResults: MAX_LISTED_TASKS });
    const { Results = [] } = await client.send(command);
    return Results.map(taskFactsOf).sort((one, other) => other.startedAtMs - one.startedAtMs);
  } catch (error) {
    if (isNotFound(error) || isNotADeadLetterQueue(error)) return [];
    throw error;
  }
}
