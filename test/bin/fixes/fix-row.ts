import { Duration, type Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnSubscription, LoggingProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Queue, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Deployed } from '../../support/deployed';
import { logFailures } from '../../support/status-logging';

/** A fault, what reports it, and a message that arrives only without it. */
export interface FixRow {
  readonly what: string;
  /** The check that reports it. @default - none */
  readonly check?: string;
  /** The rule by which `dlo dlq why` explains the messages in the queue `Dead`. @default - none */
  readonly cause?: string;
  readonly fill: (stack: Stack) => void;
  /** Breaks what CloudFormation would not deploy broken. @default - nothing */
  readonly breaks?: (on: Deployed) => Promise<unknown>;
  /** Sends a message, and lets it arrive or fail. @default - publishes to `Orders` */
  readonly sends?: (on: Deployed) => Promise<unknown>;
  /** How many messages the receiver got since the last count. @default - those in the queue `Bills` */
  readonly receives?: (on: Deployed) => number | Promise<number>;
  /** What the fix says, and what a person then does. @default - the fix has calls */
  readonly byHand?: { readonly says: RegExp; readonly change: (on: Deployed) => Promise<unknown> };
  /** How many it got with the fault. @default 0 */
  readonly broken?: number;
}

export async function publishes(on: Deployed): Promise<void> {
  await on.publish('Orders', 'an order');
  await on.advance({ minutes: 2 });
}

const SNS = new ServicePrincipal('sns.amazonaws.com');
export const EVENTS = new ServicePrincipal('events.amazonaws.com');

/** A topic `Orders` that logs failures. */
export function orders(stack: Stack): Topic {
  const topic = new Topic(stack, 'Orders');
  logFailures(topic, [LoggingProtocol.SQS, LoggingProtocol.LAMBDA, LoggingProtocol.FIREHOSE]);
  return topic;
}

/** A dead-letter queue `Dead` that lets a service send. */
export function dead(stack: Stack, service = SNS, props: QueueProps = {}): Queue {
  const queue = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14), ...props });
  queue.addToResourcePolicy(allow(queue.queueArn, service));
  return queue;
}

/** A subscription with this dead-letter queue, and without the permissions that an L2 construct writes. */
export function subscribe(topic: Topic, endpoint: string, protocol: string, deadLetters?: Queue): void {
  const redrivePolicy = deadLetters && { deadLetterTargetArn: deadLetters.queueArn };
  new CfnSubscription(topic.stack, 'Subscription', { topicArn: topic.topicArn, endpoint, protocol, redrivePolicy });
}

export function allow(queueArn: string, service = SNS): PolicyStatement {
  return new PolicyStatement({ actions: ['sqs:SendMessage'], principals: [service], resources: [queueArn] });
}

/** A Deny for everyone. */
export function deny(action: string, arn: string, Condition: Readonly<Record<string, object>> = {}): PolicyStatement {
  const statement = { Sid: 'NoStrangers', Effect: 'Deny', Principal: '*', Action: action, Resource: arn, Condition };
  return PolicyStatement.fromJson(statement);
}

/** A topic, and a queue `Bills` whose policy has these statements. */
export function toQueue(
  statements: (queueArn: string) => readonly PolicyStatement[],
  props: (stack: Stack) => QueueProps = () => ({}),
) {
  return (stack: Stack): void => {
    const bills = new Queue(stack, 'Bills', props(stack));
    for (const it of statements(bills.queueArn)) bills.addToResourcePolicy(it);
    subscribe(orders(stack), bills.queueArn, 'sqs', dead(stack));
  };
}

/** The same with a queue that SNS may send to, encrypted with a key whose policy has these statements too. */
export function sealed(...statements: readonly PolicyStatement[]) {
  const withKey = (stack: Stack) => {
    const encryptionMasterKey = new Key(stack, 'Key');
    for (const it of statements) encryptionMasterKey.addToResourcePolicy(it);
    return { encryptionMasterKey };
  };
  return toQueue(arn => [allow(arn)], withKey);
}
