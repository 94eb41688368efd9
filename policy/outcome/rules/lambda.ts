import { ACCESS_ERRORS, NO_SERVICE_STATUS, SERVICE_ERRORS, SERVICE_STATUSES } from './aws-service';
import { dead, type ProtocolRules, UNANSWERED } from './ruling';

/**
 * Functions. SNS is done as soon as Lambda has taken the event (202): a function that throws, times out or is throttled
 * afterwards is retried by Lambda itself, and never by SNS.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
 */
export const LAMBDA_RULES: ProtocolRules = {
  errors: [
    { codes: ['ResourceNotFoundException'], ruling: dead('the function does not exist') },
    ...ACCESS_ERRORS,
    ...SERVICE_ERRORS,
  ],
  statuses: SERVICE_STATUSES,
  otherwise: NO_SERVICE_STATUS,
  unanswered: UNANSWERED,
};
