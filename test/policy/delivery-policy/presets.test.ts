import { PRESET_NAMES, PRESETS } from '../../../policy/delivery-policy/presets';
import { type GoverningPolicy, PROTOCOLS, policyFor, retryPolicyOf } from '../../../policy/outcome/protocol';

test("the presets are AWS's own tables", () => {
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

test('only a delivery policy listens to the subscription', () => {
  const own = { ...PRESETS['http-default'], numRetries: 7 };
  expect(retryPolicyOf('delivery-policy', own)).toBe(own);
  expect(retryPolicyOf('aws-managed', own)).toBe(PRESETS['aws-managed']);
  expect(retryPolicyOf('customer-managed', own)).toBe(PRESETS['customer-managed']);
});
