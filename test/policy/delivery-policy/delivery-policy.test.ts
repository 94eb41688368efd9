import {
  allowedContentTypes,
  DEFAULT_CONTENT_TYPE,
  DEFAULT_RETRY_POLICY,
  type DeliveryPolicySettings,
  effectivePolicy,
  isAllowedContentType,
  PRESET_NAMES,
  PRESETS,
} from '../../../policy/delivery-policy/delivery-policy';
import { type PolicyContext, policyProblems } from '../../../policy/delivery-policy/policy-document';
import { type GoverningPolicy, PROTOCOLS, policyFor, retryPolicyOf } from '../../../policy/outcome/protocol';
import { awsText } from '../../../policy/problem';
import { SAMPLE_POLICY } from '../arbitraries';

describe('presets', () => {
  test("are AWS's own tables", () => {
    expect(PRESETS).toEqual({
      'aws-managed': {
        numRetries: 100_015,
        numNoDelayRetries: 3,
        numMinDelayRetries: 2,
        numMaxDelayRetries: 100_000,
        minDelayTarget: 1,
        maxDelayTarget: 20,
        backoffFunction: 'exponential',
      },
      'customer-managed': {
        numRetries: 50,
        numNoDelayRetries: 0,
        numMinDelayRetries: 2,
        numMaxDelayRetries: 38,
        minDelayTarget: 10,
        maxDelayTarget: 600,
        backoffFunction: 'exponential',
      },
      'http-default': {
        numRetries: 3,
        numNoDelayRetries: 0,
        numMinDelayRetries: 0,
        numMaxDelayRetries: 0,
        minDelayTarget: 20,
        maxDelayTarget: 20,
        backoffFunction: 'linear',
      },
    });
    expect(PRESET_NAMES).toEqual(['aws-managed', 'customer-managed', 'http-default']);
  });

  test('each protocol is governed by the schedule of its kind of endpoint', () => {
    const governed: Record<GoverningPolicy, string[]> = {
      'aws-managed': [],
      'customer-managed': [],
      'delivery-policy': [],
    };
    for (const protocol of PROTOCOLS) governed[policyFor(protocol)].push(protocol);
    expect(governed).toEqual({
      'aws-managed': ['firehose', 'lambda', 'sqs'],
      'customer-managed': ['application', 'email', 'email-json', 'sms'],
      'delivery-policy': ['http', 'https'],
    });
  });

  test('only the HTTP/S schedule follows a delivery policy of the subscription', () => {
    const own = { ...PRESETS['http-default'], numRetries: 7 };
    expect(retryPolicyOf('delivery-policy', own)).toBe(own);
    expect(retryPolicyOf('aws-managed', own)).toBe(PRESETS['aws-managed']);
    expect(retryPolicyOf('customer-managed', own)).toBe(PRESETS['customer-managed']);
  });
});

const DEFAULTS = {
  healthyRetryPolicy: DEFAULT_RETRY_POLICY,
  requestPolicy: { headerContentType: 'text/plain; charset=UTF-8' },
};

