import { NO_SERVICE_STATUS, SERVICE_ERRORS, SERVICE_STATUSES } from './aws-service';
import { dead, type ProtocolRules, retry, UNANSWERED } from './ruling';

/**
 * Text messages, by the delivery status SNS logs. AWS lists the statuses and not which of them it tries again: that the
 * ones that pass are, and the others are final, is our choice.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sms_stats_cloudwatch.html
 */
export const SMS_RULES: ProtocolRules = {
  errors: [
    {
      codes: [
        'Phone carrier is currently unreachable/unavailable',
        'Phone is currently unreachable/unavailable',
        'Unknown error attempting to reach phone',
      ],
      ruling: retry('the phone cannot be reached now'),
    },
    {
      codes: [
        'Blocked as spam by phone carrier',
        'Destination is on a blocked list',
        'Phone carrier has blocked this message',
        'Phone has blocked SMS',
        'Phone is on a blocked list',
        'Phone number is opted out',
      ],
      ruling: dead('the phone or its carrier blocks it'),
    },
    {
      codes: ['Invalid phone number', 'Message body is invalid', 'This delivery would exceed max price'],
      ruling: dead('it cannot be sent as a text message'),
    },
    ...SERVICE_ERRORS,
  ],
  statuses: SERVICE_STATUSES,
  otherwise: NO_SERVICE_STATUS,
  unanswered: UNANSWERED,
};
