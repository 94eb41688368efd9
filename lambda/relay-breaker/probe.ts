import type { Message } from '@aws-sdk/client-sqs';
import type { ProbeResult } from '../../policy/relay/breaker';
import type { InvokeRelay } from './relay-call';
import type { RelayQueue } from './relay-queue';
import { sqsEvent } from './sqs-event';

/** As long as SQS waits: a short look asks only some of its servers, and may miss the one message there is. */
const LONG_POLL_SECONDS = 20;

/** A probe, and what it leaves. */
export interface ProbeOutcome {
  readonly result: ProbeResult;
  /** The message that was tried, where the queue still has it. */
  readonly left?: Message;
}

/**
 * Has the relay's own function try one message of its queue, by the event Lambda would have invoked it with: what it does
 * with a message it cannot deliver is then done already. A message whose probe breaks off comes back by itself.
 */
export function relayProbe(queue: RelayQueue, ask: InvokeRelay, queueArn: string): () => Promise<ProbeOutcome> {
  return async () => {
    const [message] = await queue.receive({ max: 1, waitSeconds: LONG_POLL_SECONDS });
    if (!message) return { result: { kind: 'no-message', inFlight: await queue.inFlight() } };
    const asked = await ask(sqsEvent([message], queueArn));
    if ('broken' in asked) return { result: { kind: 'broken', reason: asked.broken }, left: message };
    const { batchItemFailures, attempts, delivered, failedAttempts } = asked.answer;
    const result: ProbeResult = { kind: 'answered', attempts, delivered, failedAttempts };
    if (batchItemFailures.length > 0) return { result, left: message };
    await queue.remove([message]);
    return { result };
  };
}
