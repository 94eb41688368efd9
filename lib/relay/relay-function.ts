import { Duration, Stack, Token } from 'aws-cdk-lib';
import type { Construct, IConstruct } from 'constructs';
import type { DeclaredUsage } from '../../diagnosis/cost/declared-usage';
import { withoutUndefined } from '../../policy/json-members';
import type { Problem } from '../../policy/problem';
import { DEFAULT_DEAD_STATUSES } from '../../policy/relay/attempt-verdict';
import { paceMs, type RelaySettings } from '../../policy/relay/relay-settings';
import { roleFeeder } from '../queue/feeder-kinds';
import { feed } from '../queue/feeder-registry';
import type { ProcessingQueue } from '../queue/processing-queue';
import { grantSecretValue } from '../shared/access/grants';
import { absentProblems, milliseconds, mismatchProblems } from '../shared/checks';
import { addOwnFunction, type FunctionNetwork, type OwnFunction } from '../shared/own-function';
import { probeIntervalMs } from './breaker';
import type { HttpRelayProps } from './http-relay-props';
import type { RelayAuthorization } from './relay-authorization';
import type { RelayEndpoint, RelayNetworkOptions } from './relay-endpoint';
import { RELAY_DEFAULTS, type RelaySizing } from './relay-sizing';

/**
 * Creates the function of a relay. Its role may receive from the relay's queue, send to its dead-letter queue, and read
 * the secrets.
 */
export function addRelayFunction(
  scope: Construct,
  queue: ProcessingQueue,
  props: HttpRelayProps,
  plan: RelaySizing,
): OwnFunction {
  const settings = settingsOf(props, queue, plan);
  const own = addOwnFunction(scope, {
    bundle: 'relay',
    description: 'Posts SNS messages to an endpoint and retries them by a schedule.',
    roleDescription: 'Lets the function of a relay receive messages from its queue, and write its log.',
    timeout: Duration.seconds(plan.timeoutSeconds),
    logRetention: props.logRetention,
    removalPolicy: props.removalPolicy,
    environment: { RELAY_SETTINGS: Stack.of(scope).toJsonString(settings) },
    usage: usageOf(props, plan),
    hasInlinePolicy: true,
    ...networkOf(props),
  });
  feed(scope, queue.deadLetters, roleFeeder(own.handler));
  const { endpoint, headersSecret, signingSecret, authorization } = props;
  const credentialsSecret = authorization?.clientCredentials.credentialsSecret;
  for (const secret of new Set([endpoint.secret, headersSecret, signingSecret, credentialsSecret])) {
    if (secret) grantSecretValue(secret, own.role);
  }
  return own;
}

/** The metrics that a relay writes in hours with messages (`RelayMetricName`). */
const MESSAGE_METRICS = 12;

/**
 * What a relay's function uses while its endpoint answers in 100 ms: that time for each batch, the turn of each message,
 * and log lines as measured.
 */
function usageOf({ circuitBreaker }: HttpRelayProps, plan: RelaySizing): DeclaredUsage {
  const isPaceKnown = [plan.maxReceivesPerSecond, plan.maximumConcurrency].every(it => !Token.isUnresolved(it));
  return {
    invocationSeconds: 0.1,
    ...(isPaceKnown && { messageSeconds: paceMs(plan) / 1_000 }),
    invocationLogKilobytes: 1.2,
    messageLogKilobytes: 0.6,
    busyMetrics: MESSAGE_METRICS,
    // The breaker writes the metric of its state in the name of the relay, at each check.
    idleMetrics: circuitBreaker?.enabled === false ? 0 : 1,
  };
}

function endpointOf({ url = '', secret, field }: RelayEndpoint): RelaySettings['endpoint'] {
  if (!secret) return { url };
  return { secretArn: secret.secretArn, ...(field !== undefined && { field }) };
}

function authorizationOf({ clientCredentials }: RelayAuthorization): RelaySettings['authorization'] {
  const { tokenUrl, credentialsSecret, scope, audience, credentialsInBody } = clientCredentials;
  const optional = withoutUndefined({ scope, audience, credentialsInBody });
  return { tokenUrl, credentialsSecretArn: credentialsSecret.secretArn, ...optional };
}

function settingsOf(props: HttpRelayProps, queue: ProcessingQueue, plan: RelaySizing): RelaySettings {
  const { headersSecret, signingSecret, authorization } = props;
  return {
    queueUrl: queue.queueUrl,
    deadLetterQueueUrl: queue.deadLetters.queueUrl,
    fifo: queue.fifo,
    endpoint: endpointOf(props.endpoint),
    retryPolicy: plan.retryPolicy,
    jitterPercent: plan.jitterPercent,
    retryAfterCapSeconds: (props.retryAfterCap ?? RELAY_DEFAULTS.retryAfterCap).toSeconds(),
    maxDelaySeconds: plan.maxDelaySeconds,
    retentionSeconds: plan.retentionPeriod.toSeconds(),
    ...(props.circuitBreaker?.enabled !== false && { hasBreaker: true, probeIntervalMs: probeIntervalMs(props) }),
    connectTimeoutMs: milliseconds(props.connectTimeout ?? RELAY_DEFAULTS.connectTimeout),
    totalTimeoutMs: milliseconds(props.totalTimeout ?? RELAY_DEFAULTS.totalTimeout),
    contentType: props.contentType ?? RELAY_DEFAULTS.contentType,
    rawMessageDelivery: props.rawMessageDelivery ?? false,
    headers: props.headers ?? {},
    ...(headersSecret && { headersSecretArn: headersSecret.secretArn }),
    ...(signingSecret && { signingSecretArn: signingSecret.secretArn }),
    ...(authorization && { authorization: authorizationOf(authorization) }),
    allowedPrivateRanges: props.allowedPrivateRanges ?? [],
    deadStatuses: props.deadStatuses ?? DEFAULT_DEAD_STATUSES,
    maxReceivesPerSecond: plan.maxReceivesPerSecond,
    maximumConcurrency: plan.maximumConcurrency,
  };
}

/** The network of a function that posts. Other functions of a relay or a fleet call only AWS and stay outside. */
export function networkOf(options: RelayNetworkOptions): FunctionNetwork {
  const { vpc, vpcSubnets, securityGroups, allowAllOutbound } = options;
  return { vpc, vpcSubnets, securityGroups, allowAllOutbound };
}

export function networkProblems(scope: IConstruct, options: RelayNetworkOptions): Problem[] {
  const { vpc, vpcSubnets, securityGroups, allowAllOutbound } = options;
  if (vpc) {
    const hasGroups = securityGroups !== undefined && securityGroups.length > 0;
    const reason = 'where securityGroups is present: set it on the groups';
    return [
      ...mismatchProblems('vpc', 'must be in the Region of the relay,', Stack.of(scope).region, vpc.env.region),
      ...(hasGroups ? absentProblems('allowAllOutbound', allowAllOutbound, reason) : []),
    ];
  }
  const reason = 'where vpc is absent';
  return [
    ...absentProblems('vpcSubnets', vpcSubnets && Object.keys(vpcSubnets), reason),
    ...absentProblems(
      'securityGroups',
      securityGroups?.map(it => it.node.path),
      reason,
    ),
    ...absentProblems('allowAllOutbound', allowAllOutbound, reason),
  ];
}
