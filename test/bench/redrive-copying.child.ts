import { SQSClient } from '@aws-sdk/client-sqs';
import { copyRunner } from '../../lambda/redrive/copy-or-replay';
import { MOVE_CLIENT_CONFIG } from '../../mover/aws/aws-calls';
import { nowMs, wait } from '../../mover/aws/clock';
import type { QueueName } from '../../policy/redrive/redrive-settings';
import { MINUTE_MS } from '../../policy/time-units';
import { timed } from './measure';

/** What this process should copy. It answers with the milliseconds that took. */
export interface CopyingLoad {
  /** Of the embedded AWS. */
  readonly endpoint: string;
  readonly deadLetters: QueueName;
  readonly destination: QueueName;
  readonly messagesPerSecond: number;
  readonly messages: number;
}

async function copy({ endpoint, deadLetters, destination, messagesPerSecond, messages }: CopyingLoad): Promise<number> {
  const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' };
  const client = new SQSClient({ ...MOVE_CLIENT_CONFIG, endpoint, region: 'us-east-1', credentials });
  const runner = copyRunner({ client, deadLetters, destination, nowMs, wait, writeMetrics: () => {} });
  const start = nowMs();
  return timed(async () => {
    const came = await runner.start({
      decision: { kind: 'start', step: 0, carrier: 'copy', messagesPerSecond, messages, reason: 'measured' },
      facts: {
        nowMs: start,
        trigger: 'operator',
        killSwitch: 'on',
        deadLetters: { visible: messages, inFlight: 0, delayed: 0 },
        destination: undefined,
        moves: [],
        isMovesComplete: true,
        alarms: [],
        mappings: [],
      },
      runStartedAtMs: start,
      remainingMs: () => start + 15 * MINUTE_MS - nowMs(),
      check: async () => undefined,
    });
    if (came.outcome !== 'move-pass' || came.moved !== messages) throw new Error(`it came to ${JSON.stringify(came)}`);
  });
}

process.on('message', (load: CopyingLoad) => {
  copy(load).then(
    ms => process.send?.(ms),
    (error: Error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
