import fc from 'fast-check';
import { type DeliveryPolicySettings, withDefaults } from '../../../policy/delivery-policy/delivery-policy';
import {
  documentProblems,
  levelOf,
  type PolicyContext,
  parsePolicyDocument,
  policyProblems,
  readPolicyDocument,
  subscriptionPolicyDocument,
  topicPolicyDocument,
} from '../../../policy/delivery-policy/policy-document';
import { formatProblem } from '../../../policy/problem';
import { backoffFunctions, SAMPLE_POLICY } from '../arbitraries';

const found = (document: unknown, context?: PolicyContext) => documentProblems(document, context).map(formatProblem);

const TOPIC_SAMPLE = {
  http: {
    defaultHealthyRetryPolicy: SAMPLE_POLICY.healthyRetryPolicy,
    disableSubscriptionOverrides: false,
    defaultThrottlePolicy: SAMPLE_POLICY.throttlePolicy,
    defaultRequestPolicy: SAMPLE_POLICY.requestPolicy,
  },
};

describe('reading a policy document', () => {
  test('accepts the form of a subscription', () => {
    expect(parsePolicyDocument(JSON.stringify(SAMPLE_POLICY))).toEqual({
      kind: 'policy',
      level: 'subscription',
      settings: SAMPLE_POLICY,
    });
  });

  test('accepts the form of a topic, by the names of a subscription', () => {
    expect(parsePolicyDocument(JSON.stringify(TOPIC_SAMPLE))).toEqual({
      kind: 'policy',
      level: 'topic',
      settings: { ...SAMPLE_POLICY, disableSubscriptionOverrides: false },
    });
  });

  test('keeps only what is written, without defaults', () => {
    expect(
      readPolicyDocument({
        http: { defaultHealthyRetryPolicy: { minDelayTarget: 5, maxDelayTarget: 6, numRetries: 1 } },
      }),
    ).toStrictEqual({
      kind: 'policy',
      level: 'topic',
      settings: { healthyRetryPolicy: { minDelayTarget: 5, maxDelayTarget: 6, numRetries: 1 } },
    });
  });

  test('accepts what SNS shows of a subscription, with its leftovers', () => {
    expect(
      readPolicyDocument({
        healthyRetryPolicy: null,
        sicklyRetryPolicy: null,
        throttlePolicy: null,
        requestPolicy: { headerContentType: 'text/plain' },
        guaranteed: false,
      }),
    ).toEqual({
      kind: 'policy',
      level: 'subscription',
      settings: { requestPolicy: { headerContentType: 'text/plain' } },
    });
  });

  test('accepts what SNS shows of a topic, with its default content type', () => {
    const shown = {
      http: {
        defaultHealthyRetryPolicy: null,
        defaultSicklyRetryPolicy: null,
        disableSubscriptionOverrides: true,
        defaultRequestPolicy: { headerContentType: 'text/plain; charset=UTF-8' },
      },
    };
    expect(readPolicyDocument(shown)).toEqual({
      kind: 'policy',
      level: 'topic',
      settings: {
        disableSubscriptionOverrides: true,
        requestPolicy: { headerContentType: 'text/plain; charset=UTF-8' },
      },
    });
  });

  test('refuses text that is not JSON', () => {
    const parsed = parsePolicyDocument('{"healthyRetryPolicy":');
    expect(parsed).toMatchObject({
      kind: 'problems',
      level: 'subscription',
      problems: [{ property: 'DeliveryPolicy', value: '{"healthyRetryPolicy":' }],
    });
    expect(parsed.kind === 'problems' && parsed.problems.map(({ rule }) => rule)).toEqual([
      expect.stringMatching(/^must be JSON \(.*JSON.*\)$/),
    ]);
    expect(parsePolicyDocument('', { level: 'topic' }).level).toBe('topic');
  });

  test('recognizes the level by the form, unless the level is stated', () => {
    expect([{ http: {} }, {}, null, 'http', [], { defaultHealthyRetryPolicy: {} }].map(levelOf)).toEqual([
      'topic',
      'subscription',
      'subscription',
      'subscription',
      'subscription',
      'subscription',
    ]);
    expect(readPolicyDocument(TOPIC_SAMPLE, { level: 'subscription' })).toMatchObject({
      kind: 'problems',
      level: 'subscription',
    });
    expect(readPolicyDocument(SAMPLE_POLICY, { level: 'topic' })).toMatchObject({ kind: 'problems', level: 'topic' });
  });

  test('uses the rest of the context for its rules', () => {
    const text = JSON.stringify({ requestPolicy: { headerContentType: 'text/csv' } });
    expect(parsePolicyDocument(text).kind).toBe('problems');
    expect(parsePolicyDocument(text, { rawMessageDelivery: true }).kind).toBe('policy');
    expect(parsePolicyDocument('{"healthyRetryPolicy":{"numRetries":5}}').kind).toBe('policy');
    expect(parsePolicyDocument('{"healthyRetryPolicy":{"numRetries":5}}', { demandMandatory: true }).kind).toBe(
      'problems',
    );
  });

  test('returns a policy or problems for any JSON', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        const parsed = parsePolicyDocument(text);
        if (parsed.kind === 'problems') expect(parsed.problems.map(formatProblem).every(Boolean)).toBe(true);
        else expect(documentProblems(JSON.parse(text), { level: parsed.level })).toEqual([]);
      }),
    );
  });
});

