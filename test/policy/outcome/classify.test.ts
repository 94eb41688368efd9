import fc from 'fast-check';
import { classify } from '../../../policy/outcome/classify';
import { TRANSPORT_FAILURES, type Verdict } from '../../../policy/outcome/outcome';
import { PROTOCOLS, type Protocol, policyFor } from '../../../policy/outcome/protocol';

type Row = readonly [statusCode: number, errorCode: string | undefined, verdict: string];

function tell(verdict: Verdict): string {
  return verdict.kind === 'retry'
    ? `retry by ${verdict.policy}: ${verdict.reason}`
    : `${verdict.kind}: ${verdict.reason}`;
}

function judge(protocol: Protocol, statusCode: number, errorCode?: string, errorMessage?: string): string {
  return tell(classify(protocol, { kind: 'answered', statusCode, errorCode, errorMessage }));
}

function holds(protocol: Protocol, rows: readonly Row[]) {
  test.each(rows)(`${protocol}: %s %s is %s`, (statusCode, errorCode, verdict) => {
    const detail = errorCode === undefined ? `(${statusCode})` : `(${statusCode} ${errorCode})`;
    expect(judge(protocol, statusCode, errorCode)).toBe(`${verdict} ${detail}`);
  });
}

describe('HTTP and HTTPS', () => {
  for (const protocol of ['http', 'https'] as const) {
    holds(protocol, [
      [200, undefined, 'delivered: the endpoint took it'],
      [204, undefined, 'delivered: the endpoint took it'],
      [299, undefined, 'delivered: the endpoint took it'],
      [428, undefined, 'dead: the endpoint refuses it'],
      [429, undefined, 'retry by delivery-policy: the endpoint asks for fewer requests'],
      [430, undefined, 'dead: the endpoint refuses it'],
      [500, undefined, 'retry by delivery-policy: the endpoint failed'],
      [503, undefined, 'retry by delivery-policy: the endpoint failed'],
      [599, undefined, 'retry by delivery-policy: the endpoint failed'],
      [300, undefined, 'dead: the endpoint redirects, and redirects are not followed'],
      [301, undefined, 'dead: the endpoint redirects, and redirects are not followed'],
      [399, undefined, 'dead: the endpoint redirects, and redirects are not followed'],
      [400, undefined, 'dead: the endpoint refuses it'],
      [403, undefined, 'dead: the endpoint refuses it'],
      [410, undefined, 'dead: the endpoint refuses it'],
      [499, undefined, 'dead: the endpoint refuses it'],
      [100, undefined, 'dead: the answer is not a final answer to a request'],
      [101, undefined, 'dead: the answer is not a final answer to a request'],
      [199, undefined, 'dead: the answer is not a final answer to a request'],
      [600, undefined, 'dead: the answer is not a final answer to a request'],
      [0, undefined, 'dead: the answer is not a final answer to a request'],
    ]);
  }

  test('an error that an endpoint names itself changes nothing', () => {
    expect(judge('https', 200, 'ThrottlingException')).toMatch(/^delivered/);
    expect(judge('https', 503, 'AccessDenied')).toMatch(/^retry/);
  });
});

const THROTTLING = [
  'RequestThrottled',
  'RequestThrottledException',
  'Throttling',
  'ThrottlingException',
  'ThrottledException',
  'TooManyRequestsException',
];

/** The rows that all AWS services as subscribers of SNS share. */
function serviceRows(policy: string, throttlingPolicy = policy, throttling = 'the service throttles'): Row[] {
  return [
    [200, undefined, 'delivered: the service took it'],
    [202, undefined, 'delivered: the service took it'],
    [299, undefined, 'delivered: the service took it'],
    [400, undefined, 'dead: the service refuses it'],
    [428, undefined, 'dead: the service refuses it'],
    [429, undefined, `retry by ${throttlingPolicy}: ${throttling}`],
    [430, undefined, 'dead: the service refuses it'],
    [499, undefined, 'dead: the service refuses it'],
    [500, undefined, `retry by ${policy}: the service failed`],
    [503, 'SomethingNew', `retry by ${policy}: the service failed`],
    [599, undefined, `retry by ${policy}: the service failed`],
    [199, undefined, 'dead: the service gave no final answer'],
    [300, undefined, 'dead: the service gave no final answer'],
    [302, undefined, 'dead: the service gave no final answer'],
    [600, undefined, 'dead: the service gave no final answer'],
    ...THROTTLING.map((code): Row => [400, code, `retry by ${throttlingPolicy}: ${throttling}`]),
    ...['KMS.ThrottlingException', 'KmsThrottled'].map(
      (code): Row => [400, code, `retry by ${policy}: the key service throttles`],
    ),
    ...['InternalError', 'InternalFailure', 'InternalServerError', 'ServiceException', 'ServiceUnavailable'].map(
      (code): Row => [400, code, `retry by ${policy}: the service failed`],
    ),
  ];
}

