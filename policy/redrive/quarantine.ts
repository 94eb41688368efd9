import {
  type FittedAttributes,
  fittedAttributes,
  type QueueAttributes,
  textAttribute,
  timeAttribute,
} from '../messages/queue-attributes';

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
