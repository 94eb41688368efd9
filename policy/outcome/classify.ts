import {
  dead,
  type ErrorRule,
  judge,
  type Outcome,
  type ProtocolRules,
  retry,
  type StatusRule,
  UNANSWERED,
  type Verdict,
} from './outcome';
import { type Protocol, policyFor } from './protocol';

/** The error codes AWS services use for throttling, often with status 400. */
const THROTTLING_CODES: readonly string[] = [
  'RequestThrottled',
  'RequestThrottledException',
  'Throttling',
  'ThrottlingException',
  'ThrottledException',
  'TooManyRequestsException',
];

/** Errors of the service itself, and throttling. */
const SERVICE_ERRORS: readonly ErrorRule[] = [
  { codes: THROTTLING_CODES, ruling: retry('the service throttles') },
  { codes: ['KMS.ThrottlingException', 'KmsThrottled'], ruling: retry('the key service throttles') },
  {
    codes: ['InternalError', 'InternalFailure', 'InternalServerError', 'ServiceException', 'ServiceUnavailable'],
    ruling: retry('the service failed'),
  },
];

/** The endpoint's permissions or its key have changed. */
const ACCESS_ERRORS: readonly ErrorRule[] = [
  { codes: ['AccessDenied', 'AccessDeniedException'], ruling: dead('SNS is not allowed to deliver to it') },
  { codes: ['KMS.AccessDeniedException', 'KmsAccessDenied'], ruling: dead('SNS is not allowed to use its key') },
  { codes: ['KMS.DisabledException', 'KmsDisabled'], ruling: dead('its key is disabled') },
  { codes: ['KMS.NotFoundException', 'KmsNotFound'], ruling: dead('its key does not exist') },
  { codes: ['KMS.InvalidStateException', 'KmsInvalidState'], ruling: dead('its key is not in a usable state') },
  { codes: ['KMS.InvalidKeyUsageException', 'KmsInvalidKeyUsage'], ruling: dead('its key is not made for this use') },
  { codes: ['KMS.OptInRequired', 'KmsOptInRequired'], ruling: dead('its key needs a subscription to the key service') },
];

/** Statuses of AWS services: server errors are retried, client errors are final. */
const SERVICE_STATUSES: readonly StatusRule[] = [
  { from: 200, to: 299, ruling: { kind: 'delivered', reason: 'the service took it' } },
  { from: 429, to: 429, ruling: retry('the service throttles') },
  { from: 500, to: 599, ruling: retry('the service failed') },
  { from: 400, to: 499, ruling: dead('the service refuses it') },
];

const NO_SERVICE_STATUS = dead('the service gave no final answer');

/** Error codes of push services for a device that no longer has the app. SNS then disables its endpoint. */
export const GONE_DEVICE_CODES: readonly string[] = [
  'BadDeviceToken',
  'InvalidRegistration',
  'NotRegistered',
  'UNREGISTERED',
  'Unregistered',
];

/**
 * Mobile push, by the answer of the platform's push service. Some platforms return an error with status 200.
 * **Assumption SNS-12:** AWS documents the schedule but not which errors are retried. Here a device that is gone or
 * belongs to another sender is final, and a failing push service is retried.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-msg-status.html
 */
const APPLICATION_RULES: ProtocolRules = {
  errors: [
    {
      codes: ['EndpointDisabled', 'EndpointDisabledException'],
      ruling: dead('the endpoint is disabled'),
    },
    {
      codes: ['PlatformApplicationDisabled', 'PlatformApplicationDisabledException'],
      ruling: dead('the platform application is disabled'),
    },
    {
      codes: GONE_DEVICE_CODES,
      ruling: dead('the device is not registered'),
    },
    {
      codes: ['DeviceTokenNotForTopic', 'MismatchSenderId', 'SENDER_ID_MISMATCH'],
      ruling: dead('the device is registered with another sender'),
    },
    {
      codes: ['DeviceMessageRateExceeded', 'IdleTimeout', 'Shutdown', 'UNAVAILABLE', 'Unavailable'],
      ruling: retry('the push service cannot take it now'),
    },
    ...SERVICE_ERRORS,
  ],
  statuses: SERVICE_STATUSES,
  otherwise: NO_SERVICE_STATUS,
  unanswered: UNANSWERED,
};