const ACCESS: Row[] = [
  [403, 'AccessDenied', 'dead: SNS is not allowed to deliver to it'],
  [500, 'AccessDeniedException', 'dead: SNS is not allowed to deliver to it'],
  [400, 'KMS.AccessDeniedException', 'dead: SNS is not allowed to use its key'],
  [500, 'KmsAccessDenied', 'dead: SNS is not allowed to use its key'],
  [400, 'KMS.DisabledException', 'dead: its key is disabled'],
  [400, 'KmsDisabled', 'dead: its key is disabled'],
  [400, 'KMS.NotFoundException', 'dead: its key does not exist'],
  [400, 'KmsNotFound', 'dead: its key does not exist'],
  [400, 'KMS.InvalidStateException', 'dead: its key is not in a usable state'],
  [400, 'KmsInvalidState', 'dead: its key is not in a usable state'],
  [400, 'KMS.InvalidKeyUsageException', 'dead: its key is not made for this use'],
  [400, 'KmsInvalidKeyUsage', 'dead: its key is not made for this use'],
  [400, 'KMS.OptInRequired', 'dead: its key needs a subscription to the key service'],
  [400, 'KmsOptInRequired', 'dead: its key needs a subscription to the key service'],
];

describe('SQS', () => {
  holds('sqs', [
    ...serviceRows('aws-managed'),
    ...ACCESS,
    [400, 'AWS.SimpleQueueService.NonExistentQueue', 'dead: the queue does not exist'],
    [500, 'QueueDoesNotExist', 'dead: the queue does not exist'],
    [400, 'InvalidParameterValue', 'dead: the queue cannot hold such a message'],
    [400, 'InvalidMessageContents', 'dead: the queue cannot hold such a message'],
    [400, 'InvalidAttributeValue', 'dead: the queue cannot hold such a message'],
    [400, 'MissingParameter', 'dead: the queue cannot hold such a message'],
  ]);
});

describe('Lambda', () => {
  holds('lambda', [
    ...serviceRows('aws-managed'),
    ...ACCESS,
    [404, 'ResourceNotFoundException', 'dead: the function does not exist'],
  ]);
});

holds('firehose', [
  ...serviceRows('aws-managed', 'customer-managed', 'the stream throttles'),
  ...ACCESS,
  [400, 'ResourceNotFoundException', 'dead: the stream does not exist'],
]);

test('Firehose an unavailable stream is throttling only when it asks to slow down', () => {
  expect(judge('firehose', 500, 'ServiceUnavailableException', 'Slow down.')).toBe(
    'retry by customer-managed: the stream throttles (500 ServiceUnavailableException)',
  );
  expect(judge('firehose', 400, 'ServiceUnavailableException', 'Please come back later.')).toBe(
    'retry by aws-managed: the service failed (400 ServiceUnavailableException)',
  );
  expect(judge('firehose', 400, 'ServiceUnavailableException')).toBe(
    'retry by aws-managed: the service failed (400 ServiceUnavailableException)',
  );
});

describe('e-mail', () => {
  for (const protocol of ['email', 'email-json'] as const) {
    holds(protocol, [
      [200, undefined, 'delivered: the mail server took it'],
      [250, undefined, 'delivered: the mail server took it'],
      [299, undefined, 'delivered: the mail server took it'],
      [400, undefined, 'retry by customer-managed: the mail server cannot take it now'],
      [421, undefined, 'retry by customer-managed: the mail server cannot take it now'],
      [499, undefined, 'retry by customer-managed: the mail server cannot take it now'],
      [500, undefined, 'dead: the mail server refuses it for good'],
      [550, undefined, 'dead: the mail server refuses it for good'],
      [599, undefined, 'dead: the mail server refuses it for good'],
      [300, undefined, 'dead: the mail server gave no final answer'],
      [354, undefined, 'dead: the mail server gave no final answer'],
      [600, undefined, 'dead: the mail server gave no final answer'],
    ]);
  }
});

