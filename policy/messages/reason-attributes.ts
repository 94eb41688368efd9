import type { DeadLetterCause } from '../relay/attempt-verdict';
import {
  type FittedAttributes,
  fittedAttributes,
  numberAttribute,
  type QueueAttribute,
  type QueueAttributes,
  textAttribute,
  timeAttribute,
} from './queue-attributes';

/** What is told of a message that is given up. */
export interface DeadLetterFacts {
  readonly cause: DeadLetterCause;
  readonly reason: string;
  /**
   * How many attempts of the schedule were spent, the initial one included: those that were made, and receives that came to
   * none although their time had come, throttled or not tried. SQS counts receives and nothing else, so nobody can tell them apart.
   */
  readonly attemptsSpent: number;
  /**
   * The status of the last answer.
   * @default - the last attempt had none
   */
  readonly lastStatusCode?: number;
  /** When the relay's queue got the message. */
  readonly sentAtMs: number;
  readonly firstReceivedAtMs: number;
  readonly deadLetteredAtMs: number;
  /** The endpoint, as records may show it. */
  readonly destination: string;
}

/** What the relay says, by its importance. */
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
 * The attributes that fit beside `body`: what the relay has to say first, then what the message came with.
 * @param original the attributes the message came with
 */
export function deadLetterAttributes(
  facts: DeadLetterFacts,
  body: string,
  original: QueueAttributes = {},
): FittedAttributes {
  return fittedAttributes(reasonAttributes(facts), body, original);
}

/** Why a letter is not replayed any more. */
export type QuarantineCause =
  /** It holds no event for a function. */
  | 'not-an-event'
  | 'too-large'
  /** The function was invoked with it, and failed again. */
  | 'came-back'
  /** Lambda refuses it. */
  | 'refused';

/** What is told of a letter in a quarantine. */
export interface QuarantineFacts {
  readonly cause: QuarantineCause;
  readonly reason: string;
  readonly quarantinedAtMs: number;
  /** When the dead-letter queue got it. */
  readonly sentAtMs: number;
  /** Of the dead-letter queue it lay in. */
  readonly sourceArn: string;
}

/** The reasons beside a letter in a quarantine, before what it came with: of Lambda's, `ErrorMessage` is what a human reads. */
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
