import { Arn, ArnFormat, Duration, Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { MAX_FUNCTION_TIMEOUT_SECONDS, QUEUE_LIMITS } from '../../policy/aws-limits';
import type { PolicyLimits } from '../../policy/delivery-policy/policy-rules';
import { DEFAULT_HEALTH_SETTINGS } from '../../policy/fleet/endpoint-health';
import type { Problem } from '../../policy/problem';
import { reserveSeconds } from '../../policy/relay/relay-invocation';
import { MAX_RELAY_RETRIES } from '../../policy/relay/relay-limits';
import { DAY_SECONDS, HOUR_SECONDS } from '../../policy/time-units';
import { CONCURRENCY, posterProblems, retryPolicyProblems, thresholdProblems } from '../relay/relay-checks';
import { POSTER } from '../relay/relay-shapes';
import { RELAY_DEFAULTS } from '../relay/relay-sizing';
import { DURATION, KEY, TABLE, TOPIC } from '../shared/cdk-shapes';
import { absentProblems, integerProblems, knownSeconds, mismatchProblems, secondsProblems } from '../shared/checks';
import { BOOLEAN, optional, struct, TEXT } from '../shared/shapes';
import type { RelayFleetProps } from './relay-fleet-props';

/** The defaults of a fleet that are not those of a relay. */
export const FLEET_DEFAULTS = {
  maximumConcurrency: 50,
  maxAge: Duration.days(5),
  disableAfter: Duration.millis(DEFAULT_HEALTH_SETTINGS.disableAfterMs ?? 0),
  attemptRetention: Duration.days(7),
  latenessAlarmThreshold: Duration.minutes(15),
} as const;

/** The shapes of the properties of a `RelayFleet`. */
export const RELAY_FLEET = struct<RelayFleetProps>({
  ...POSTER,
  fleetName: optional(TEXT),
  table: optional(TABLE),
  key: optional(KEY),
  maxAge: optional(DURATION),
  disableAfter: optional(DURATION),
  disableFailingEndpoints: optional(BOOLEAN),
  noticesTopic: optional(TOPIC),
  logAttempts: optional(BOOLEAN),
  attemptRetention: optional(DURATION),
  logBodies: optional(BOOLEAN),
});

/** How long an invocation of the deliverer takes more messages, with the time until a leased turn. */
const REFILL_SECONDS = 65;

/**
 * How long the deliverer may run: it takes messages for a minute, and then finishes the attempts of the last ones. A retry without delay
 * waits in the queue for a second.
 */
export function delivererSeconds({ totalTimeout = RELAY_DEFAULTS.totalTimeout }: RelayFleetProps): number {
  const attemptSeconds = knownSeconds(totalTimeout) ?? MAX_FUNCTION_TIMEOUT_SECONDS;
  // Any endpoint may need an access token.
  const seconds = Math.ceil(attemptSeconds + reserveSeconds({ hasAccessToken: true }));
  return Math.min(MAX_FUNCTION_TIMEOUT_SECONDS, REFILL_SECONDS + seconds);
}

const TIMEOUT = { min: 1, max: 60_000, unit: 'milliseconds' };
const MAX_AGE = { min: 60, max: QUEUE_LIMITS.retentionSeconds.max };
const DISABLE_AFTER = { min: HOUR_SECONDS, max: 90 * DAY_SECONDS };
const ATTEMPT_RETENTION = { min: HOUR_SECONDS, max: 365 * DAY_SECONDS };

/** The limits of a retry policy. They are those of an endpoint's own policy, and a stated policy must fit into `maxAge`. */
function policyLimits(props: RelayFleetProps): PolicyLimits {
  const { jitterPercent = RELAY_DEFAULTS.jitterPercent, maxAge = FLEET_DEFAULTS.maxAge } = props;
  const attemptSeconds = knownSeconds(props.totalTimeout ?? RELAY_DEFAULTS.totalTimeout) ?? 0;
  return {
    maxDelaySeconds: QUEUE_LIMITS.visibilityTimeoutSeconds.max,
    maxRetries: MAX_RELAY_RETRIES,
    maxNoDelayRetries: MAX_RELAY_RETRIES,
    spending: {
      maxSeconds: (props.retryPolicy && knownSeconds(maxAge)) ?? Number.POSITIVE_INFINITY,
      of: 'all its attempts and delays together, jitter included, within maxAge',
      jitterPercent: Token.isUnresolved(jitterPercent) ? 0 : jitterPercent,
      attemptSeconds,
    },
  };
}

const NAME = /^[A-Za-z0-9_-]{1,80}$/;

function nameProblems({ fleetName }: RelayFleetProps): Problem[] {
  if (fleetName === undefined || (!Token.isUnresolved(fleetName) && NAME.test(fleetName))) return [];
  const rule = 'must be 1 to 80 letters, digits, hyphens and underscores, and known before deployment';
  return [{ property: 'fleetName', rule, value: fleetName }];
}

function topicProblems(scope: Construct, { noticesTopic: topic }: RelayFleetProps): Problem[] {
  if (!topic) return [];
  const rule = 'must be a standard topic';
  return [
    ...(topic.fifo ? [{ property: 'noticesTopic', rule, value: topic.node.path }] : []),
    ...mismatchProblems(
      'noticesTopic',
      'must be in the Region of the fleet,',
      Stack.of(scope).region,
      topic.env.region,
    ),
  ];
}

/** What is taken over from another fleet. */
function takenOverProblems(scope: Construct, props: RelayFleetProps): Problem[] {
  const { table, key, fleetName, encryptionMasterKey } = props;
  const { region } = Stack.of(scope);
  const inRegion = 'must be in the Region of the fleet,';
  const keyProblems = key ? mismatchProblems('key', inRegion, region, key.env.region) : [];
  if (!table) return keyProblems;
  const missing = Object.entries({ fleetName, key }).flatMap(([property, value]) => {
    const rule = 'must be that of the fleet whose table is taken over';
    return value === undefined ? [{ property, rule, value }] : [];
  });
  // A table that is imported by its ARN has the Region of the stack as its own.
  const { region: tableRegion = region } = Arn.split(table.tableArn, ArnFormat.SLASH_RESOURCE_NAME);
  const isReadable = table.encryptionKey === undefined || table.encryptionKey === encryptionMasterKey;
  const rule = 'must be encrypted by a key of DynamoDB or by encryptionMasterKey';
  return [
    ...mismatchProblems('table', inRegion, region, tableRegion),
    ...(isReadable ? [] : [{ property: 'table', rule, value: table.node.path }]),
    ...missing,
    ...keyProblems,
  ];
}

/** Properties that have no effect because of another one. */
function pointlessProblems(props: RelayFleetProps): Problem[] {
  const { disableFailingEndpoints, disableAfter, logAttempts, attemptRetention, logBodies } = props;
  const unlogged = 'where logAttempts is false';
  return [
    ...(disableFailingEndpoints === false
      ? absentProblems('disableAfter', disableAfter?.toString(), 'where disableFailingEndpoints is false')
      : []),
    ...(logAttempts === false ? absentProblems('attemptRetention', attemptRetention?.toString(), unlogged) : []),
    ...(logAttempts === false ? absentProblems('logBodies', logBodies, unlogged) : []),
  ];
}

/** Returns everything AWS or the fleet itself would reject about its properties. */
export function fleetProblems(scope: Construct, props: RelayFleetProps): Problem[] {
  return [
    ...nameProblems(props),
    ...takenOverProblems(scope, props),
    ...posterProblems(scope, props, {
      timeout: TIMEOUT,
      retryAfterSeconds: QUEUE_LIMITS.visibilityTimeoutSeconds.max,
    }),
    ...retryPolicyProblems(props, policyLimits(props)),
    ...secondsProblems('maxAge', props.maxAge, MAX_AGE),
    ...integerProblems('maximumConcurrency', props.maximumConcurrency, CONCURRENCY),
    ...secondsProblems('disableAfter', props.disableAfter, DISABLE_AFTER),
    ...secondsProblems('attemptRetention', props.attemptRetention, ATTEMPT_RETENTION),
    ...pointlessProblems(props),
    ...topicProblems(scope, props),
    ...thresholdProblems(props),
  ];
}
