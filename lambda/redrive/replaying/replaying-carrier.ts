import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { deadLetterReceiver } from '../../../mover/letter-box';
import { quarantineSender } from '../../../mover/quarantine-box';
import { ReplayingMessageMover } from '../../../mover/replaying-courier';
import { runMovePass } from '../../../mover/stint';
import type { FunctionDestination, QueueName } from '../../../policy/redrive/redrive-settings';
import type { NowMs, Wait } from '../../shared/clock';
import type { StepRunner, WriteMetrics } from '../ports';

/** What replaying takes. */
export interface ReplayRunnerPorts {
  /** See `STINT_CLIENT_CONFIG`, for both. */
  readonly sqs: SQSClient;
  readonly lambda: LambdaClient;
  readonly deadLetters: QueueName;
  readonly destination: FunctionDestination;
  /** How long what the function fails at may take to come back to the dead letters. @default - it goes elsewhere */
  readonly comesBackWithinMs?: number;
  /** @default - what comes back, or is no event, stays among the dead letters */
  readonly quarantine?: QueueName;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  readonly tell: WriteMetrics;
}

/** Replays a step's messages: invokes a function with the events they hold. */
export function replayRunner(ports: ReplayRunnerPorts): StepRunner {
  const { sqs, lambda, deadLetters, destination, comesBackWithinMs, quarantine, nowMs, wait, tell } = ports;
  const receiver = deadLetterReceiver(sqs, deadLetters.url, wait);
  // One for all stints of an environment, which knows its requests for as long as it lives.
  const messageMover = new ReplayingMessageMover(lambda, destination, comesBackWithinMs);
  const put = quarantine && quarantineSender({ client: sqs, quarantine, deadLetters, nowMs, wait });
  const movePassPorts = { deadLetters: receiver, nowMs, wait, tell, ...(put && { quarantine: put }) };
  return { start: order => runMovePass(messageMover, movePassPorts, order) };
}
