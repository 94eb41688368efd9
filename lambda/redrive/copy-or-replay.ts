import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { awsFailureOf } from '../../mover/aws/aws-calls';
import type { NowMs, Wait } from '../../mover/aws/clock';
import {
  type DeadLetterReceiver,
  deadLetterReceiver,
  HOLD_SECONDS,
  quarantineSender,
} from '../../mover/dead-letter-receiver';
import { CopyingMessageMover, type MessageMover } from '../../mover/message-mover';
import { type MovePassPorts, runMovePass } from '../../mover/move-pass';
import type { PassCounts, PassEnd } from '../../mover/pass-progress';
import { ReplayingMessageMover, readReplayedFunction, replayHoldSeconds } from '../../mover/replaying-message-mover';
import { counted } from '../../policy/format-text';
import { MOVE_PASS_ENDS } from '../../policy/metric-names';
import type { RedriveCause } from '../../policy/redrive/redrive-decision';
import type { FunctionDestination, QueueName, RedriveSettings } from '../../policy/redrive/redrive-settings';
import { MAX_REPLAYED_TIMEOUT_SECONDS, type ReplayedFunction, replayProblem } from '../../policy/redrive/replay-event';
import type { StepOrder, StepResult, StepRunner, WriteMetrics } from './step-runner';

/** What the runners need that move messages themselves. */
export interface StepRunnerPorts {
  /** Configured by `MOVE_CLIENT_CONFIG`. */
  readonly sqs: SQSClient;
  /** Configured by `INVOKE_CLIENT_CONFIG`. */
  readonly lambda: LambdaClient;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  readonly writeMetrics: WriteMetrics;
}

type Settings = Pick<RedriveSettings, 'deadLetters' | 'destination' | 'mayMoveMessages' | 'quarantine'>;

/**
 * Returns the runner that moves messages itself, where SQS cannot: it copies them to a queue, or replays them to a function.
 * Returns none if the function lacks the permissions for it.
 */