describe('problems have the property names of the document', () => {
  test('of a topic', () => {
    expect(
      found(
        {
          http: {
            defaultHealthyRetryPolicy: { numRetries: 101, maxDelayTarget: 5 },
            defaultThrottlePolicy: { maxReceivesPerSecond: 0 },
            defaultRequestPolicy: { headerContentType: 'text/csv' },
            disableSubscriptionOverrides: 'yes',
          },
        },
        { level: 'topic' },
      ),
    ).toEqual([
      'http.defaultHealthyRetryPolicy.numRetries must be less than or equal to 100, got 101',
      'http.defaultThrottlePolicy.maxReceivesPerSecond must be greater than or equal to 1, got 0',
      'http.defaultRequestPolicy.headerContentType must be one of application/json, text/plain at a topic, got "text/csv"',
      'http.defaultHealthyRetryPolicy.maxDelayTarget must be greater than or equal to minDelayTarget (20, the default), got 5',
      'http.disableSubscriptionOverrides must be true or false, got "yes"',
    ]);
    expect(
      found(
        { http: { defaultHealthyRetryPolicy: { numRetries: 100, minDelayTarget: 3_600, maxDelayTarget: 3_600 } } },
        { level: 'topic' },
      ),
    ).toEqual([
      'http.defaultHealthyRetryPolicy must spend at most 3600 seconds in the delays of all its retries together, got 360000',
    ]);
  });

  test('of a topic whose policy is not wrapped, with the right place', () => {
    expect(found(SAMPLE_POLICY, { level: 'topic' }).map(problem => problem.replace(/, got .*/, ''))).toEqual([
      'healthyRetryPolicy is not allowed here: it belongs at http.defaultHealthyRetryPolicy',
      'throttlePolicy is not allowed here: it belongs at http.defaultThrottlePolicy',
      'requestPolicy is not allowed here: it belongs at http.defaultRequestPolicy',
    ]);
    expect(
      found({ http: SAMPLE_POLICY, disableSubscriptionOverrides: true }, { level: 'topic' }).map(problem =>
        problem.replace(/, got .*/, ''),
      ),
    ).toEqual([
      'disableSubscriptionOverrides is not allowed here: it belongs at http.disableSubscriptionOverrides',
      'http.healthyRetryPolicy is not allowed here: it belongs at http.defaultHealthyRetryPolicy',
      'http.throttlePolicy is not allowed here: it belongs at http.defaultThrottlePolicy',
      'http.requestPolicy is not allowed here: it belongs at http.defaultRequestPolicy',
    ]);
    expect(found({ https: {} }, { level: 'topic' })).toEqual(['https is not known: allowed here are http, got {}']);
  });

  test('of a subscription in the form of a topic', () => {
    expect(found({ http: { defaultHealthyRetryPolicy: {} } })).toEqual([
      'http belongs in a topic\'s delivery policy: a subscription\'s may have healthyRetryPolicy, throttlePolicy, requestPolicy, got {"defaultHealthyRetryPolicy":{}}',
    ]);
    expect(found({ defaultHealthyRetryPolicy: { numRetries: 3 }, DefaultThrottlePolicy: {} })).toEqual([
      'defaultHealthyRetryPolicy is not allowed here: it belongs at healthyRetryPolicy, got {"numRetries":3}',
      'DefaultThrottlePolicy is not allowed here: it belongs at throttlePolicy, got {}',
    ]);
  });

  test('of an empty or shapeless topic policy, once', () => {
    expect(found({}, { level: 'topic' })).toEqual(['DeliveryPolicy must have at least one of http, got {}']);
    expect(found({ http: {} }, { level: 'topic' })).toEqual([
      'http must have at least one of defaultHealthyRetryPolicy, defaultThrottlePolicy, defaultRequestPolicy, disableSubscriptionOverrides, got {}',
    ]);
    expect(found({ http: 5 }, { level: 'topic' })).toEqual(['http must be an object, got 5']);
    expect(found({ http: null }, { level: 'topic' })).toEqual(['http must be an object, got null']);
    expect(found({ http: { http: {} } }, { level: 'topic' })).toEqual([
      'http.http is not known: allowed here are defaultHealthyRetryPolicy, defaultThrottlePolicy, defaultRequestPolicy, disableSubscriptionOverrides, got {}',
    ]);
    expect(found({ http: { defaultHealthyRetryPolicy: [] } }, { level: 'topic' })).toEqual([
      'http.defaultHealthyRetryPolicy must be an object, got []',
    ]);
  });

  test('of leftovers, unless they are just as SNS shows them', () => {
    expect(found({ ...SAMPLE_POLICY, guaranteed: true, sicklyRetryPolicy: { numRetries: 1 } })).toEqual([
      'guaranteed is no longer used by SNS: remove it, got true',
      'sicklyRetryPolicy is no longer used by SNS: remove it, got {"numRetries":1}',
    ]);
    expect(found({ http: { ...TOPIC_SAMPLE.http, defaultSicklyRetryPolicy: {} } }, { level: 'topic' })).toEqual([
      'http.defaultSicklyRetryPolicy is no longer used by SNS: remove it, got {}',
    ]);
  });
});