describe('the effective policy', () => {
  const topic = {
    healthyRetryPolicy: { numRetries: 7, minDelayTarget: 3 },
    throttlePolicy: { maxReceivesPerSecond: 5 },
    requestPolicy: { headerContentType: 'application/json' },
  };

  test('is the default when neither topic nor subscription has one', () => {
    expect(effectivePolicy({})).toEqual(DEFAULTS);
  });

  test('takes each member from the subscription where it has one, else from the topic', () => {
    const subscription = { healthyRetryPolicy: { numRetries: 2 } };
    expect(effectivePolicy({ topic, subscription })).toEqual({
      healthyRetryPolicy: { ...DEFAULT_RETRY_POLICY, numRetries: 2 },
      throttlePolicy: { maxReceivesPerSecond: 5 },
      requestPolicy: { headerContentType: 'application/json' },
    });
    expect(effectivePolicy({ topic, subscription: { throttlePolicy: { maxReceivesPerSecond: 9 } } })).toEqual({
      healthyRetryPolicy: { ...DEFAULT_RETRY_POLICY, numRetries: 7, minDelayTarget: 3 },
      throttlePolicy: { maxReceivesPerSecond: 9 },
      requestPolicy: { headerContentType: 'application/json' },
    });
    expect(
      effectivePolicy({ topic, subscription: { requestPolicy: { headerContentType: 'text/csv' } } }),
    ).toMatchObject({
      throttlePolicy: { maxReceivesPerSecond: 5 },
      requestPolicy: { headerContentType: 'text/csv' },
    });
  });

  test("is the subscription's alone when the topic has none", () => {
    expect(effectivePolicy({ subscription: SAMPLE_POLICY })).toEqual(SAMPLE_POLICY);
  });

  test("is the topic's alone when it disables overrides", () => {
    const { requestPolicy: _, ...withoutContentType } = topic;
    expect(
      effectivePolicy({
        topic: { ...withoutContentType, disableSubscriptionOverrides: true },
        subscription: SAMPLE_POLICY,
      }),
    ).toEqual({
      healthyRetryPolicy: { ...DEFAULT_RETRY_POLICY, numRetries: 7, minDelayTarget: 3 },
      throttlePolicy: { maxReceivesPerSecond: 5 },
      requestPolicy: { headerContentType: DEFAULT_CONTENT_TYPE },
    });
    expect(
      effectivePolicy({ topic: { ...topic, disableSubscriptionOverrides: false }, subscription: SAMPLE_POLICY }),
    ).toEqual(SAMPLE_POLICY);
  });
});

describe('content type', () => {
  const ENVELOPED = ['application/json', 'text/plain'];
  const RAW_ONLY = [
    'application/atom+xml',
    'application/octet-stream',
    'application/soap+xml',
    'application/x-www-form-urlencoded',
    'application/xhtml+xml',
    'application/xml',
    'text/css',
    'text/csv',
    'text/html',
    'text/xml',
  ];

  test('a notification in its envelope is JSON or plain text', () => {
    expect([...allowedContentTypes('subscription', false)].sort()).toEqual(ENVELOPED);
  });

  test('a raw notification may be any of twelve types', () => {
    expect([...allowedContentTypes('subscription', true)].sort()).toEqual([...ENVELOPED, ...RAW_ONLY].sort());
  });

  test('a topic may name only what its enveloped subscriptions may, raw or not', () => {
    expect([...allowedContentTypes('topic', false)].sort()).toEqual(ENVELOPED);
    expect([...allowedContentTypes('topic', true)].sort()).toEqual(ENVELOPED);
  });

  test("SNS's own default may be written out", () => {
    expect(isAllowedContentType('text/plain; charset=UTF-8', 'topic', false)).toBe(true);
    expect(isAllowedContentType('text/plain; charset=UTF-8', 'subscription', false)).toBe(true);
  });
});

describe('the errors of SNS', () => {
  const words = (settings: unknown, context?: PolicyContext) =>
    policyProblems(settings as DeliveryPolicySettings, context).map(awsText);

  test.each([
    [{ numRetries: 101 }, 'healthyRetryPolicy.numRetries must be less than or equal to 100'],
    [{ minDelayTarget: '5' }, 'healthyRetryPolicy.minDelayTarget type mismatch, expecting integer, received a string'],
    [{ minDelayTarget: 0 }, 'healthyRetryPolicy.minDelayTarget must be greater than or equal to 1'],
    [
      { minDelayTarget: 6, maxDelayTarget: 5 },
      'healthyRetryPolicy.maxDelayTarget must be greater than or equal to minDelayTarget',
    ],
    [
      { numNoDelayRetries: 4 },
      'healthyRetryPolicy.numRetries must be greater than or equal to total of numMinDelayRetries, numNoDelayRetries and numMaxDelayRetries',
    ],
    [{ backoffFunction: 'cubic' }, 'the value [cubic] is not a valid backoff function'],
    [{ tries: 3, numRetries: 3 }, 'Unexpected JSON member: tries'],
  ])('%j', (healthyRetryPolicy, text) => {
    expect(words({ healthyRetryPolicy })).toEqual([text]);
  });

  test('says that a missing attribute must be specified', () => {
    expect(words({ healthyRetryPolicy: { minDelayTarget: 30, numRetries: 1 } }, { demandMandatory: true })[0]).toBe(
      'healthyRetryPolicy.maxDelayTarget must be specified',
    );
  });
});
