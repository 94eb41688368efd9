import type { Stack } from 'aws-cdk-lib';
import { CfnSubscription, type CfnSubscriptionProps, CfnTopic, type CfnTopicProps } from 'aws-cdk-lib/aws-sns';
import { CfnQueue, type CfnQueueProps, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';

/** Adds something to a stack. */
export type Act = (stack: Stack) => unknown;

/** A choice that AWS rejects, or that can never work. */
export interface Refused {
  /** What is created or called, and with which values. */
  readonly what: string;
  readonly act: Act;
  /** The one line of the error: property, rule and value. */
  readonly line: string;
  /** The same without our constructs, which the embedded AWS must also refuse; or why that does not exist. */
  readonly aws: Act | string;
}

/** The environment of every row. */
export const APP_ENV = { account: '123456789012', region: 'us-east-1' };
export const OTHER_REGION_ENV = { ...APP_ENV, region: 'eu-west-1' };
export const OTHER_ACCOUNT_ENV = { ...APP_ENV, account: '999999999999' };

export const URL = 'https://partner.example.com/orders';

export const OURS = 'it is about what is ours alone';
export const LEGAL = 'AWS takes it, and can never use it';
export const ONE_PLACE = 'the embedded AWS is one account and one Region, and deploys nothing that names another';
export const UNRECORDED = 'nobody has recorded what AWS says, so the embedded AWS says nothing';

export function arn(service: string, resource: string, { account, region } = APP_ENV): string {
  return `arn:aws:${service}:${region}:${account}:${resource}`;
}

export function importedQueue(stack: Stack, place = APP_ENV, service = 'sqs'): IQueue {
  return Queue.fromQueueArn(stack, 'Imported', arn(service, 'orders', place));
}

/** Plain resources, as CloudFormation has them. */
export const plainQueue =
  (props: CfnQueueProps): Act =>
  stack =>
    new CfnQueue(stack, 'Queue', props);

export const plainTopic =
  (props: CfnTopicProps): Act =>
  stack =>
    new CfnTopic(stack, 'Topic', props);

export const plainSubscription =
  (props: Partial<CfnSubscriptionProps>, topic: CfnTopicProps = {}): Act =>
  stack => {
    const { ref: topicArn } = new CfnTopic(stack, 'Topic', topic);
    return new CfnSubscription(stack, 'Subscription', { topicArn, protocol: 'https', endpoint: URL, ...props });
  };