describe('writing a policy document', () => {
  test('writes the sample in both forms', () => {
    expect(subscriptionPolicyDocument(SAMPLE_POLICY)).toEqual(SAMPLE_POLICY);
    expect(topicPolicyDocument({ ...SAMPLE_POLICY, disableSubscriptionOverrides: false })).toEqual(TOPIC_SAMPLE);
  });

  test('leaves out what is absent, except the three attributes that SNS requires', () => {
    expect(subscriptionPolicyDocument({ healthyRetryPolicy: { numNoDelayRetries: 1 } })).toEqual({
      healthyRetryPolicy: { minDelayTarget: 20, maxDelayTarget: 20, numRetries: 3, numNoDelayRetries: 1 },
    });
    expect(
      subscriptionPolicyDocument({ throttlePolicy: { maxReceivesPerSecond: 2 }, healthyRetryPolicy: undefined }),
    ).toEqual({
      throttlePolicy: { maxReceivesPerSecond: 2 },
    });
    expect(topicPolicyDocument({ disableSubscriptionOverrides: true })).toEqual({
      http: { disableSubscriptionOverrides: true },
    });
    expect(topicPolicyDocument({ requestPolicy: { headerContentType: 'text/plain' } })).toStrictEqual({
      http: { defaultRequestPolicy: { headerContentType: 'text/plain' } },
    });
  });

  const lawful = fc.record(
    {
      healthyRetryPolicy: fc.record(
        {
          minDelayTarget: fc.integer({ min: 1, max: 20 }),
          maxDelayTarget: fc.integer({ min: 20, max: 36 }),
          numRetries: fc.integer({ min: 3, max: 100 }),
          numMaxDelayRetries: fc.nat(1),
          numNoDelayRetries: fc.nat(1),
          numMinDelayRetries: fc.nat(1),
          backoffFunction: backoffFunctions,
        },
        { requiredKeys: ['numRetries'] },
      ),
      throttlePolicy: fc.record({ maxReceivesPerSecond: fc.integer({ min: 1 }) }),
      requestPolicy: fc.record({ headerContentType: fc.constantFrom('application/json', 'text/plain') }),
    },
    { requiredKeys: ['requestPolicy'] },
  );

  test('gives the same policy when it is read again, with all that SNS requires', () => {
    fc.assert(
      fc.property(lawful, fc.boolean(), (settings, disableSubscriptionOverrides) => {
        const documents = [
          subscriptionPolicyDocument(settings),
          topicPolicyDocument({ ...settings, disableSubscriptionOverrides }),
        ];
        for (const document of documents) {
          const parsed = parsePolicyDocument(JSON.stringify(document), { demandMandatory: true });
          expect(parsed).toMatchObject({ kind: 'policy' });
          expect(parsed.kind === 'policy' && withDefaults(parsed.settings)).toEqual(withDefaults(settings));
        }
      }),
    );
  });
});

