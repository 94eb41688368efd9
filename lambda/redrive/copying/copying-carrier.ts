import type { SQSClient } from '@aws-sdk/client-sqs';
import { CopyingMessageMover } from '../../../mover/copying-courier';
import { deadLetterReceiver } from '../../../mover/letter-box';
import { runMovePass } from '../../../mover/stint';
import type { QueueName } from '../../../policy/redrive/redrive-settings';
import type { NowMs, Wait } from '../../shared/clock';
import type { StepRunner, WriteMetrics } from '../ports';

/** What copying takes. */
export interface CopyRunnerPorts {
  /** See `STINT_CLIENT_CONFIG`. */
  readonly client: SQSClient;
  readonly deadLetters: QueueName;
  readonly destination: QueueName;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  readonly tell: WriteMetrics;
}

/** Moves a step's messages to a queue by receiving, sending and deleting them, where no task of SQS may. */
export function copyRunner({ client, deadLetters, destination, nowMs, wait, tell }: CopyRunnerPorts): StepRunner {
  const receiver = deadLetterReceiver(client, deadLetters.url, wait);
  return {
    start: order =>
      runMovePass(new CopyingMessageMover(client, destination), { deadLetters: receiver, nowMs, wait, tell }, order),
  };
}
