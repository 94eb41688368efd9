import { classify } from '../../../policy/outcome/classify';
import type { Answered, Outcome } from '../../../policy/outcome/outcome';
import type { AwsError } from '../../kernel/aws-error';
import type { LazyText } from '../../kernel/messaging';
import type { Random } from '../../kernel/random';
import type { Envelopes } from '../envelope/envelopes';
import type { Message } from '../publish/message';
import type { Subscription } from '../topic/topic-and-subscription';

/** One message to one subscription. */
export class Delivery {
  private envelope: string | LazyText | undefined;

  constructor(
    readonly message: Message,
    readonly subscription: Subscription,
  ) {}

  /**
   * Returns the message in its envelope. Built at the first attempt that needs it, and used again by later attempts.
   */
  enveloped(envelopes: Envelopes): string | LazyText {
    this.envelope ??= envelopes.notification(this.message, this.subscription);
    return this.envelope;
  }
}

export interface AttemptEnd {
  readonly outcome: Outcome;
  /** Returns the `providerResponse` of the delivery-status log. Called only when the delivery is logged. */
  providerResponse(): string;
}

/** Returns the status and error code of a response, as the cause of a failure shows them. */
export function answerOf({ outcome }: AttemptEnd): Partial<Pick<Answered, 'statusCode' | 'errorCode'>> {
  if (outcome.kind === 'unanswered') return {};
  const { statusCode, errorCode } = outcome;
  return { statusCode, ...(errorCode !== undefined && { errorCode }) };
}

/**
 * Makes one attempt to deliver a message to an endpoint of one protocol. It calls `report` exactly once, at once or
 * later.
 */
export interface Transport {
  attempt(delivery: Delivery, report: (end: AttemptEnd) => void): void;
}

/** Replaces the request id in the record of a failure that SNS does not retry. */
const UNRECOVERABLE = 'Unrecoverable';

export interface ServiceFailure {
  readonly protocol: 'sqs' | 'lambda';
  readonly error: AwsError;
  /**
   * The error text of SNS, where it differs from the service's.
   * @default - the service's own text
   */
  readonly text?: string;
  /** Makes the request id of a failure that SNS retries. */
  readonly random: Random;
}

/** The end of an attempt that failed with an error of an AWS service. */
export function serviceFailure({ protocol, error, text, random }: ServiceFailure): AttemptEnd {
  const { code, message, httpStatus } = error;
  const outcome: Answered = { kind: 'answered', statusCode: httpStatus, errorCode: code, errorMessage: message };
  return {
    outcome,
    providerResponse: () =>
      JSON.stringify({
        ErrorCode: code,
        ErrorMessage: text ?? message,
        [`${protocol}RequestId`]: classify(protocol, outcome).kind === 'dead' ? UNRECOVERABLE : random.uuid(),
      }),
  };
}
