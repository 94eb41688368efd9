import type { DeliveryPolicySettings } from '../../../policy/delivery-policy/delivery-policy';
import { type PolicyContext, policyProblems } from '../../../policy/delivery-policy/policy-problems';
import { awsText } from '../../../policy/problem';

describe("SNS's own words", () => {
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

  test('numRetries comes before the order of the delays', () => {
    expect(words({ healthyRetryPolicy: { numRetries: 101, minDelayTarget: 6, maxDelayTarget: 5 } })[0]).toBe(
      'healthyRetryPolicy.numRetries must be less than or equal to 100',
    );
  });

  test('a missing attribute must be specified', () => {
    expect(words({ healthyRetryPolicy: { minDelayTarget: 30, numRetries: 1 } }, { demandMandatory: true })[0]).toBe(
      'healthyRetryPolicy.maxDelayTarget must be specified',
    );
  });
});
