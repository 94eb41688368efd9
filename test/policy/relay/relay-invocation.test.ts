import {
  batchSizeOf,
  neededSeconds,
  policyLimits,
  type RunFacts,
  runSeconds,
  visibilitySeconds,
} from '../../../policy/relay/relay-invocation';

/** An invocation whose messages make one attempt of at most 15 s, and whose requests start 0.1 s apart. */
const FACTS: RunFacts = { fifo: false, immediateRetries: 0, totalTimeoutSeconds: 15, paceSeconds: 0.1 };

describe('The timeout of an invocation', () => {
  test.each([
    ['one message: one attempt, one wait for the rate ceiling, and the reserve of 15 s', {}, 1, 31],
    ['ten messages, whose requests overlap and start one after the other', {}, 10, 31],
    ['ten messages at one request in two seconds', { paceSeconds: 2 }, 10, 50],
    ['an attempt and two immediate retries', { immediateRetries: 2, paceSeconds: 2 }, 10, 120],
    ['a pace that is no limit', { paceSeconds: 0 }, 10, 30],
    ['an access token, and another one in its place', { hasAccessToken: true }, 1, 61],
  ])('is long enough for %s', (_, facts, messages, seconds) => {
    expect(neededSeconds({ ...FACTS, ...facts }, messages)).toBe(seconds);
  });

  test.each(['immediateRetries', 'totalTimeoutSeconds', 'paceSeconds'] as const)('is unknown without %s', name => {
    const facts: RunFacts = { ...FACTS, [name]: undefined };
    expect(neededSeconds(facts, 1)).toBeUndefined();
    // Then the function gets the longest timeout that Lambda allows, and the largest batch without a batching window.
    expect([runSeconds(facts), batchSizeOf(facts)]).toEqual([900, 10]);
  });
});

describe('A batch', () => {
  test('has ten messages, the maximum without a batching window, if there is time', () => {
    // 15 s + 10 × 87 s + the reserve of 15 s are Lambda's 900 s exactly.
    const facts = { ...FACTS, paceSeconds: 87 };
    expect([batchSizeOf(facts), runSeconds(facts)]).toEqual([10, 900]);
  });

  test('has as many messages as fit into 15 minutes', () => {
    const facts = { ...FACTS, paceSeconds: 87.1 };
    expect([batchSizeOf(facts), runSeconds(facts)]).toEqual([9, Math.ceil(15 + 9 * 87.1 + 15)]);
  });

  test('has one message if not even one fits, and the function has the longest timeout', () => {
    const facts = { ...FACTS, totalTimeoutSeconds: 900 };
    expect([batchSizeOf(facts), runSeconds(facts)]).toEqual([1, 900]);
  });

  test('has one message of a FIFO queue', () => {
    const facts = { ...FACTS, fifo: true, paceSeconds: 2 };
    expect([batchSizeOf(facts), runSeconds(facts)]).toEqual([1, 15 + 2 + 15]);
  });
});

// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
test('The queue hides a message for six times the timeout of the function', () => {
  expect(visibilitySeconds(FACTS)).toBe(6 * 31);
  expect(visibilitySeconds({ ...FACTS, totalTimeoutSeconds: 900 })).toBe(5_400);
});

describe('The limits of a policy', () => {
  const terms = { jitterPercent: 10, retentionSeconds: 86_400 };

  test('follow from the visibility timeout, the timeout of an attempt and the retention', () => {
    expect(policyLimits(FACTS, terms)).toMatchObject({
      maxDelaySeconds: 43_200 - 6 * 31 - 5,
      spending: { maxSeconds: 86_400 - 3_600, jitterPercent: 10, attemptSeconds: 15 },
    });
  });

  test.each([
    [15, 58],
    [14.75, 59],
    [885, 0],
    [900, 0],
  ])(
    'allow the immediate retries that fit into 900 s less the reserve, at %d s each',
    (totalTimeoutSeconds, retries) => {
      expect(policyLimits({ ...FACTS, totalTimeoutSeconds }, terms).maxNoDelayRetries).toBe(retries);
    },
  );

  test('are absent if the timeout of an attempt is unknown', () => {
    const limits = policyLimits({ ...FACTS, totalTimeoutSeconds: undefined }, terms);
    expect(limits.maxNoDelayRetries).toBe(Number.POSITIVE_INFINITY);
    expect(limits.spending?.attemptSeconds).toBe(0);
    expect(limits.maxDelaySeconds).toBe(37_795);
  });
});
