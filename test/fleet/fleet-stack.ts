import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { BackoffFunction } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { RelayFleet } from '../../lib';
import { DEFAULT_HEALTH_SETTINGS } from '../../policy/fleet/endpoint-health';
import type { FleetSettings } from '../../policy/fleet/fleet-settings';
import { DEFAULT_DEAD_STATUSES } from '../../policy/relay/attempt-verdict';

/** Three retries within minutes, so that a simulation comes to their end. */
export const SETTINGS: Omit<
  FleetSettings,
  'tableName' | 'keyArn' | 'eventsQueueUrl' | 'deliveriesQueueUrl' | 'deadLetterQueueUrl' | 'noticesTopicArn'
> = {
  fleetName: 'webhooks',
  retryPolicy: {
    minDelayTarget: 10,
    maxDelayTarget: 120,
    numRetries: 6,
    numNoDelayRetries: 0,
    numMinDelayRetries: 2,
    numMaxDelayRetries: 2,
    backoffFunction: 'exponential',
  },
  jitterPercent: 0,
  retryAfterCapSeconds: 3_600,
  maxAgeSeconds: 4 * 86_400,
  connectTimeoutMs: 5_000,
  totalTimeoutMs: 15_000,
  deadStatuses: DEFAULT_DEAD_STATUSES,
  allowedPrivateRanges: [],
  health: DEFAULT_HEALTH_SETTINGS,
  attemptsAtATime: 25,
};

export interface FleetStackOptions {
  /** How long attempts are logged. @default - they are not */
  readonly attemptRetention?: Duration;
  /** Of the deliverer. @default 10 */
  readonly concurrency?: number;
}

/** A fleet with these settings, and a queue that sees its notices. */
export function fleetStack(stack: Stack, { attemptRetention, concurrency = 10 }: FleetStackOptions): void {
  const { fleetName, retryPolicy, jitterPercent, maxAgeSeconds } = SETTINGS;
  const { minDelayTarget, maxDelayTarget, backoffFunction: _, ...counts } = retryPolicy;
  const fleet = new RelayFleet(stack, 'Fleet', {
    fleetName,
    retryPolicy: {
      ...counts,
      minDelayTarget: Duration.seconds(minDelayTarget),
      maxDelayTarget: Duration.seconds(maxDelayTarget),
      backoffFunction: BackoffFunction.EXPONENTIAL,
    },
    jitterPercent,
    maxAge: Duration.seconds(maxAgeSeconds),
    maximumConcurrency: concurrency,
    ...(attemptRetention ? { attemptRetention } : { logAttempts: false }),
    removalPolicy: RemovalPolicy.DESTROY,
  });
  fleet.noticesTopic.addSubscription(new SqsSubscription(new Queue(stack, 'Seen'), { rawMessageDelivery: true }));
}
