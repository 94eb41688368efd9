import type { SQSClient } from '@aws-sdk/client-sqs';
import { CopyingMover } from '../../../mover/copying-courier';
import { deadLetterReceiver } from '../../../mover/letter-box';
import { runMovePass } from '../../../mover/stint';
import type { QueueName } from '../../../policy/redrive/redrive-settings';
import type { NowMs, Wait } from '../../shared/clock';
import type { Carrier, TellMetrics } from '../ports';

/** What copying takes. */
export interface CopyingPorts {
  /** See `STINT_CLIENT_CONFIG`. */
  readonly client: SQSClient;
  readonly deadLetters: QueueName;
  readonly destination: QueueName;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  readonly tell: TellMetrics;
}

/** Moves a step's messages to a queue by receiving, sending and deleting them, where no task of SQS may. */
export function copyingCarrier({ client, deadLetters, destination, nowMs, wait, tell }: CopyingPorts): Carrier {
  const receiver = deadLetterReceiver(client, deadLetters.url, wait);
  return {
    start: order =>
      runMovePass(new CopyingMover(client, destination), { deadLetters: receiver, nowMs, wait, tell }, order),
  };
}