describe('SMS', () => {
  const passing = 'retry by customer-managed: the phone cannot be reached now';
  const blocked = 'dead: the phone or its carrier blocks it';
  const unsendable = 'dead: it cannot be sent as a text message';
  holds('sms', [
    ...serviceRows('customer-managed'),
    [400, 'Phone carrier is currently unreachable/unavailable', passing],
    [400, 'Phone is currently unreachable/unavailable', passing],
    [400, 'Unknown error attempting to reach phone', passing],
    [400, 'Blocked as spam by phone carrier', blocked],
    [500, 'Destination is on a blocked list', blocked],
    [500, 'Phone carrier has blocked this message', blocked],
    [500, 'Phone has blocked SMS', blocked],
    [500, 'Phone is on a blocked list', blocked],
    [500, 'Phone number is opted out', blocked],
    [500, 'Invalid phone number', unsendable],
    [500, 'Message body is invalid', unsendable],
    [500, 'This delivery would exceed max price', unsendable],
  ]);
});

describe('mobile push', () => {
  const unregistered = 'dead: the device is not registered';
  const elsewhere = 'dead: the device is registered with another sender';
  const busy = 'retry by customer-managed: the push service cannot take it now';
  holds('application', [
    ...serviceRows('customer-managed'),
    [400, 'EndpointDisabled', 'dead: the endpoint is disabled'],
    [400, 'EndpointDisabledException', 'dead: the endpoint is disabled'],
    [400, 'PlatformApplicationDisabled', 'dead: the platform application is disabled'],
    [400, 'PlatformApplicationDisabledException', 'dead: the platform application is disabled'],
    [400, 'BadDeviceToken', unregistered],
    [200, 'InvalidRegistration', unregistered],
    [200, 'NotRegistered', unregistered],
    [404, 'UNREGISTERED', unregistered],
    [410, 'Unregistered', unregistered],
    [400, 'DeviceTokenNotForTopic', elsewhere],
    [200, 'MismatchSenderId', elsewhere],
    [403, 'SENDER_ID_MISMATCH', elsewhere],
    [200, 'DeviceMessageRateExceeded', busy],
    [400, 'IdleTimeout', busy],
    [503, 'Shutdown', busy],
    [503, 'UNAVAILABLE', busy],
    [200, 'Unavailable', busy],
  ]);
});

describe('an attempt without an answer', () => {
  test.each([
    ['timeout', 'no answer came in time'],
    ['connection-refused', 'the connection was refused'],
    ['connection-reset', 'the connection was lost'],
    ['name-not-resolved', 'the host name did not resolve'],
    ['bad-certificate', 'the certificate was not accepted'],
    ['unreachable', 'the endpoint could not be reached'],
    ['forbidden-address', 'requests to the address are not allowed'],
    ['tls-failed', 'the TLS handshake failed'],
    ['not-http', 'the answer was not HTTP'],
    ['local-failure', 'the sender ran out of resources to send with'],
  ] as const)('is retried after %s', (failure, reason) => {
    expect(TRANSPORT_FAILURES).toContain(failure);
    for (const protocol of PROTOCOLS) {
      expect(classify(protocol, { kind: 'unanswered', failure })).toEqual({
        kind: 'retry',
        policy: policyFor(protocol),
        reason,
      });
    }
  });
});

test('An error without a name is classified by its status', () => {
  expect(judge('firehose', 400, undefined, 'Slow down.')).toBe('dead: the service refuses it (400)');
});

test('Any status of any protocol has one verdict, and a retry has a schedule', () => {
  const statuses = fc.integer({ min: -1, max: 1_000 });
  fc.assert(
    fc.property(
      fc.constantFrom(...PROTOCOLS),
      statuses,
      fc.option(fc.string(), { nil: undefined }),
      (protocol, statusCode, errorCode) => {
        const verdict = classify(protocol, { kind: 'answered', statusCode, errorCode });
        expect(['delivered', 'retry', 'dead']).toContain(verdict.kind);
        expect(verdict.reason).toContain(`(${statusCode}`);
        if (verdict.kind === 'retry')
          expect(['aws-managed', 'customer-managed', 'delivery-policy']).toContain(verdict.policy);
      },
    ),
  );
});
