import type { FleetDeadLetterCause } from '../../policy/fleet/dead-letter-cause';
import { groupOf } from '../../policy/fleet/endpoint';
import { type Delivery, messageText } from '../../policy/fleet/fleet-messages';
import { deadLetterAttributes } from '../../policy/messages/reason-attributes';
import type { FleetPorts } from './ports';
import type { FleetTally } from './tally';

/** Why a message is given up. */
export interface GivenUp {
  readonly cause: FleetDeadLetterCause;
  readonly reason: string;
  /** @default 0 */
  readonly attempts?: number;
  /** @default - no answer came */
  readonly lastStatusCode?: number;
  readonly sentAtMs: number;
}

type DeadLetterPorts = Pick<FleetPorts, 'queues' | 'nowMs' | 'print'>;

/** Sends a message with the reason to the dead-letter queue. @returns whether the queue has it; if not, it must stay where it is */
export async function deadLetter(
  body: string,
  destination: string,
  { attempts = 0, ...givenUp }: GivenUp,
  ports: DeadLetterPorts,
  tally: FleetTally,
): Promise<boolean> {
  const { queues, nowMs, print } = ports;
  const times = { firstReceivedAtMs: givenUp.sentAtMs, deadLetteredAtMs: nowMs() };
  const { attributes } = deadLetterAttributes({ ...givenUp, ...times, attemptsSpent: attempts, destination }, body);
  const record = { destination, ...givenUp, attempts };
  try {
    await queues.sendDeadLetter({ body, attributes });
  } catch (error) {
    const message = 'the dead-letter queue did not take the message, which stays where it is';
    tally.broken(ports, message, error, record);
    tally.count('DeadLetteringFailed');
    return false;
  }
  print({ level: 'WARN', message: 'dead-lettered', ...record });
  tally.count('Dead');
  return true;
}

/** Gives up a delivery. When an operator moves it back to the deliveries queue, it has all of its attempts again. */
export function deadLetterDelivery(
  { probeDueAtMs: _, returnedDueAtMs: __, waits: ___, ...delivery }: Delivery,
  givenUp: Omit<GivenUp, 'sentAtMs' | 'attempts'>,
  ports: DeadLetterPorts,
  tally: FleetTally,
): Promise<boolean> {
  const { attempts, sentAtMs } = delivery;
  const body = messageText({ ...delivery, attempts: 0 } satisfies Delivery);
  return deadLetter(body, groupOf(delivery), { ...givenUp, attempts, sentAtMs }, ports, tally);
}
