import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { NowMs, Wait } from '../../mover/clock';
import { deadLetterReceiver, quarantineSender } from '../../mover/dead-letter-receiver';
import { CopyingMessageMover } from '../../mover/message-mover';
import { runMovePass } from '../../mover/move-pass';
import { ReplayingMessageMover } from '../../mover/replaying-message-mover';
import type { StepRunner, WriteMetrics } from '../../mover/step-runner';
import type { FunctionDestination, QueueName, RedriveSettings } from '../../policy/redrive/redrive-settings';

/** What the runners need that move messages themselves. */
export interface StepRunnerPorts {
  /** Both clients are configured by `MOVE_CLIENT_CONFIG`. */
  readonly sqs: SQSClient;
  readonly lambda: LambdaClient;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  readonly writeMetrics: WriteMetrics;
}

type Settings = Pick<
  RedriveSettings,
  'deadLetters' | 'destination' | 'mayCarry' | 'failures' | 'quarantine' | 'settleMs'
>;

/**
 * Returns the runner that moves messages itself, where SQS cannot: it copies them to a queue, or replays them to a function.
 * Returns none if the function lacks the permissions for it.
 */
export function stepRunners(
  { deadLetters, destination, mayCarry, failures, quarantine, settleMs }: Settings,
  { sqs, lambda, ...ports }: StepRunnerPorts,
): Partial<Readonly<Record<'copy' | 'replay', StepRunner>>> {
  if (!mayCarry) return {};
  if (destination.kind === 'queue') {
    return { copy: copyRunner({ ...ports, client: sqs, deadLetters, destination }) };
  }
  const returnsHere = failures?.arn === deadLetters.arn;
  return {
    replay: replayRunner({
      ...ports,
      sqs,
      lambda,
      deadLetters,
      destination,
      ...(returnsHere && { returnsWithinMs: settleMs }),
      ...(quarantine && { quarantine }),
    }),
  };
}

/** What `copyRunner` needs. */
export interface CopyRunnerPorts {
  /** Configured by `MOVE_CLIENT_CONFIG`. */
  readonly client: SQSClient;
  readonly deadLetters: QueueName;
  readonly destination: QueueName;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  readonly writeMetrics: WriteMetrics;
}

/** Moves a step's messages to a queue by receiving, sending and deleting them. Used where an SQS move task cannot. */
export function copyRunner({
  client,
  deadLetters,
  destination,
  nowMs,
  wait,
  writeMetrics,
}: CopyRunnerPorts): StepRunner {
  const receiver = deadLetterReceiver(client, deadLetters.url, wait);
  const passPorts = { deadLetters: receiver, nowMs, wait, writeMetrics };
  return { start: order => runMovePass(new CopyingMessageMover(client, destination), passPorts, order) };
}

/** What `replayRunner` needs. */
interface ReplayRunnerPorts {
  /** Both clients are configured by `MOVE_CLIENT_CONFIG`. */
  readonly sqs: SQSClient;
  readonly lambda: LambdaClient;
  readonly deadLetters: QueueName;
  readonly destination: FunctionDestination;
  /** How long an event that the function fails may take to return to `deadLetters`. @default - it goes to another queue */
  readonly returnsWithinMs?: number;
  /** @default - a message that returned, or that is not an event, remains in `deadLetters` */
  readonly quarantine?: QueueName;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  readonly writeMetrics: WriteMetrics;
}

/** Replays a step's messages: invokes a function with the events they contain. */
function replayRunner(ports: ReplayRunnerPorts): StepRunner {
  const { sqs, lambda, deadLetters, destination, returnsWithinMs, quarantine, nowMs, wait, writeMetrics } = ports;
  const receiver = deadLetterReceiver(sqs, deadLetters.url, wait);
  // One for all passes of an execution environment: it remembers the requests it has made.
  const messageMover = new ReplayingMessageMover(lambda, destination, returnsWithinMs);
  const sendToQuarantine = quarantine && quarantineSender({ client: sqs, quarantine, deadLetters, nowMs, wait });
  const passPorts = {
    deadLetters: receiver,
    nowMs,
    wait,
    writeMetrics,
    ...(sendToQuarantine && { quarantine: sendToQuarantine }),
  };
  return { start: order => runMovePass(messageMover, passPorts, order) };
}
