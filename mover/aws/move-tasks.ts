import {
  CancelMessageMoveTaskCommand,
  ListMessageMoveTasksCommand,
  type ListMessageMoveTasksResultEntry,
  ResourceNotFoundException,
  type SQSClient,
  StartMessageMoveTaskCommand,
  UnsupportedOperation,
} from '@aws-sdk/client-sqs';
import { MOVE_TASK_LIMITS } from '../../policy/aws-limits';
import type { MoveFacts, MoveStatus } from '../../policy/redrive/redrive-facts';
import { type AwsFailure, awsFailureOf, isNotFound } from './aws-calls';

const STATUSES: readonly MoveStatus[] = ['RUNNING', 'COMPLETED', 'CANCELLING', 'CANCELLED', 'FAILED'];

function taskFactsOf(entry: ListMessageMoveTasksResultEntry): MoveFacts {
  const { TaskHandle, MaxNumberOfMessagesPerSecond, DestinationArn, FailureReason } = entry;
  const status = STATUSES.find(it => it === entry.Status);
  if (!status) throw new Error(`SQS lists a message move task with the unknown status ${entry.Status}`);
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
 * Lists the message move tasks of a source queue, the newest first. Returns none if the queue does not exist or is not a
 * dead-letter queue.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListMessageMoveTasks.html
 */
export async function listMoveTasks(client: SQSClient, SourceArn: string): Promise<readonly MoveFacts[]> {
  try {
    const command = new ListMessageMoveTasksCommand({ SourceArn, MaxResults: MOVE_TASK_LIMITS.listedTasks });
    const { Results = [] } = await client.send(command);
    return Results.map(taskFactsOf).sort((one, other) => other.startedAtMs - one.startedAtMs);
  } catch (error) {
    if (isNotFound(error) || isNotADeadLetterQueue(error)) return [];
    throw error;
  }
}

export interface TaskRoute {
  readonly sourceArn: string;
  /** Always set: SQS cannot determine the source queue of every message. */
  readonly destinationArn: string;
}

export type TaskStart =
  | { readonly outcome: 'started' }
  /** An operator or another run of the function is moving messages of this queue. */
  | { readonly outcome: 'already-running'; readonly reason: string }
  /** SQS moves only messages of a queue that another queue names as its dead-letter queue. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** AWS rejected the call. */
  | { readonly outcome: 'failed'; readonly code: string; readonly reason: string };

function startFailure(error: unknown): TaskStart {
  const failure = awsFailureOf(error, 'StartMessageMoveTask');
  if (!failure) throw error;
  const { code, reason } = failure;
  if (isAlreadyRunning(error)) return { outcome: 'already-running', reason };
  if (isNotADeadLetterQueue(error)) return { outcome: 'refused', reason };
  return { outcome: 'failed', code, reason };
}

/**
 * Returns a function that starts an SQS message move task. SQS knows no limit of messages for a task: the caller cancels it.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export function taskStarter(
  client: SQSClient,
  { sourceArn, destinationArn }: TaskRoute,
): (messagesPerSecond: number) => Promise<TaskStart> {
  return async messagesPerSecond => {
    try {
      await client.send(
        new StartMessageMoveTaskCommand({
          SourceArn: sourceArn,
          DestinationArn: destinationArn,
          MaxNumberOfMessagesPerSecond: messagesPerSecond,
        }),
      );
      return { outcome: 'started' };
    } catch (error) {
      return startFailure(error);
    }
  };
}

export type CancelResult =
  | {
      readonly outcome: 'cancelled';
      /** Messages moved until then. @default - SQS does not say */
      readonly moved?: number;
    }
  | { readonly outcome: 'over-already' }
  | AwsFailure;

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CancelMessageMoveTask.html */
export function taskCanceller(client: SQSClient): (handle: string) => Promise<CancelResult> {
  return async TaskHandle => {
    try {
      const answer = await client.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
      const { ApproximateNumberOfMessagesMoved: moved } = answer;
      return { outcome: 'cancelled', ...(moved !== undefined && { moved }) };
    } catch (error) {
      const failure = awsFailureOf(error, 'CancelMessageMoveTask');
      if (!failure) throw error;
      return isTaskOver(error) ? { outcome: 'over-already' } : failure;
    }
  };
}

/**
 * SQS uses one error code for many mistakes, so only the text tells them apart. The texts were recorded from AWS.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
function messageMatches(words: RegExp): (thrown: unknown) => boolean {
  return thrown => thrown instanceof Error && words.test(thrown.message);
}

/** No queue names the source as its dead-letter queue: for example, only SNS or Lambda send to it. */
export const isNotADeadLetterQueue = messageMatches(/must be configured as a Dead Letter Queue/i);

/** Another task of the source queue is running. */
export const isAlreadyRunning = messageMatches(/already a task running|Only one active task/i);

/**
 * Whether the task has ended, or SQS no longer knows it. These two of the documented errors are about the task.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CancelMessageMoveTask.html
 */
export function isTaskOver(thrown: unknown): boolean {
  return thrown instanceof ResourceNotFoundException || thrown instanceof UnsupportedOperation;
}
