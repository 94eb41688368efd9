import { CancelMessageMoveTaskCommand, type SQSClient, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { isAlreadyRunning, isNotADeadLetterQueue, isTaskOver } from './move-refusals';
import type { StepResult, StepRunner } from './ports';
import { type AwsFailure, awsFailureOf } from './refusal';

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
