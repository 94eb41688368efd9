import { classify } from '../../../policy/outcome/classify';
import type { Answered, Outcome } from '../../../policy/outcome/outcome';
import type { AwsError } from '../../kernel/aws-error';
import type { LazyText } from '../../kernel/messaging';
import type { Random } from '../../kernel/random';
import type { Envelopes } from '../envelope/envelopes';
import type { Message } from '../message';
import type { Subscription } from '../topic';

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

/** In place of a request id: the marker of a failure SNS does not try again. */
const UNRECOVERABLE = 'Unrecoverable';

/** How one AWS service's refusal is told. */
export interface ServiceFailure {
  readonly protocol: 'sqs' | 'lambda';
  readonly error: AwsError;
  /**
   * What SNS says, where it words the error otherwise than the service does.
   * @default - the service's own text
   */
  readonly text?: string;
  /** Draws the request id of a failure that is tried again. */
  readonly random: Random;
}

/** The end of an attempt that an AWS service refused or failed. */
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
