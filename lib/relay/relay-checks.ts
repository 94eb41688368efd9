import { Stack, Token } from 'aws-cdk-lib';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IConstruct } from 'constructs';
import { MAX_FUNCTION_TIMEOUT_SECONDS, QUEUE_LIMITS } from '../../policy/aws-limits';
import { policyProblems } from '../../policy/delivery-policy/policy-document';
import type { PolicyLimits } from '../../policy/delivery-policy/policy-rules';
import type { Problem } from '../../policy/problem';
import { LEAST_BREAKER_CONCURRENCY } from '../../policy/relay/breaker';
import { neededSeconds, policyLimits, reserveSeconds, visibilitySeconds } from '../../policy/relay/relay-invocation';
import { longestDelaySeconds } from '../../policy/relay/relay-limits';
import { DEAD_STATUSES } from '../../policy/relay/relay-settings';
import { DAY_SECONDS } from '../../policy/time-units';
import { integerProblems, knownSeconds, mismatchProblems, type Range, secondsProblems, warn } from '../shared/checks';
import type { HttpRelayOptions, HttpRelayProps, RelayFailureRateAlarmOptions } from './http-relay-props';
import type { RelayNetworkOptions } from './relay-endpoint';
import { networkProblems } from './relay-function';
import { RELAY_DEFAULTS, relayRetryPolicy, requestsPerSecond, runFactsOf } from './relay-sizing';
import { addressProblems, authorizationProblems, rangeProblems, requestProblems, sizeProblems } from './request-checks';

/** The longest that a request waits because of the rate ceiling that every relay has. */
const LONGEST_TURN_SECONDS = 1;

/** The limits of a timeout. */
function millisecondsOf(options: HttpRelayOptions) {
  const needed = reserveSeconds(runFactsOf(options)) + LONGEST_TURN_SECONDS;
  return { min: 1, max: (MAX_FUNCTION_TIMEOUT_SECONDS - needed) * 1_000, unit: 'milliseconds' };
}

/** With more than half, the order of retries would be arbitrary. */
const JITTER = { min: 0, max: 50 };

/** What Lambda accepts. @see https://docs.aws.amazon.com/lambda/latest/api/API_ScalingConfig.html */
export const CONCURRENCY = { min: 2, max: 1_000 };

/** An open breaker sets a concurrency of 2, to recognize a relay that it stopped itself. */
const BREAKER_CONCURRENCY = {
  min: LEAST_BREAKER_CONCURRENCY,
  max: CONCURRENCY.max,
  unit: 'where circuitBreaker.enabled is not false',
};

/** From the interval of the breaker's checks to once a day. */
const PROBE_INTERVAL = { min: 300, max: DAY_SECONDS };

const PER_SECOND = { min: 1, max: 100_000 };

/** The properties of what posts to endpoints: a relay or a fleet. */
type PosterOptions = RelayNetworkOptions &
  Pick<
    HttpRelayOptions,
    'allowedPrivateRanges' | 'jitterPercent' | 'connectTimeout' | 'totalTimeout' | 'deadStatuses' | 'retryAfterCap'
  >;

function timeoutProblems(options: PosterOptions, range: Range): Problem[] {
  const { connectTimeout = RELAY_DEFAULTS.connectTimeout, totalTimeout = RELAY_DEFAULTS.totalTimeout } = options;
  const [connect, total] = [connectTimeout, totalTimeout].map(it =>
    it.isUnresolved() ? undefined : it.toMilliseconds({ integral: false }),
  );
  const problems = [
    ...integerProblems('connectTimeout', connect, range),
    ...integerProblems('totalTimeout', total, range),
  ];
  if (problems.length > 0 || connect === undefined || total === undefined || connect <= total) return problems;
  const isDefault = options.connectTimeout === undefined;
  const rule = `must be no longer than totalTimeout, ${total} milliseconds`;
  return [{ property: 'connectTimeout', rule, value: connect, isDefault }];
}

/** The limits of the retry policy, as far as they are known before deployment. */
function limitsOf(options: HttpRelayOptions): PolicyLimits {
  const { jitterPercent = RELAY_DEFAULTS.jitterPercent, retentionPeriod = RELAY_DEFAULTS.retentionPeriod } = options;
  return policyLimits(runFactsOf(options), {
    jitterPercent: Token.isUnresolved(jitterPercent) ? 0 : jitterPercent,
    retentionSeconds: knownSeconds(retentionPeriod) ?? Number.POSITIVE_INFINITY,
  });
}

/** What is wrong with the retry policy, with the property names of this construct. */
export function retryPolicyProblems(options: Pick<HttpRelayOptions, 'retryPolicy'>, limits: PolicyLimits): Problem[] {
  const healthyRetryPolicy = relayRetryPolicy(options);
  const unresolved = Object.entries(healthyRetryPolicy).filter(([, value]) => Token.isUnresolved(value));
  const context = { limits, unresolvedMembers: new Set(unresolved.map(([name]) => name)) };
  return policyProblems({ healthyRetryPolicy }, context).map(problem => ({
    ...problem,
    property: problem.property.replace(/^healthyRetryPolicy/, 'retryPolicy'),
    ...(!options.retryPolicy && { isDefault: true }),
  }));
}

