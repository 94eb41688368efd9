import { ACCESS_ERRORS, NO_SERVICE_STATUS, SERVICE_ERRORS, SERVICE_STATUSES, THROTTLING_CODES } from './aws-service';
import { dead, type ProtocolRules, retry, UNANSWERED } from './ruling';

const THROTTLED = retry('the stream throttles', 'customer-managed');

/**
 * Firehose streams. Throttling alone follows the customer-managed schedule. Firehose reports it as an unavailable service
 * that asks to slow down; that we tell it apart by those words is our choice.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 * @see https://docs.aws.amazon.com/firehose/latest/APIReference/API_PutRecord.html
 */
export const FIREHOSE_RULES: ProtocolRules = {
  errors: [
    { codes: THROTTLING_CODES, ruling: THROTTLED },
    { codes: ['ServiceUnavailableException'], saying: /slow down/i, ruling: THROTTLED },
    { codes: ['ServiceUnavailableException'], ruling: retry('the service failed') },
    { codes: ['ResourceNotFoundException'], ruling: dead('the stream does not exist') },
    ...ACCESS_ERRORS,
    ...SERVICE_ERRORS,
  ],
  statuses: [{ from: 429, to: 429, ruling: THROTTLED }, ...SERVICE_STATUSES],
  otherwise: NO_SERVICE_STATUS,
  unanswered: UNANSWERED,
};
