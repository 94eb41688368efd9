import {
  CancelMessageMoveTaskCommand,
  ListMessageMoveTasksCommand,
  type ListMessageMoveTasksResultEntry,
  ResourceNotFoundException,
  type SQSClient,
  StartMessageMoveTaskCommand,
  UnsupportedOperation,
} from '@aws-sdk/client-sqs';
import type { MoveFacts, MoveStatus } from '../policy/redrive/redrive-facts';
import { type AwsFailure, awsFailureOf, isNotFound } from './aws-calls';
import type { StepResult, StepRunner } from './move-step';

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

/** Where a task's messages come from, and go to. */
export interface TaskRoute {
  readonly sourceArn: string;
  /** Always named, so that SQS need not know where a message came from. */
  readonly destinationArn: string;
}

function startFailure(error: unknown): StepResult {
  const refusal = awsFailureOf(error, 'StartMessageMoveTask');
  if (!refusal) throw error;
  const { code, reason } = refusal;
  if (isAlreadyRunning(error)) return { outcome: 'already-running', reason };
  if (isNotADeadLetterQueue(error)) return { outcome: 'refused', reason };
  return { outcome: 'failed', code, reason };
}

/**
 * Moves a step's messages by a task of SQS. It knows no quota: the function looks after it, and cancels it.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export function taskRunner(client: SQSClient, { sourceArn, destinationArn }: TaskRoute): StepRunner {
  return {
    start: async ({ decision }) => {
      try {
        await client.send(
          new StartMessageMoveTaskCommand({
            SourceArn: sourceArn,
            DestinationArn: destinationArn,
            MaxNumberOfMessagesPerSecond: decision.messagesPerSecond,
          }),
        );
        return { outcome: 'started' };
      } catch (error) {
        return startFailure(error);
      }
    },
  };
}

/** What came of cancelling a task. */
export type CancelResult =
  | {
      readonly outcome: 'cancelled';
      /** By then, as far as SQS tells. @default - it does not tell */
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
      const refusal = awsFailureOf(error, 'CancelMessageMoveTask');
      if (!refusal) throw error;
      return isTaskOver(error) ? { outcome: 'over-already' } : refusal;
    }
  };
}

/**
 * What SQS says no to a move task with. It has one code for many mistakes, so its words tell them apart; each was recorded.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
function messageMatches(words: RegExp): (thrown: unknown) => boolean {
  return thrown => thrown instanceof Error && words.test(thrown.message);
}

/** No queue names the source as its dead-letter queue, as where only SNS or Lambda send there. */
export const isNotADeadLetterQueue = messageMatches(/must be configured as a Dead Letter Queue/i);

/** Another task of the source runs: somebody's by hand, or of another run of this function. */
export const isAlreadyRunning = messageMatches(/already a task running|Only one active task/i);

/**
 * Whether the task to be cancelled is over, or SQS has forgotten it: of the errors the reference lists for a cancellation,
 * these two are about the task.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CancelMessageMoveTask.html
 */
export function isTaskOver(thrown: unknown): boolean {
  return thrown instanceof ResourceNotFoundException || thrown instanceof UnsupportedOperation;
}
