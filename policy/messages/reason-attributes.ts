import type { FleetDeadLetterCause } from '../fleet/dead-letter-cause';
import {
  type FittedAttributes,
  fittedAttributes,
  numberAttribute,
  type QueueAttribute,
  type QueueAttributes,
  textAttribute,
  timeAttribute,
} from './queue-attributes';

/** What is recorded about a message that the relay gives up. */
export interface DeadLetterFacts {
  readonly cause: FleetDeadLetterCause;
  readonly reason: string;
  /**
   * How many attempts of the schedule were spent, the initial one included: attempts that were made, and receives that
   * were due but throttled or not tried. SQS only counts receives, so it does not distinguish them.
   */
  readonly attemptsSpent: number;
  /**
   * The status of the last answer.
   * @default - the last attempt got no answer
   */
  readonly lastStatusCode?: number;
  /** When the message was sent to the relay's queue. */
  readonly sentAtMs: number;
  readonly firstReceivedAtMs: number;
  readonly deadLetteredAtMs: number;
  /** The endpoint, in a form that logs may show. */
  readonly destination: string;
}

/** The relay's own attributes, the most important first. */
function reasonAttributes(facts: DeadLetterFacts): [string, QueueAttribute][] {
  const { lastStatusCode } = facts;
  const status: [string, QueueAttribute][] =
    lastStatusCode === undefined ? [] : [['LastStatusCode', numberAttribute(lastStatusCode)]];
  return [
    ['DeadLetterCause', textAttribute(facts.cause)],
    ['DeadLetterReason', textAttribute(facts.reason)],
    ['AttemptsSpent', numberAttribute(facts.attemptsSpent)],
    ...status,
    ['Destination', textAttribute(facts.destination)],
    ['SentAt', timeAttribute(facts.sentAtMs)],
    ['FirstReceivedAt', timeAttribute(facts.firstReceivedAtMs)],
    ['DeadLetteredAt', timeAttribute(facts.deadLetteredAtMs)],
  ];
}

/**
 * Returns the attributes that fit next to `body`: first the relay's own, then those the message came with.
 * @param original the attributes the message came with
 */
export function deadLetterAttributes(
  facts: DeadLetterFacts,
  body: string,
  original: QueueAttributes = {},
): FittedAttributes {
  return fittedAttributes(reasonAttributes(facts), body, original);
}

/** Why a message is not replayed again. */
export type QuarantineCause =
  /** It contains no event for a function. */
  | 'not-an-event'
  /** The function was invoked with it and failed again. */
  | 'came-back'
  /** Lambda refuses it. */
  | 'refused';

/** What is recorded about a message in a quarantine queue. */
interface QuarantineFacts {
  readonly cause: QuarantineCause;
  readonly reason: string;
  readonly quarantinedAtMs: number;
  /** When it was sent to the dead-letter queue. */
  readonly sentAtMs: number;
  /** The dead-letter queue it was in. */
  readonly sourceArn: string;
}

/**
 * Returns the attributes of a message in a quarantine queue: the reasons first, then those it came with. Of Lambda's
 * attributes, `ErrorMessage` is the one an operator reads.
 */
export function quarantineAttributes(
  facts: QuarantineFacts,
  body: string,
  original: QueueAttributes,
): FittedAttributes {
  const said = [
    ['QuarantineCause', textAttribute(facts.cause)],
    ['QuarantineReason', textAttribute(facts.reason)],
    ['QuarantinedFrom', textAttribute(facts.sourceArn)],
    ['QuarantinedAt', timeAttribute(facts.quarantinedAtMs)],
    ['DeadLetterSentAt', timeAttribute(facts.sentAtMs)],
  ] as const;
  return fittedAttributes(said, body, original);
}