/**
 * Email, by the reply code of the mail server.
 * **Assumption SNS-13:** AWS documents the schedule but not which errors are retried. Here 4yz is retried and 5yz is
 * final, as SMTP defines them.
 * @see https://www.rfc-editor.org/rfc/rfc5321#section-4.2.1
 */
const EMAIL_RULES: ProtocolRules = {
  errors: [],
  statuses: [
    { from: 200, to: 299, ruling: { kind: 'delivered', reason: 'the mail server took it' } },
    { from: 400, to: 499, ruling: retry('the mail server cannot take it now') },
    { from: 500, to: 599, ruling: dead('the mail server refuses it for good') },
  ],
  otherwise: dead('the mail server gave no final answer'),
  unanswered: UNANSWERED,
};

const THROTTLED = retry('the stream throttles', 'customer-managed');

/**
 * Firehose streams. Only throttling follows the customer-managed schedule.
 * **Assumption SNS-14:** AWS does not publish how SNS recognizes throttling. Firehose reports it as
 * `ServiceUnavailableException` with a message that asks to slow down, so these words decide here.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 * @see https://docs.aws.amazon.com/firehose/latest/APIReference/API_PutRecord.html
 */
const FIREHOSE_RULES: ProtocolRules = {
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

/**
 * HTTP and HTTPS endpoints. Server errors and 429 are retried; every other answer except success is final.
 * **Assumption SNS-11:** AWS does not mention 1xx and 3xx. They belong to its "all other errors", which are final, so redirects are never followed.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
const HTTP_RULES: ProtocolRules = {
  errors: [],
  statuses: [
    { from: 200, to: 299, ruling: { kind: 'delivered', reason: 'the endpoint took it' } },
    { from: 429, to: 429, ruling: retry('the endpoint asks for fewer requests') },
    { from: 500, to: 599, ruling: retry('the endpoint failed') },
    { from: 300, to: 399, ruling: dead('the endpoint redirects, and redirects are not followed') },
    { from: 400, to: 499, ruling: dead('the endpoint refuses it') },
  ],
  otherwise: dead('the answer is not a final answer to a request'),
  unanswered: UNANSWERED,
};

/**
 * Functions. For SNS, the delivery has succeeded as soon as Lambda accepts the event (202). If the function then
 * throws, times out or is throttled, Lambda retries it. SNS never does.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
 */
const LAMBDA_RULES: ProtocolRules = {
  errors: [
    { codes: ['ResourceNotFoundException'], ruling: dead('the function does not exist') },
    ...ACCESS_ERRORS,
    ...SERVICE_ERRORS,
  ],
  statuses: SERVICE_STATUSES,
  otherwise: NO_SERVICE_STATUS,
  unanswered: UNANSWERED,
};

/**
 * Text messages, by the delivery status that SNS logs.
 * **Assumption SNS-15:** AWS lists the statuses but not which of them are retried. Here temporary ones are retried and
 * the others are final.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sms_stats_cloudwatch.html
 */
const SMS_RULES: ProtocolRules = {
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

/**
 * Queues.
 * **Assumption SNS-16:** AWS does not publish this for each error. Here throttling by SQS or by KMS is retried, and a
 * disabled or deleted key is final. It follows AWS's principle: stale metadata is a client-side error, an unavailable
 * endpoint a server-side error.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 */
const SQS_RULES: ProtocolRules = {
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

const RULES: Readonly<Record<Protocol, ProtocolRules>> = {
  application: APPLICATION_RULES,
  email: EMAIL_RULES,
  'email-json': EMAIL_RULES,
  firehose: FIREHOSE_RULES,
  http: HTTP_RULES,
  https: HTTP_RULES,
  lambda: LAMBDA_RULES,
  sms: SMS_RULES,
  sqs: SQS_RULES,
};

/**
 * Decides what SNS does with a message after one delivery attempt by `protocol`. A server-side error is retried. A
 * client-side error is not: the message goes straight to the dead-letter queue.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export function classify(protocol: Protocol, outcome: Outcome): Verdict {
  const { kind, policy = policyFor(protocol), reason } = judge(RULES[protocol], outcome);
  return kind === 'retry' ? { kind, policy, reason } : { kind, reason };
}