/** Reports a rate so low that an invocation has no time for even one message. */
function paceProblems(options: HttpRelayOptions): Problem[] {
  const { maximumConcurrency = RELAY_DEFAULTS.maximumConcurrency } = options;
  const facts = runFactsOf(options);
  const [unpaced, paced] = [neededSeconds({ ...facts, paceSeconds: 0 }, 1), neededSeconds(facts, 1)];
  if (!unpaced || !paced || unpaced > MAX_FUNCTION_TIMEOUT_SECONDS || paced <= MAX_FUNCTION_TIMEOUT_SECONDS) return [];
  const rule = `must let each of ${maximumConcurrency} invocations make the first attempt of a message and its immediate retries within ${MAX_FUNCTION_TIMEOUT_SECONDS} seconds`;
  const isDefault = options.maxReceivesPerSecond === undefined;
  return [{ property: 'maxReceivesPerSecond', rule, value: requestsPerSecond(options), isDefault }];
}

function statusProblems({ deadStatuses = [] }: PosterOptions): Problem[] {
  if (Token.isUnresolved(deadStatuses)) return [];
  return deadStatuses.flatMap((status, index) => integerProblems(`deadStatuses[${index}]`, status, DEAD_STATUSES));
}

function secretProblems(scope: IConstruct, props: HttpRelayProps): Problem[] {
  const { endpoint, headersSecret, signingSecret, authorization } = props;
  const { region } = Stack.of(scope);
  const secrets: readonly (readonly [string, ISecret | undefined])[] = [
    ['endpoint', endpoint.secret],
    ['headersSecret', headersSecret],
    ['signingSecret', signingSecret],
    ['authorization.credentialsSecret', authorization?.clientCredentials.credentialsSecret],
  ];
  return secrets.flatMap(([property, secret]) =>
    secret ? mismatchProblems(property, 'must be in the Region of the relay,', region, secret.env.region) : [],
  );
}

function rateProblems(property: string, rate: RelayFailureRateAlarmOptions = {}): Problem[] {
  return [
    ...integerProblems(`${property}.thresholdPercent`, rate.thresholdPercent, { min: 0, max: 99 }),
    ...integerProblems(`${property}.minimumAttempts`, rate.minimumAttempts, { min: 1, max: 1_000_000_000 }),
  ];
}

export function thresholdProblems(
  options: Pick<HttpRelayOptions, 'failureRateAlarm' | 'latenessAlarmThreshold'>,
): Problem[] {
  const { failureRateAlarm, latenessAlarmThreshold } = options;
  return [
    ...rateProblems('failureRateAlarm', failureRateAlarm),
    ...secondsProblems('latenessAlarmThreshold', latenessAlarmThreshold, {
      min: 1,
      max: QUEUE_LIMITS.retentionSeconds.max,
    }),
  ];
}

/**
 * What is wrong with how a relay or a fleet posts.
 * @param limits the longest timeout, and the longest delay by `Retry-After`
 */
export function posterProblems(
  scope: IConstruct,
  options: PosterOptions,
  limits: { readonly timeout: Range; readonly retryAfterSeconds: number },
): Problem[] {
  return [
    ...networkProblems(scope, options),
    ...rangeProblems(options),
    ...integerProblems('jitterPercent', options.jitterPercent, JITTER),
    ...timeoutProblems(options, limits.timeout),
    ...statusProblems(options),
    ...secondsProblems('retryAfterCap', options.retryAfterCap, { min: 0, max: limits.retryAfterSeconds }),
  ];
}

/** Returns everything AWS or the relay itself would reject about its properties. */
export function relayProblems(scope: IConstruct, props: HttpRelayProps): Problem[] {
  const retryAfterSeconds = longestDelaySeconds(visibilitySeconds(runFactsOf(props)));
  return [
    ...addressProblems(props),
    ...authorizationProblems(props),
    ...posterProblems(scope, props, { timeout: millisecondsOf(props), retryAfterSeconds }),
    ...retryPolicyProblems(props, limitsOf(props)),
    ...integerProblems(
      'maximumConcurrency',
      props.maximumConcurrency,
      props.circuitBreaker?.enabled === false ? CONCURRENCY : BREAKER_CONCURRENCY,
    ),
    ...integerProblems('maxReceivesPerSecond', props.maxReceivesPerSecond, PER_SECOND),
    ...paceProblems(props),
    ...requestProblems(props),
    ...sizeProblems(props),
    ...secondsProblems('retentionPeriod', props.retentionPeriod, QUEUE_LIMITS.retentionSeconds),
    ...secretProblems(scope, props),
    ...thresholdProblems(props),
    ...rateProblems('circuitBreaker', props.circuitBreaker),
    ...secondsProblems('circuitBreaker.probeInterval', props.circuitBreaker?.probeInterval, PROBE_INTERVAL),
  ];
}

const NO_VPC =
  'A function outside a VPC reaches no private address: every message to one becomes a dead letter. Pass vpc, or leave allowedPrivateRanges out.';

export function warnOfPrivateRanges(scope: IConstruct, { allowedPrivateRanges = [], vpc }: PosterOptions): void {
  if (allowedPrivateRanges.length > 0 && !vpc) warn(scope, 'private-ranges-without-vpc', NO_VPC);
}