describe('policy shape', () => {
  /** Settings as an untyped program could pass them. */
  const loose = (settings: unknown) => settings as DeliveryPolicySettings;
  const found = (settings: unknown, context?: PolicyContext) =>
    policyProblems(loose(settings), context).map(formatProblem);
  const retry = (healthyRetryPolicy: unknown, context?: PolicyContext) => found({ healthyRetryPolicy }, context);

  describe('the shape', () => {
    test('of an empty policy, or an empty member of one, is refused because it says nothing', () => {
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

    test('of undefined is no policy', () => {
      expect(found(undefined)).toEqual(['DeliveryPolicy must be an object, got nothing']);
    });

    test('with unknown members is refused, with the right place for each', () => {
      expect(
        found({
          healthyRetryPolicy: { retries: 3, numretries: 4, headerContentType: 'x' },
          numRetries: 5,
          colour: 'red',
        }),
      ).toEqual([
        'numRetries is not allowed here: it belongs at healthyRetryPolicy.numRetries, got 5',
        'colour is not known: allowed here are healthyRetryPolicy, throttlePolicy, requestPolicy, got "red"',
        'healthyRetryPolicy.retries is not known: allowed here are minDelayTarget, maxDelayTarget, numRetries, numMaxDelayRetries, numNoDelayRetries, numMinDelayRetries, backoffFunction, got 3',
        'healthyRetryPolicy.numretries is not allowed here: it belongs at healthyRetryPolicy.numRetries, got 4',
        'healthyRetryPolicy.headerContentType is not allowed here: it belongs at requestPolicy.headerContentType, got "x"',
      ]);
    });

    test('may have the overrides switch only in a topic, as true or false', () => {
      expect(found({ disableSubscriptionOverrides: true })).toEqual([
        "disableSubscriptionOverrides belongs in a topic's delivery policy: a subscription's may have healthyRetryPolicy, throttlePolicy, requestPolicy, got true",
      ]);
      expect(found({ disableSubscriptionOverrides: true }, { level: 'topic' })).toEqual([]);
      expect(found({ disableSubscriptionOverrides: 'true' }, { level: 'topic' })).toEqual([
        'disableSubscriptionOverrides must be true or false, got "true"',
      ]);
    });
  });

  describe('values that are known only at deployment', () => {
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

    test('count as members of an object that would otherwise be empty', () => {
      expect(found({}, unresolved('numRetries'))).toEqual([]);
      expect(found({ healthyRetryPolicy: {}, throttlePolicy: {} }, unresolved('numRetries'))).toEqual([
        'throttlePolicy must have at least one of maxReceivesPerSecond, got {}',
      ]);
    });

    test('allow any raw content type if raw message delivery is one of them', () => {
      const requestPolicy = { headerContentType: 'text/csv' };
      expect(found({ requestPolicy }, unresolved('rawMessageDelivery'))).toEqual([]);
      expect(
        found({ requestPolicy: { headerContentType: 'image/png' } }, unresolved('rawMessageDelivery')),
      ).toHaveLength(1);
    });

    test('count as present where SNS requires them', () => {
      expect(
        retry({ numRetries: 3, minDelayTarget: 20 }, { demandMandatory: true, ...unresolved('maxDelayTarget') }),
      ).toEqual([]);
    });
  });
});
