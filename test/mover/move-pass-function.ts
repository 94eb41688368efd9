import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { stepRunners } from '../../lambda/redrive/copy-or-replay';
import type { StepResult, WriteMetrics } from '../../lambda/redrive/step-runner';
import { INVOKE_CLIENT_CONFIG, MOVE_CLIENT_CONFIG } from '../../mover/aws/aws-calls';
import { nowMs, wait } from '../../mover/aws/clock';
import type { RedriveFacts } from '../../policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../policy/redrive/redrive-settings';

/** The request for one move pass. */
export interface MovePassEvent {
  readonly settings: Pick<RedriveSettings, 'deadLetters' | 'destination' | 'quarantine'>;
  readonly messagesPerSecond: number;
  readonly messages: number;
  /** The number of visible messages. */
  readonly toMove: number;
  /** @default - the run begins with this pass */
  readonly runStartedAtMs?: number;
  /** When an operator sets the switch to `off`. @default - never */
  readonly offAtMs?: number;
}

const writeMetrics: WriteMetrics = (atMs, metrics) => process.stdout.write(`${JSON.stringify({ atMs, metrics })}\n`);

/** Facts that a move pass does not read. */
const NO_FACTS: Omit<RedriveFacts, 'nowMs' | 'deadLetters'> = {
  trigger: 'operator',
  killSwitch: 'on',
  destination: undefined,
  moves: [],
  isMovesComplete: true,
  alarms: [],
  mappings: [],
};

/** Runs one move pass for each invocation, with the released code. */
export async function handler(event: MovePassEvent, context: Context): Promise<StepResult> {
  const { settings, messagesPerSecond, messages, toMove, runStartedAtMs = nowMs(), offAtMs = Infinity } = event;
  const [sqs, lambda] = [new SQSClient(MOVE_CLIENT_CONFIG), new LambdaClient(INVOKE_CLIENT_CONFIG)];
  const { copy, replay } = stepRunners(
    { ...settings, mayMoveMessages: true },
    { sqs, lambda, nowMs, wait, writeMetrics },
  );
  const by = copy ?? replay;
  if (!by) throw new Error('there is no carrier');
  return by.start({
    decision: {
      kind: 'start',
      step: 0,
      carrier: copy ? 'copy' : 'replay',
      messagesPerSecond,
      messages,
      reason: 'asked',
    },
    facts: { ...NO_FACTS, nowMs: nowMs(), deadLetters: { visible: toMove, inFlight: 0, delayed: 0 } },
    runStartedAtMs,
    remainingMs: () => context.getRemainingTimeInMillis(),
    check: async () => (nowMs() >= offAtMs ? { cause: 'switched-off', reason: 'the kill switch is off' } : undefined),
  });
}
