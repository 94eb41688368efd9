import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { stepRunners } from '../../lambda/redrive/copy-or-replay';
import { MOVE_CLIENT_CONFIG } from '../../mover/aws-calls';
import { nowMs, wait } from '../../mover/clock';
import type { StepResult, WriteMetrics } from '../../mover/step-runner';
import type { RedriveFacts } from '../../policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../policy/redrive/redrive-settings';

/** What one stint is asked for. */
export interface MovePassEvent {
  readonly settings: Pick<RedriveSettings, 'deadLetters' | 'destination' | 'failures' | 'quarantine' | 'settleMs'>;
  readonly messagesPerSecond: number;
  readonly messages: number;
  /** Letters that were visible. */
  readonly toMove: number;
  /** @default - the run begins with this stint */
  readonly runStartedAtMs?: number;
  /** When somebody puts the switch to `off`. @default - nobody does */
  readonly offAtMs?: number;
}

const writeMetrics: WriteMetrics = (atMs, metrics) => process.stdout.write(`${JSON.stringify({ atMs, metrics })}\n`);

/** What is asked for beside what a carrier looks at. */
const NO_FACTS: Omit<RedriveFacts, 'nowMs' | 'deadLetters'> = {
  trigger: 'operator',
  killSwitch: 'on',
  destination: undefined,
  moves: [],
  isMovesComplete: true,
  alarms: [],
  mappings: [],
};

/** One stint a run of the function, by the carriers that ship. */
export async function handler(event: MovePassEvent, context: Context): Promise<StepResult> {
  const { settings, messagesPerSecond, messages, toMove, runStartedAtMs = nowMs(), offAtMs = Infinity } = event;
  const [sqs, lambda] = [new SQSClient(MOVE_CLIENT_CONFIG), new LambdaClient(MOVE_CLIENT_CONFIG)];
  const { copy, replay } = stepRunners({ ...settings, mayCarry: true }, { sqs, lambda, nowMs, wait, writeMetrics });
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
