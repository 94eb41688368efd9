import { errorOf, queueArn, SnsFixture } from './sns-fixture';

const ENDPOINT = 'https://billing.example.com/orders';

const DEFAULTS = {
  minDelayTarget: 20,
  maxDelayTarget: 20,
  numRetries: 3,
  numMaxDelayRetries: 0,
  numNoDelayRetries: 0,
  numMinDelayRetries: 0,
  backoffFunction: 'linear',
};
const PLAIN_TEXT = { headerContentType: 'text/plain; charset=UTF-8' };

function withTopic(): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  return fixture;
}

const topicPolicy = (members: Record<string, unknown>): string => JSON.stringify({ http: members });
const subscriptionPolicy = (retry: Record<string, unknown>): string => JSON.stringify({ healthyRetryPolicy: retry });

/** aws-semantics 2.7, echo rules. */
describe('the delivery policy of a topic, shown', () => {
  test('is absent at first, while the effective one is all defaults', () => {
    const attributes = withTopic().topicAttributes();
    expect(attributes).not.toHaveProperty('DeliveryPolicy');
    expect(attributes['EffectiveDeliveryPolicy']).toBe(
      topicPolicy({
        defaultHealthyRetryPolicy: DEFAULTS,
        disableSubscriptionOverrides: false,
        defaultRequestPolicy: PLAIN_TEXT,
      }),
    );
  });

  test('is what was set, normalized; the effective one is filled in, in AWS’s order', () => {
    const fixture = withTopic();
    fixture.setTopicAttribute(
      'DeliveryPolicy',
      topicPolicy({ defaultHealthyRetryPolicy: { numRetries: 1, minDelayTarget: 5, maxDelayTarget: 6 } }),
    );
    const attributes = fixture.topicAttributes();
    expect(JSON.parse(attributes['DeliveryPolicy'] ?? '')).toEqual({
      http: {
        defaultHealthyRetryPolicy: { minDelayTarget: 5, maxDelayTarget: 6, numRetries: 1 },
        disableSubscriptionOverrides: false,
      },
    });
    expect(attributes['EffectiveDeliveryPolicy']).toBe(
      topicPolicy({
        defaultHealthyRetryPolicy: { ...DEFAULTS, minDelayTarget: 5, maxDelayTarget: 6, numRetries: 1 },
        disableSubscriptionOverrides: false,
        defaultRequestPolicy: PLAIN_TEXT,
      }),
    );
  });

  test('is replaced as a whole, and removed by an empty value', () => {
    const fixture = withTopic();
    fixture.setTopicAttribute(
      'DeliveryPolicy',
      topicPolicy({ defaultRequestPolicy: { headerContentType: 'text/plain' } }),
    );
    fixture.setTopicAttribute('DeliveryPolicy', topicPolicy({ defaultThrottlePolicy: { maxReceivesPerSecond: 5 } }));
    expect(JSON.parse(fixture.topicAttributes()['DeliveryPolicy'] ?? '')).toEqual({
      http: { disableSubscriptionOverrides: false, defaultThrottlePolicy: { maxReceivesPerSecond: 5 } },
    });
    fixture.setTopicAttribute('DeliveryPolicy', topicPolicy({ defaultHealthyRetryPolicy: null }));
    expect(fixture.topicAttributes()['DeliveryPolicy']).toBe('{"http":{"disableSubscriptionOverrides":false}}');
    fixture.setTopicAttribute('DeliveryPolicy', '');
    expect(fixture.topicAttributes()).not.toHaveProperty('DeliveryPolicy');
  });
});

describe('the delivery policy of a subscription, shown', () => {
  test('has every member, with null for what was not set and the two vestiges', () => {
    const fixture = withTopic();
    const arn = fixture.subscribe('https', ENDPOINT, {
      DeliveryPolicy: subscriptionPolicy({ minDelayTarget: 5, maxDelayTarget: 6, numRetries: 1 }),
    });
    expect(fixture.subscriptionAttributes(arn)['DeliveryPolicy']).toBe(
      JSON.stringify({
        healthyRetryPolicy: { ...DEFAULTS, minDelayTarget: 5, maxDelayTarget: 6, numRetries: 1 },
        sicklyRetryPolicy: null,
        throttlePolicy: null,
        requestPolicy: null,
        guaranteed: false,
      }),
    );
  });

  test('is merged with the topic’s member by member in the effective one', () => {
    const fixture = withTopic();
    fixture.setTopicAttribute(
      'DeliveryPolicy',
      topicPolicy({
        defaultHealthyRetryPolicy: { ...DEFAULTS, numRetries: 9 },
        defaultRequestPolicy: { headerContentType: 'application/json' },
      }),
    );
    const arn = fixture.subscribe('https', ENDPOINT, {
      DeliveryPolicy: subscriptionPolicy({ minDelayTarget: 5, maxDelayTarget: 6, numRetries: 1 }),
    });
    expect(JSON.parse(fixture.subscriptionAttributes(arn)['EffectiveDeliveryPolicy'] ?? '')).toEqual({
      healthyRetryPolicy: { ...DEFAULTS, minDelayTarget: 5, maxDelayTarget: 6, numRetries: 1 },
      sicklyRetryPolicy: null,
      throttlePolicy: null,
      requestPolicy: { headerContentType: 'application/json' },
      guaranteed: false,
    });
  });
});

