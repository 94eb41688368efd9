import fc from 'fast-check';
import type { DeliveryPolicySettings } from '../../../policy/delivery-policy/delivery-policy';
import { type PolicyContext, policyProblems } from '../../../policy/delivery-policy/policy-document';
import { totalDelaySeconds } from '../../../policy/delivery-policy/retry-schedule';
import { formatProblem } from '../../../policy/problem';
import { fittingRetryPolicies, SAMPLE_POLICY } from '../arbitraries';

/** Settings as an untyped program could pass them. */
const loose = (settings: unknown) => settings as DeliveryPolicySettings;
const found = (settings: unknown, context?: PolicyContext) =>
  policyProblems(loose(settings), context).map(formatProblem);
const retry = (healthyRetryPolicy: unknown, context?: PolicyContext) => found({ healthyRetryPolicy }, context);

test.each([
  ["the sample of AWS's page", SAMPLE_POLICY],
  ['50 retries a minute apart', { healthyRetryPolicy: { numRetries: 50, minDelayTarget: 60, maxDelayTarget: 60 } }],
  [
    "the package index's: 5 at once, 5 x 5 s, 65 from 5 to 30 s, 25 x 30 s",
    {
      healthyRetryPolicy: {
        numRetries: 100,
        numNoDelayRetries: 5,
        numMinDelayRetries: 5,
        numMaxDelayRetries: 25,
        minDelayTarget: 5,
        maxDelayTarget: 30,
        backoffFunction: 'exponential',
      },
    },
  ],
  ['no retry at all', { healthyRetryPolicy: { numRetries: 0 } }],
  ['exactly 3,600 s', { healthyRetryPolicy: { numRetries: 1, minDelayTarget: 3_600, maxDelayTarget: 3_600 } }],
  ['100 retries', { healthyRetryPolicy: { numRetries: 100, minDelayTarget: 36, maxDelayTarget: 36 } }],
  ['the least delay', { healthyRetryPolicy: { minDelayTarget: 1 } }],
  ['all retries at once', { healthyRetryPolicy: { numRetries: 4, numNoDelayRetries: 4 } }],
  ['all retries before the backoff', { healthyRetryPolicy: { numMinDelayRetries: 3 } }],
  ['all retries after the backoff', { healthyRetryPolicy: { numMaxDelayRetries: 3 } }],
  ['one delivery a second', { throttlePolicy: { maxReceivesPerSecond: 1 } }],
  ['a content type', { requestPolicy: { headerContentType: 'application/json' } }],
])('SNS is known to accept %s', (_, settings) => {
  expect(found(settings)).toEqual([]);
});

describe('limits', () => {
  test.each([
    [{ minDelayTarget: 0 }, 'minDelayTarget must be greater than or equal to 1, got 0'],
    [{ maxDelayTarget: 3_601 }, 'maxDelayTarget must be less than or equal to 3600, got 3601'],
    [{ numRetries: 101 }, 'numRetries must be less than or equal to 100, got 101'],
    [{ numRetries: -1 }, 'numRetries must be greater than or equal to 0, got -1'],
    [{ numNoDelayRetries: -1 }, 'numNoDelayRetries must be greater than or equal to 0, got -1'],
    [{ numMinDelayRetries: -2 }, 'numMinDelayRetries must be greater than or equal to 0, got -2'],
    [{ numMaxDelayRetries: -3 }, 'numMaxDelayRetries must be greater than or equal to 0, got -3'],
    [
      { backoffFunction: 'quadratic' },
      'backoffFunction must be one of arithmetic, exponential, geometric, linear, got "quadratic"',
    ],
    [
      { backoffFunction: 'Linear' },
      'backoffFunction must be one of arithmetic, exponential, geometric, linear, got "Linear"',
    ],
    [{ backoffFunction: 2 }, 'backoffFunction type mismatch, expecting string, received a number, got 2'],
  ])('%j', (attributes, problem) => {
    expect(retry(attributes)).toContain(`healthyRetryPolicy.${problem}`);
  });
});

describe('whole numbers only', () => {
  const attributes = [
    'minDelayTarget',
    'maxDelayTarget',
    'numRetries',
    'numMaxDelayRetries',
    'numNoDelayRetries',
    'numMinDelayRetries',
  ];

  test.each([
    [2.5, 'must be a whole number, got 2.5'],
    [Number.NaN, 'must be a whole number, got NaN'],
    [Number.POSITIVE_INFINITY, 'must be a whole number, got Infinity'],
    ['20', 'type mismatch, expecting integer, received a string, got "20"'],
    [null, 'type mismatch, expecting integer, received null, got null'],
    [true, 'type mismatch, expecting integer, received a boolean, got true'],
    [[20], 'type mismatch, expecting integer, received an array, got [20]'],
    [{ value: 20 }, 'type mismatch, expecting integer, received an object, got {"value":20}'],
  ])('%p', (value, problem) => {
    for (const attribute of attributes) {
      expect(retry({ [attribute]: value })).toEqual([`healthyRetryPolicy.${attribute} ${problem}`]);
    }
  });
});

