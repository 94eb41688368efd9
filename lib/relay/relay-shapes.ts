import type { ISecurityGroup, IVpc } from 'aws-cdk-lib/aws-ec2';
import type { FilterOrPolicy, SubscriptionFilter } from 'aws-cdk-lib/aws-sns';
import { ALARM_SET } from '../shared/alarm-set';
import { ALARM_ACTIONS, DURATION, KEY, REMOVAL_POLICY, RETENTION_DAYS, SECRET } from '../shared/cdk-shapes';
import { BOOLEAN, having, listOf, mapOf, NUMBER, OBJECT, optional, STRING, struct, TEXT } from '../shared/shapes';
import type {
  HttpRelayOptions,
  HttpRelayProps,
  RelayCircuitBreakerOptions,
  RelayedEndpointOptions,
  RelayFailureRateAlarmOptions,
} from './http-relay-props';
import type { RelayAuthorization } from './relay-authorization';
import type { RelayEndpoint } from './relay-endpoint';

const BREAKER = struct<RelayCircuitBreakerOptions>({
  enabled: optional(BOOLEAN),
  thresholdPercent: optional(NUMBER),
  minimumAttempts: optional(NUMBER),
  probeInterval: optional(DURATION),
});

const FAILURE_RATE = struct<RelayFailureRateAlarmOptions>({
  thresholdPercent: optional(NUMBER),
  minimumAttempts: optional(NUMBER),
});

/** The shapes of the properties that a relay and a fleet have. */
export const POSTER = {
  retryPolicy: optional(OBJECT),
  jitterPercent: optional(NUMBER),
  maximumConcurrency: optional(NUMBER),
  connectTimeout: optional(DURATION),
  totalTimeout: optional(DURATION),
  deadStatuses: optional(listOf(NUMBER)),
  retryAfterCap: optional(DURATION),
  allowedPrivateRanges: optional(listOf(TEXT)),
  failureRateAlarm: optional(FAILURE_RATE),
  latenessAlarmThreshold: optional(DURATION),
  encryptionMasterKey: optional(KEY),
  logRetention: optional(RETENTION_DAYS),
  removalPolicy: optional(REMOVAL_POLICY),
  alarms: optional(ALARM_SET),
  alarmActions: optional(ALARM_ACTIONS),
  vpc: optional(having<IVpc>('a VPC', 'vpcId')),
  vpcSubnets: optional(OBJECT),
  securityGroups: optional(listOf(having<ISecurityGroup>('a security group', 'securityGroupId'))),
  allowAllOutbound: optional(BOOLEAN),
};

const OPTIONS = struct<HttpRelayOptions>({
  ...POSTER,
  maxReceivesPerSecond: optional(NUMBER),
  contentType: optional(TEXT),
  rawMessageDelivery: optional(BOOLEAN),
  headers: optional(mapOf(STRING)),
  headersSecret: optional(SECRET),
  signingSecret: optional(SECRET),
  authorization: optional(having<RelayAuthorization>('a RelayAuthorization', 'clientCredentials')),
  circuitBreaker: optional(BREAKER),
  fifo: optional(BOOLEAN),
  retentionPeriod: optional(DURATION),
});

/** The shapes of the properties of an `HttpRelay`. */
export const HTTP_RELAY = struct<HttpRelayProps>({
  ...OPTIONS.members,
  endpoint: having<RelayEndpoint>('a RelayEndpoint', 'url', 'secret', 'field'),
});

export const FILTERS = {
  filterPolicy: optional(mapOf(having<SubscriptionFilter>('a SubscriptionFilter', 'conditions'))),
  filterPolicyWithMessageBody: optional(mapOf(having<FilterOrPolicy>('a FilterOrPolicy', 'isFilter', 'isPolicy'))),
} as const;

export const RELAYED_ENDPOINT = struct<RelayedEndpointOptions>({ ...OPTIONS.members, ...FILTERS });
