import type { DeliveryPolicySettings } from '../../../policy/delivery-policy/delivery-policy';
import { type PolicyContext, policyProblems } from '../../../policy/delivery-policy/policy-problems';
import { formatProblem } from '../../../policy/problem';
import { SAMPLE_POLICY } from '../arbitraries';

/** Settings as a program without types could give them. */
const loose = (settings: unknown) => settings as DeliveryPolicySettings;
const found = (settings: unknown, context?: PolicyContext) =>
  policyProblems(loose(settings), context).map(formatProblem);
const retry = (healthyRetryPolicy: unknown, context?: PolicyContext) => found({ healthyRetryPolicy }, context);

describe('the shape', () => {
  test('an empty policy, or an empty member of one, says nothing and is refused', () => {
    expect(found({})).toEqual([
      'DeliveryPolicy must have at least one of healthyRetryPolicy, throttlePolicy, requestPolicy, got {}',
    ]);
    expect(found({}, { level: 'topic' })).toEqual([
      'DeliveryPolicy must have at least one of healthyRetryPolicy, throttlePolicy, requestPolicy, disableSubscriptionOverrides, got {}',
    ]);
    expect(
      found({ healthyRetryPolicy: {}, throttlePolicy: {}, requestPolicy: { headerContentType: undefined } }),
    ).toEqual([
      'healthyRetryPolicy must have at least one of minDelayTarget, maxDelayTarget, numRetries, numMaxDelayRetries, numNoDelayRetries, numMinDelayRetries, backoffFunction, got {}',
      'throttlePolicy must have at least one of maxReceivesPerSecond, got {}',
      'requestPolicy must have at least one of headerContentType, got {}',
    ]);
    expect(found({ healthyRetryPolicy: undefined })).toHaveLength(1);
  });

  test.each([[null], [7], ['policy'], [[]]])('%j is no policy', value => {
    expect(found(value)).toEqual([`DeliveryPolicy must be an object, got ${JSON.stringify(value)}`]);
    expect(found({ healthyRetryPolicy: value })).toEqual(
      value === null ? [] : [`healthyRetryPolicy must be an object, got ${JSON.stringify(value)}`],
    );
  });

  test('nothing at all is no policy', () => {
    expect(found(undefined)).toEqual(['DeliveryPolicy must be an object, got nothing']);
  });

  test('unknown members are named, and told where they belong', () => {
    expect(
      found({
        healthyRetryPolicy: { retries: 3, numretries: 4, headerContentType: 'x' },
        numRetries: 5,
        colour: 'red',
      }),
    ).toEqual([
      'numRetries is not known here: it belongs at healthyRetryPolicy.numRetries, got 5',
      'colour is not known: here may be healthyRetryPolicy, throttlePolicy, requestPolicy, got "red"',
      'healthyRetryPolicy.retries is not known: here may be minDelayTarget, maxDelayTarget, numRetries, numMaxDelayRetries, numNoDelayRetries, numMinDelayRetries, backoffFunction, got 3',
      'healthyRetryPolicy.numretries is not known here: it belongs at healthyRetryPolicy.numRetries, got 4',
      'healthyRetryPolicy.headerContentType is not known here: it belongs at requestPolicy.headerContentType, got "x"',
    ]);
  });

  test('settings have nothing left from older days', () => {
    expect(found({ ...SAMPLE_POLICY, guaranteed: false })).toEqual([
      'guaranteed is not known: here may be healthyRetryPolicy, throttlePolicy, requestPolicy, got false',
    ]);
  });

  test("the overrides switch is a topic's, and true or false", () => {
    expect(found({ disableSubscriptionOverrides: true })).toEqual([
      "disableSubscriptionOverrides belongs to a topic's delivery policy: a subscription's may have healthyRetryPolicy, throttlePolicy, requestPolicy, got true",
    ]);
    expect(found({ disableSubscriptionOverrides: true }, { level: 'topic' })).toEqual([]);
    expect(found({ disableSubscriptionOverrides: 'true' }, { level: 'topic' })).toEqual([
      'disableSubscriptionOverrides must be true or false, got "true"',
    ]);
  });
});

describe('values that are not known yet', () => {
  const unresolved = (...members: string[]) => ({ unresolvedMembers: new Set(members) });

  test('skip every rule that would read them', () => {
    expect(retry({ minDelayTarget: 30 }, unresolved('maxDelayTarget'))).toEqual([]);
    expect(retry({ numNoDelayRetries: 50 }, unresolved('numRetries'))).toEqual([]);
    expect(retry({ numRetries: 100, minDelayTarget: 3_600 }, unresolved('maxDelayTarget'))).toEqual([]);
    expect(retry({ numRetries: 100, minDelayTarget: 60, maxDelayTarget: 60 }, unresolved('backoffFunction'))).toEqual(
      [],
    );
    expect(retry({ numRetries: Number.NaN }, unresolved('numRetries'))).toEqual([]);
  });

  test('leave the other rules in force', () => {
    expect(retry({ minDelayTarget: 30, numNoDelayRetries: -1 }, unresolved('maxDelayTarget'))).toEqual([
      'healthyRetryPolicy.numNoDelayRetries must be greater than or equal to 0, got -1',
    ]);
    expect(retry({ minDelayTarget: 30 }, unresolved('numRetries'))).toHaveLength(1);
  });

  test('excuse an object that would hold them from being empty, and no other', () => {
    expect(found({}, unresolved('numRetries'))).toEqual([]);
    expect(found({ healthyRetryPolicy: {}, throttlePolicy: {} }, unresolved('numRetries'))).toEqual([
      'throttlePolicy must have at least one of maxReceivesPerSecond, got {}',
    ]);
  });

  test('let any raw content type pass when raw message delivery is one of them', () => {
    const requestPolicy = { headerContentType: 'text/csv' };
    expect(found({ requestPolicy }, unresolved('rawMessageDelivery'))).toEqual([]);
    expect(found({ requestPolicy: { headerContentType: 'image/png' } }, unresolved('rawMessageDelivery'))).toHaveLength(
      1,
    );
  });

  test('are not missed where SNS demands them', () => {
    expect(
      retry({ numRetries: 3, minDelayTarget: 20 }, { demandMandatory: true, ...unresolved('maxDelayTarget') }),
    ).toEqual([]);
  });
});