describe('delays in order', () => {
  test('a minDelayTarget without a maxDelayTarget is compared with the default of maxDelayTarget', () => {
    expect(retry({ minDelayTarget: 20 })).toEqual([]);
    expect(retry({ minDelayTarget: 21 })).toEqual([
      'healthyRetryPolicy.minDelayTarget must be less than or equal to maxDelayTarget (20, the default), got 21',
    ]);
  });

  test('both are compared with each other, even beyond their own limits', () => {
    expect(retry({ minDelayTarget: 30, maxDelayTarget: 29 })).toEqual([
      'healthyRetryPolicy.maxDelayTarget must be greater than or equal to minDelayTarget (30), got 29',
    ]);
    expect(retry({ minDelayTarget: 4_000, maxDelayTarget: 3_700 })).toEqual([
      'healthyRetryPolicy.maxDelayTarget must be less than or equal to 3600, got 3700',
      'healthyRetryPolicy.maxDelayTarget must be greater than or equal to minDelayTarget (4000), got 3700',
    ]);
  });
});

describe('phases within the retries', () => {
  const rule =
    'healthyRetryPolicy.numRetries must be greater than or equal to total of numMinDelayRetries, numNoDelayRetries and numMaxDelayRetries';

  test('without numRetries they are compared with its default', () => {
    expect(retry({ numNoDelayRetries: 4 })).toEqual([`${rule} (0 + 4 + 0 = 4), got 3 (the default)`]);
  });

  test('they are compared with numRetries even if that is beyond its own limit', () => {
    expect(retry({ numRetries: 101, numNoDelayRetries: 200 })).toEqual([
      'healthyRetryPolicy.numRetries must be less than or equal to 100, got 101',
      `${rule} (0 + 200 + 0 = 200), got 101`,
    ]);
  });
});

describe('3,600 seconds in all', () => {
  const rule = 'healthyRetryPolicy must spend at most 3600 seconds in the delays of all its retries together';

  test('100 retries an hour apart are refused', () => {
    expect(retry({ numRetries: 100, minDelayTarget: 3_600, maxDelayTarget: 3_600 })).toEqual([`${rule}, got 360000`]);
  });

  test('one second more is too much', () => {
    expect(retry({ numRetries: 2, minDelayTarget: 1_800, maxDelayTarget: 1_800 })).toEqual([]);
    expect(retry({ numRetries: 2, minDelayTarget: 1_800, maxDelayTarget: 1_801 })).toEqual([`${rule}, got 3601`]);
  });

  test('the sum is checked only if each attribute is valid', () => {
    expect(retry({ numRetries: 101, minDelayTarget: 3_600, maxDelayTarget: 3_600 })).toEqual([
      'healthyRetryPolicy.numRetries must be less than or equal to 100, got 101',
    ]);
    expect(retry({ numRetries: 100, minDelayTarget: 3_600, maxDelayTarget: 1_800 })).toHaveLength(1);
    expect(
      retry({
        numRetries: 10,
        numNoDelayRetries: 5,
        numMaxDelayRetries: 6,
        minDelayTarget: 1_000,
        maxDelayTarget: 1_000,
      }),
    ).toHaveLength(1);
    expect(retry({ numRetries: 100, minDelayTarget: 3_600, maxDelayTarget: 3_600, backoffFunction: 'x' })).toHaveLength(
      1,
    );
  });

  test('a policy is refused exactly when its delays sum to more', () => {
    fc.assert(
      fc.property(fittingRetryPolicies, policy => {
        const expected = totalDelaySeconds(policy) > 3_600 ? 1 : 0;
        expect(retry(policy)).toHaveLength(expected);
      }),
    );
  });
});

describe('content types', () => {
  const header = (headerContentType: unknown, context?: PolicyContext) =>
    found({ requestPolicy: { headerContentType } }, context);
  const rule = 'requestPolicy.headerContentType must be one of application/json, text/plain';

  test('in an envelope is JSON or plain text', () => {
    expect(header('text/csv')).toEqual([`${rule} while raw message delivery is off, got "text/csv"`]);
  });

  test('of a raw notification may be one of twelve', () => {
    const raw = { rawMessageDelivery: true };
    expect(header('text/csv', raw)).toEqual([]);
    expect(header('image/png', raw)).toEqual([
      'requestPolicy.headerContentType must be one of application/atom+xml, application/json, application/octet-stream, application/soap+xml, application/x-www-form-urlencoded, application/xhtml+xml, application/xml, text/css, text/csv, text/html, text/plain, text/xml while raw message delivery is on, got "image/png"',
    ]);
  });

  test('must be a string', () => {
    expect(header(7)).toEqual([
      'requestPolicy.headerContentType type mismatch, expecting string, received a number, got 7',
    ]);
  });
});

test('all problems come at once', () => {
  const problems = found({
    healthyRetryPolicy: {
      numRetries: 101,
      minDelayTarget: 5,
      maxDelayTarget: 4,
      numNoDelayRetries: 1.5,
      backoffFunction: 'cubic',
      tries: 1,
    },
    throttlePolicy: { maxReceivesPerSecond: '10' },
    requestPolicy: { headerContentType: 'text/css' },
  });
  expect(problems.map(problem => problem.split(' ')[0])).toEqual([
    'healthyRetryPolicy.tries',
    'healthyRetryPolicy.numRetries',
    'healthyRetryPolicy.numNoDelayRetries',
    'healthyRetryPolicy.backoffFunction',
    'throttlePolicy.maxReceivesPerSecond',
    'requestPolicy.headerContentType',
    'healthyRetryPolicy.maxDelayTarget',
  ]);
});

describe('the attributes that SNS requires although they have defaults', () => {
  test('are those of a retry policy, and no others', () => {
    const { healthyRetryPolicy: _, ...others } = SAMPLE_POLICY;
    expect(found(others, { demandMandatory: true })).toEqual([]);
    expect(found(SAMPLE_POLICY, { demandMandatory: true })).toEqual([]);
  });
});
