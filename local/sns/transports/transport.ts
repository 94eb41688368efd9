import type { Answered, Outcome } from '../../../policy/outcome/outcome';
import type { LazyText } from '../../kernel/late-text';
import type { Envelopes } from '../envelope/envelopes';
import type { Message } from '../message';
import type { Subscription } from '../subscription';

/** One message on its way to one subscriber. */
export class Delivery {
  private envelope: string | LazyText | undefined;

  constructor(
    readonly message: Message,
    readonly subscription: Subscription,
  ) {}

  /** The message in its envelope, made by the first attempt that needs one and the same for every other. */
  enveloped(envelopes: Envelopes): string | LazyText {
    this.envelope ??= envelopes.notification(this.message, this.subscription);
    return this.envelope;
  }
}

/** How one attempt ended. */
export interface AttemptEnd {
  readonly outcome: Outcome;
  /** What the delivery-status log shows as `providerResponse`: made only when it is logged. */
  providerResponse(): string;
}

/** What an answer names, as the cause of a failure shows it. */
export function answerOf({ outcome }: AttemptEnd): Partial<Pick<Answered, 'statusCode' | 'errorCode'>> {
  if (outcome.kind === 'unanswered') return {};
  const { statusCode, errorCode } = outcome;
  return { statusCode, ...(errorCode !== undefined && { errorCode }) };
}

/**
 * Takes a message to the endpoints of one protocol, once. It reports the end of the attempt, at once or by due work, and
 * exactly once.
 */
export interface Transport {
  attempt(delivery: Delivery, report: (end: AttemptEnd) => void): void;
}
