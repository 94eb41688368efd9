import { Duration } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { HttpRelayOptions } from '../../http-relay-props';
import type { Problem } from '../../policy/problem';
import { ProcessingQueue } from '../../processing-queue';
import { absentProblems } from '../checks';
import type { RelayPlan } from './relay-plan';

const RELAY_QUEUES = new WeakSet<IQueue>();

/** What SNS would deliver and the relay could not read: it needs the envelope, and makes the message itself dead. */
export function envelopeProblems(queue: IQueue | undefined, rawMessageDelivery: boolean | undefined): Problem[] {
  if (!queue || !RELAY_QUEUES.has(queue) || !rawMessageDelivery) return [];
  return absentProblems(
    'rawMessageDelivery',
    rawMessageDelivery,
    'where the queue is that of an HttpRelay: ask the relay for it',
  );
}

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
  RELAY_QUEUES.add(queue);
  return queue;
}
