import { classify } from '../../../policy/outcome/classify';
import type { Answered } from '../../../policy/outcome/outcome';
import type { AwsError } from '../../kernel/aws-error';
import type { Random } from '../../kernel/random';
import type { AttemptEnd } from './transport';

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