/** aws-semantics 2.7, error texts. */
describe('a delivery policy that breaks a rule', () => {
  const TOPIC_CASES: readonly (readonly [string, string])[] = [
    [
      topicPolicy({ defaultHealthyRetryPolicy: { ...DEFAULTS, numRetries: 101 } }),
      'http.defaultHealthyRetryPolicy.numRetries must be less than or equal to 100',
    ],
    [
      topicPolicy({ defaultHealthyRetryPolicy: { ...DEFAULTS, minDelayTarget: '20' } }),
      'http.defaultHealthyRetryPolicy.minDelayTarget type mismatch, expecting integer, received a string',
    ],
    [
      topicPolicy({ defaultHealthyRetryPolicy: { numRetries: 5 } }),
      'http.defaultHealthyRetryPolicy.minDelayTarget must be specified',
    ],
    [topicPolicy({ throttlePolicy: {} }), 'Unexpected JSON member: throttlePolicy'],
    [
      '{http',
      "failed to parse JSON. Unexpected character ('h' (code 104)): was expecting double-quote to start field name\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: 2]",
    ],
  ];

  test.each(TOPIC_CASES)('of a topic: %s', (policy, text) => {
    const fixture = withTopic();
    expect(errorOf(() => fixture.setTopicAttribute('DeliveryPolicy', policy))).toEqual({
      code: 'InvalidParameter',
      message: `Invalid parameter: DeliveryPolicy: ${text}`,
      status: 400,
    });
    expect(errorOf(() => fixture.createTopic({ DeliveryPolicy: policy }, 'Another'))).toMatchObject({
      message: `Invalid parameter: Attributes Reason: DeliveryPolicy: ${text}`,
    });
    expect(fixture.topicAttributes()).not.toHaveProperty('DeliveryPolicy');
  });

  const SUBSCRIPTION_CASES: readonly (readonly [string, string])[] = [
    [
      subscriptionPolicy({ minDelayTarget: 0, maxDelayTarget: 20, numRetries: 3 }),
      'healthyRetryPolicy.minDelayTarget must be greater than or equal to 1',
    ],
    [
      subscriptionPolicy({ minDelayTarget: 50, maxDelayTarget: 20, numRetries: 101 }),
      'healthyRetryPolicy.numRetries must be less than or equal to 100',
    ],
    [
      subscriptionPolicy({ minDelayTarget: 50, maxDelayTarget: 20, numRetries: 3 }),
      'healthyRetryPolicy.maxDelayTarget must be greater than or equal to minDelayTarget',
    ],
    [
      subscriptionPolicy({ ...DEFAULTS, numNoDelayRetries: 2, numMinDelayRetries: 2 }),
      'healthyRetryPolicy.numRetries must be greater than or equal to total of numMinDelayRetries, numNoDelayRetries and numMaxDelayRetries',
    ],
    [
      subscriptionPolicy({ ...DEFAULTS, backoffFunction: 'cubic' }),
      'the value [cubic] is not a valid backoff function',
    ],
    [
      JSON.stringify({ throttlePolicy: { maxReceivesPerSecond: 0 } }),
      'throttlePolicy.maxReceivesPerSecond must be greater than or equal to 1',
    ],
  ];

  test.each(SUBSCRIPTION_CASES)('of a subscription: %s', (policy, text) => {
    const fixture = withTopic();
    expect(errorOf(() => fixture.subscribe('https', ENDPOINT, { DeliveryPolicy: policy }))).toEqual({
      code: 'InvalidParameter',
      message: `Invalid parameter: Attributes Reason: DeliveryPolicy: ${text}`,
      status: 400,
    });
    const arn = fixture.subscribe('https', ENDPOINT);
    expect(errorOf(() => fixture.setSubscriptionAttribute(arn, 'DeliveryPolicy', policy)).message).toBe(
      `Invalid parameter: DeliveryPolicy: ${text}`,
    );
  });

  test('takes longer than an hour, in our own words', () => {
    const fixture = withTopic();
    const policy = subscriptionPolicy({ minDelayTarget: 3_600, maxDelayTarget: 3_600, numRetries: 2 });
    expect(errorOf(() => fixture.subscribe('https', ENDPOINT, { DeliveryPolicy: policy })).message).toContain(
      'must spend at most 3600 seconds',
    );
  });

  test('names a content type only raw delivery may have', () => {
    const fixture = withTopic();
    const DeliveryPolicy = JSON.stringify({ requestPolicy: { headerContentType: 'text/csv' } });
    expect(errorOf(() => fixture.subscribe('https', ENDPOINT, { DeliveryPolicy })).code).toBe('InvalidParameter');
    const arn = fixture.subscribe('https', ENDPOINT, { DeliveryPolicy, RawMessageDelivery: 'true' });
    expect(fixture.subscriptionAttributes(arn)['DeliveryPolicy']).toContain('text/csv');
  });

  test('names a content type only raw delivery may have, once raw delivery is to end (our choice)', () => {
    const fixture = withTopic();
    const DeliveryPolicy = JSON.stringify({ requestPolicy: { headerContentType: 'text/csv' } });
    const arn = fixture.subscribe('https', ENDPOINT, { DeliveryPolicy, RawMessageDelivery: 'true' });
    const end = () => fixture.setSubscriptionAttribute(arn, 'RawMessageDelivery', 'false');
    expect(errorOf(end)).toMatchObject({
      code: 'InvalidParameter',
      message: expect.stringContaining('DeliveryPolicy: requestPolicy.headerContentType'),
    });
    expect(fixture.subscriptionAttributes(arn)['RawMessageDelivery']).toBe('true');
    fixture.setSubscriptionAttribute(arn, 'DeliveryPolicy', '');
    end();
    expect(fixture.subscriptionAttributes(arn)['RawMessageDelivery']).toBe('false');
  });

  test('is the delivery policy of a subscription that can have none', () => {
    const fixture = withTopic();
    const DeliveryPolicy = subscriptionPolicy(DEFAULTS);
    expect(errorOf(() => fixture.subscribe('sqs', queueArn('Orders'), { DeliveryPolicy })).message).toContain('sqs');
  });
});
