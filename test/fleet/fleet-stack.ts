import { CfnOutput, Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { BackoffFunction } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { type AlarmSet, RelayFleet } from '../../lib';
import { SETTINGS } from './fleet-settings';

export interface FleetStackOptions {
  /** How long attempts are logged. @default - they are not */
  readonly attemptRetention?: Duration;
  /** @default AlarmSet.ESSENTIAL */
  readonly alarms?: AlarmSet;
  /** Of the deliverer. @default 10 */
  readonly concurrency?: number;
}

/** A fleet with these settings, and a queue that sees its notices. */
export function fleetStack(stack: Stack, { attemptRetention, alarms, concurrency = 10 }: FleetStackOptions): void {
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
    ...(alarms && { alarms }),
    removalPolicy: RemovalPolicy.DESTROY,
  });
  new CfnOutput(stack, 'Settings', { value: fleet.settings });
  fleet.noticesTopic.addSubscription(new SqsSubscription(new Queue(stack, 'Seen'), { rawMessageDelivery: true }));
}
