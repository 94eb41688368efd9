import { ACCESS_ERRORS, NO_SERVICE_STATUS, SERVICE_ERRORS, SERVICE_STATUSES } from './aws-service';
import { dead, type ProtocolRules, UNANSWERED } from './ruling';

/**
 * Queues. That throttling by SQS or by the key service is tried again, and that a key which is disabled or gone is final,
 * are our choices from AWS's principle: stale metadata is the client's side, an endpoint that is unavailable the server's.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 */
export const SQS_RULES: ProtocolRules = {
  errors: [
    {
      codes: ['AWS.SimpleQueueService.NonExistentQueue', 'QueueDoesNotExist'],
      ruling: dead('the queue does not exist'),
    },
    ...ACCESS_ERRORS,
    {
      codes: ['InvalidParameterValue', 'InvalidMessageContents', 'InvalidAttributeValue', 'MissingParameter'],
      ruling: dead('the queue cannot hold such a message'),
    },
    ...SERVICE_ERRORS,
  ],
  statuses: SERVICE_STATUSES,
  otherwise: NO_SERVICE_STATUS,
  unanswered: UNANSWERED,
};