export function stepRunners(
  { deadLetters, destination, mayMoveMessages, quarantine }: Settings,
  { sqs, lambda, ...ports }: StepRunnerPorts,
): Partial<Readonly<Record<'copy' | 'replay', StepRunner>>> {
  if (!mayMoveMessages) return {};
  if (destination.kind === 'queue') {
    return { copy: copyRunner({ ...ports, client: sqs, deadLetters, destination }) };
  }
  return {
    replay: replayRunner({ ...ports, sqs, lambda, deadLetters, destination, ...(quarantine && { quarantine }) }),
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
  return {
    start: order => {
      const receiver = noticingReceiver(client, deadLetters, wait, HOLD_SECONDS);
      return runStep(new CopyingMessageMover(client, destination), { ...receiver, nowMs, wait, writeMetrics }, order);
    },
  };
}

/** What `replayRunner` needs. */
interface ReplayRunnerPorts {
  /** Configured by `MOVE_CLIENT_CONFIG`. */
  readonly sqs: SQSClient;
  /** Configured by `INVOKE_CLIENT_CONFIG`. */
  readonly lambda: LambdaClient;
  readonly deadLetters: QueueName;
  readonly destination: FunctionDestination;
  /** @default - a message that the function fails on, or that is not an event, remains in `deadLetters` */
  readonly quarantine?: QueueName;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  readonly writeMetrics: WriteMetrics;
}

/**
 * Replays a step's messages: invokes a function with the events they contain, and waits for the results. A step reads the
 * function's configuration first, because a deployment may have changed it.
 */
function replayRunner(ports: ReplayRunnerPorts): StepRunner {
  const { lambda, destination, wait } = ports;
  return {
    start: async order => {
      let replayed: ReplayedFunction;
      try {
        replayed = await readReplayedFunction(lambda, destination.arn, wait);
      } catch (error) {
        const failure = awsFailureOf(error, 'reading the configuration of the function');
        if (!failure) throw error;
        return { outcome: 'failed', code: failure.code, reason: failure.reason };
      }
      const problem = replayProblem(replayed, MAX_REPLAYED_TIMEOUT_SECONDS);
      if (problem !== undefined)
        return { outcome: 'failed', code: NOT_REPLAYABLE, reason: `${destination.arn} ${problem}` };
      return replay(ports, order, replayed);
    },
  };
}

/** The code of a result that comes from our own rule, not from AWS. */
const NOT_REPLAYABLE = 'FunctionNotReplayable';

function replay(ports: ReplayRunnerPorts, order: StepOrder, { timeoutSeconds }: ReplayedFunction): Promise<StepResult> {
  const { sqs, lambda, deadLetters, destination, quarantine, nowMs, wait, writeMetrics } = ports;
  const messageMover = new ReplayingMessageMover(lambda, destination, timeoutSeconds);
  const receiver = noticingReceiver(sqs, deadLetters, wait, replayHoldSeconds(messageMover.callMs));
  const sendToQuarantine = quarantine && quarantineSender({ client: sqs, quarantine, deadLetters, nowMs, wait });
  const passPorts = {
    ...receiver,
    nowMs,
    wait,
    writeMetrics,
    ...(sendToQuarantine && { quarantine: sendToQuarantine }),
  };
  return runStep(messageMover, passPorts, order);
}

interface NoticingReceiver {
  readonly deadLetters: DeadLetterReceiver;
  /** Says what lost answers of SQS leave unknown. Empty while none was lost. */
  readonly lostText: () => string;
}

/** A receiver that notices answers that are lost: SQS may have hidden messages that the pass does not know. */
function noticingReceiver(client: SQSClient, { url }: QueueName, wait: Wait, hiddenSeconds: number): NoticingReceiver {
  let lost = 0;
  const deadLetters = deadLetterReceiver(client, url, wait, hiddenSeconds, () => {
    lost += 1;
  });
  const lostText = () =>
    lost === 0
      ? ''
      : `; ${counted(lost, 'answer', 'answers')} of SQS with messages may have been lost, which hides them for ${hiddenSeconds} s`;
  return { deadLetters, lostText };
}

type StepPassPorts = Omit<MovePassPorts, 'onCounted' | 'deadLetters'> &
  NoticingReceiver &
  Pick<StepRunnerPorts, 'writeMetrics'>;

/** Runs the move pass of a step, and writes its metrics. All data points have the start of the pass. */
async function runStep(
  messageMover: MessageMover,
  { writeMetrics, lostText, ...ports }: StepPassPorts,
  { decision, facts, runStartedAtMs, remainingMs, check }: StepOrder,
): Promise<StepResult> {
  const { messagesPerSecond, messages } = decision;
  const { nowMs } = ports;
  const startedAtMs = nowMs();
  const toMove = facts.deadLetters?.visible ?? 0;
  writeMetrics(startedAtMs, { MovePassRate: messagesPerSecond, MovePassToMove: toMove });
  const writeEnd = (status: PassEnd['status']) => {
    const MovePassSeconds = Math.ceil((nowMs() - startedAtMs) / 1_000);
    writeMetrics(startedAtMs, { MovePassEnd: MOVE_PASS_ENDS[status], MovePassSeconds });
  };
  let cause: RedriveCause | undefined;
  const order = {
    messagesPerSecond,
    messages,
    sentUntilMs: runStartedAtMs,
    remainingMs,
    check: async ({ moved, returned, quarantined: setAside }: PassCounts) => {
      const stop = await check({ startedAtMs, moved, returned, setAside, toMove });
      cause = stop?.cause;
      return stop?.reason;
    },
  };
  const onCounted = (added: PassCounts) => writeMetrics(startedAtMs, metricsOf(added));
  try {
    const { status, reason, ...result } = await runMovePass(messageMover, { ...ports, onCounted }, order);
    writeEnd(status);
    const stopped = status === 'CANCELLED' && cause && { cause };
    return { outcome: 'move-pass', status, ...stopped, reason: `${reason}${lostText()}`, ...result };
  } catch (error) {
    writeEnd('FAILED');
    throw error;
  }
}

function metricsOf({ moved, quarantined, returned }: PassCounts) {
  return {
    ...(moved > 0 && { MovePassMoved: moved }),
    ...(quarantined > 0 && { MovePassQuarantined: quarantined }),
    ...(returned > 0 && { MovePassReturned: returned }),
  };
}
