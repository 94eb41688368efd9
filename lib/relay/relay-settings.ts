import type { RelaySettings } from '../../policy/relay/relay-settings';
import type { ProcessingQueue } from '../queue/processing-queue';
import type { HttpRelayProps } from './http-relay-props';
import type { RelayEndpoint } from './relay-endpoint';
import { RELAY_DEFAULTS, type RelayPlan } from './relay-plan';
import { milliseconds } from './unknown-durations';

function endpointOf({ url = '', secret, field }: RelayEndpoint): RelaySettings['endpoint'] {
  if (!secret) return { url };
  return { secretArn: secret.secretArn, ...(field !== undefined && { field }) };
}

/** What the function of a relay is told, in its environment. */
export function settingsOf(props: HttpRelayProps, queue: ProcessingQueue, plan: RelayPlan): RelaySettings {
  const { headersSecret, signingSecret } = props;
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
    ...(props.circuitBreaker?.enabled !== false && { hasBreaker: true }),
    connectTimeoutMs: milliseconds(props.connectTimeout ?? RELAY_DEFAULTS.connectTimeout),
    totalTimeoutMs: milliseconds(props.totalTimeout ?? RELAY_DEFAULTS.totalTimeout),
    contentType: props.contentType ?? RELAY_DEFAULTS.contentType,
    rawMessageDelivery: props.rawMessageDelivery ?? false,
    headers: props.headers ?? {},
    ...(headersSecret && { headersSecretArn: headersSecret.secretArn }),
    ...(signingSecret && { signingSecretArn: signingSecret.secretArn }),
    allowedPrivateRanges: props.allowedPrivateRanges ?? [],
    retriedStatuses: props.retriedStatuses ?? [],
    maxReceivesPerSecond: plan.maxReceivesPerSecond,
    maximumConcurrency: plan.maximumConcurrency,
  };
}
