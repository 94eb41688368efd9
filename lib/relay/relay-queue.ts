import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ProcessingQueue } from '../queue/processing-queue';
import type { HttpRelayOptions } from './http-relay-props';
import type { RelayPlan } from './relay-plan';
import { rememberRelayQueue } from './relay-queues';

/** The queue a relay delivers from, with a dead-letter queue for both: what the function gives up, and what SQS moves. */
export function addRelayQueue(scope: Construct, options: HttpRelayOptions, plan: RelayPlan): ProcessingQueue {
  const { encryptionMasterKey, removalPolicy, alarmActions, fifo } = options;
  const queue = new ProcessingQueue(scope, 'Queue', {
    encryptionMasterKey,
    removalPolicy,
    alarmActions,
    ...(fifo && { fifo }),
    retentionPeriod: plan.retentionPeriod,
    visibilityTimeout: Duration.seconds(plan.visibilitySeconds),
    maxReceiveCount: plan.maxReceiveCount,
    ageAlarmThreshold: Duration.seconds(plan.ageAlarmSeconds),
  });
  rememberRelayQueue(queue);
  return queue;
}
