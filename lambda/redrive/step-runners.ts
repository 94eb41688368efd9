import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { NowMs, Wait } from '../../mover/clock';
import { deadLetterReceiver, quarantineSender } from '../../mover/dead-letter-receiver';
import { CopyingMessageMover } from '../../mover/message-mover';
import { runMovePass } from '../../mover/move-pass';
import type { StepRunner, WriteMetrics } from '../../mover/move-step';
import { ReplayingMessageMover } from '../../mover/replaying-message-mover';
import type { FunctionDestination, QueueName, RedriveSettings } from '../../policy/redrive/redrive-settings';

/** What the carriers take that move messages themselves. */
export interface StepRunnerPorts {
  /** Like `lambda`, as `STINT_CLIENT_CONFIG` has it. */
  readonly sqs: SQSClient;
  readonly lambda: LambdaClient;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  readonly tell: WriteMetrics;
}

type Settings = Pick<
  RedriveSettings,
  'deadLetters' | 'destination' | 'mayCarry' | 'failures' | 'quarantine' | 'settleMs'
>;

/**
 * Who moves messages to the destination where SQS does not: to a queue by copying them, to a function by replaying them. Nobody
 * where the function has not what that takes.
 */
export function stepRunners(
  { deadLetters, destination, mayCarry, failures, quarantine, settleMs }: Settings,
  { sqs, lambda, ...ports }: StepRunnerPorts,
): Partial<Readonly<Record<'copy' | 'replay', StepRunner>>> {
  if (!mayCarry) return {};
  if (destination.kind === 'queue') {
    return { copy: copyRunner({ ...ports, client: sqs, deadLetters, destination }) };
  }
  const isFedByIt = failures?.arn === deadLetters.arn;
  return {
    replay: replayRunner({
      ...ports,
      sqs,
      lambda,
      deadLetters,
      destination,
      ...(isFedByIt && { comesBackWithinMs: settleMs }),
      ...(quarantine && { quarantine }),
    }),
  };
}

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
