import {
  DEFAULT_CONTENT_TYPE,
  DEFAULT_RETRY_POLICY,
  withDefaults,
} from '../../../policy/delivery-policy/delivery-policy';
import { effectivePolicy } from '../../../policy/delivery-policy/effective-policy';
import { SAMPLE_POLICY } from '../arbitraries';

const DEFAULTS = {
  healthyRetryPolicy: DEFAULT_RETRY_POLICY,
  requestPolicy: { headerContentType: 'text/plain; charset=UTF-8' },
};

describe('withDefaults', () => {
  test('fills in everything when nothing is said', () => {
    expect(withDefaults()).toEqual(DEFAULTS);
    expect(withDefaults({})).toEqual(DEFAULTS);
    expect(withDefaults({ healthyRetryPolicy: {}, throttlePolicy: {}, requestPolicy: {} })).toEqual(DEFAULTS);
    expect('throttlePolicy' in withDefaults({ throttlePolicy: {} })).toBe(false);
  });

  test('keeps what is said', () => {
    expect(withDefaults(SAMPLE_POLICY)).toEqual(SAMPLE_POLICY);
    expect(withDefaults({ healthyRetryPolicy: { numRetries: 0 } }).healthyRetryPolicy).toEqual({
      ...DEFAULT_RETRY_POLICY,
      numRetries: 0,
    });
  });

  test('takes an undefined attribute as left out', () => {
    expect(
      withDefaults({
        healthyRetryPolicy: { numRetries: undefined, minDelayTarget: 5 },
        throttlePolicy: { maxReceivesPerSecond: undefined },
        requestPolicy: { headerContentType: undefined },
      }),
    ).toEqual({ ...DEFAULTS, healthyRetryPolicy: { ...DEFAULT_RETRY_POLICY, minDelayTarget: 5 } });
  });
});

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
