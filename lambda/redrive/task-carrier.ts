import { CancelMessageMoveTaskCommand, type SQSClient, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { isAlreadyRunning, isNoDeadLetterQueue, isOver } from './move-refusals';
import type { Carrier, Started } from './ports';
import { type Refusal, refusalOf } from './refusal';

/** Where a task's messages come from, and go to. */
export interface TaskRoute {
  readonly sourceArn: string;
  /** Always named, so that SQS need not know where a message came from. */
  readonly destinationArn: string;
}

function refused(error: unknown): Started {
  const refusal = refusalOf(error, 'StartMessageMoveTask');
  if (!refusal) throw error;
  const { code, reason } = refusal;
  if (isAlreadyRunning(error)) return { outcome: 'already-running', reason };
  if (isNoDeadLetterQueue(error)) return { outcome: 'refused', reason };
  return { outcome: 'failed', code, reason };
}

/**
 * Moves a step's messages by a task of SQS. It knows no quota: the function looks after it, and cancels it.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export function taskCarrier(client: SQSClient, { sourceArn, destinationArn }: TaskRoute): Carrier {
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
        return refused(error);
      }
    },
  };
}

/** What came of cancelling a task. */
export type Cancelled =
  | {
      readonly outcome: 'cancelled';
      /** By then, as far as SQS tells. @default - it does not tell */
      readonly moved?: number;
    }
  | { readonly outcome: 'over-already' }
  | Refusal;

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CancelMessageMoveTask.html */
export function cancelling(client: SQSClient): (handle: string) => Promise<Cancelled> {
  return async TaskHandle => {
    try {
      const answer = await client.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
      const { ApproximateNumberOfMessagesMoved: moved } = answer;
      return { outcome: 'cancelled', ...(moved !== undefined && { moved }) };
    } catch (error) {
      const refusal = refusalOf(error, 'CancelMessageMoveTask');
      if (!refusal) throw error;
      return isOver(error) ? { outcome: 'over-already' } : refusal;
    }
  };
}
