import { deadLetterAttributes } from '../../policy/relay/dead-letter';
import type { DeadStep } from '../../policy/relay/relay-step';
import { deadLetteringFailedDelaySeconds } from '../../policy/relay/unburied';
import { errorOf } from '../shared/log';
import type { DeliveryResult } from './ending';
import type { RelayMessage } from './letter';
import { idsOf } from './letter-names';
import { type Invocation, retryIn } from './run';

/** Our choice: how long a message stays hidden that a breaker had given up untried, and the dead-letter queue did not take. */
const EXPIRING_DELAY_SECONDS = 300;

/** How far the relay came with a message it gives up. */
export interface DeliveryHistory {
  /** Attempts of the schedule that are spent, the initial one included. */
  readonly attemptsSpent: number;
  /** The endpoint, as records may show it. */
  readonly destination: string;
  /**
   * Of the last answer.
   * @default - none came
   */
  readonly lastStatusCode?: number;
}

/**
 * Sends a message to the dead-letter queue with the reason; the relay's own queue forgets it afterwards. Where that does not
 * come about the message stays, and is tried again later.
 */
export async function deadLetterMessage(
  relayMessage: RelayMessage,
  { cause, reason }: DeadStep,
  past: DeliveryHistory,
  run: Invocation,
): Promise<DeliveryResult> {
  const { sentAtMs, firstReceivedAtMs } = relayMessage;
  const facts = { ...past, cause, reason, sentAtMs, firstReceivedAtMs, deadLetteredAtMs: run.nowMs() };
  const { attributes, omitted } = deadLetterAttributes(facts, relayMessage.body, relayMessage.attributes);
  const reported = {
    ...idsOf(relayMessage),
    cause,
    reason,
    ...past,
    ...(omitted.length > 0 && { omitted }),
  };
  try {
    await run.queues.deadLetterMessage(relayMessage, attributes);
  } catch (error) {
    const { name, message: problem } = errorOf(error);
    const message = 'the dead-letter queue did not take the message, which stays in the queue';
    run.print({ level: 'ERROR', message, ...reported, error: name, problem });
    run.tally.deadLetteringFailed();
    return retryIn(
      run.areExpiring ? EXPIRING_DELAY_SECONDS : deadLetteringFailedDelaySeconds(relayMessage, run.nowMs()),
      run,
    );
  }
  run.print({ level: 'WARN', message: 'dead-lettered', ...reported });
  return { kind: 'dead', cause };
}
