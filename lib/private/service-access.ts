import { ArnFormat, type IResource, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import {
  AccountPrincipal,
  AnyPrincipal,
  type Conditions,
  type IGrantable,
  type IPrincipal,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { IDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import type { Construct, IConstruct, IDependable } from 'constructs';
import { warn } from './checks';
import { statementText } from './statement-text';

/** What a service needs of a key to put a message into an encrypted queue or topic. */
const SEND_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey*'];

/** The same for a role of ours, without the wildcard: envelope encryption asks for no other data key call. */
const ROLE_SEND_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey'];

/**
 * Lets a service use `key`. The source is a pattern, not one topic's or alarm's ARN: a key that names its own topic, and
 * a topic that names its key, would be a cycle CloudFormation refuses.
 */
function grantOnKey(scope: IConstruct, key: IKey, principal: IPrincipal, conditions: Conditions): void {
  const statement = new PolicyStatement({
    actions: SEND_ACTIONS,
    resources: ['*'],
    principals: [principal],
    conditions,
  });
  if (key.addToResourcePolicy(statement, true).statementAdded) return;
  warn(
    scope,
    'key-policy-not-writable',
    `The policy of key ${key.node.path} cannot be written from here. Without this statement every message that needs the key is lost: ${statementText(scope, statement)}`,
  );
}

/**
 * Lets SNS encrypt what it puts into `queue`, for the topics of `topic`'s account and Region, wherever key and queue are.
 * The condition is the one key that SNS is known to pass on when SQS asks KMS.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-enable-encryption-for-topic-sqs-queue-subscriptions.html
 */
export function grantSnsOnKeyOf(scope: IConstruct, queue: IQueue, topic: ITopic): void {
  if (!queue.encryptionMasterKey) return;
  const { region, account } = topic.env;
  const topics = { service: 'sns', resource: '*', arnFormat: ArnFormat.NO_RESOURCE_NAME, region, account };
  grantOnKey(scope, queue.encryptionMasterKey, snsPrincipal(topic, queue), {
    ArnLike: { 'aws:SourceArn': Stack.of(scope).formatArn(topics) },
  });
}

/**
 * What only the alarms of this account and Region meet, on a topic and on its key alike: CloudWatch asks KMS itself.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services
 */
export function alarmConditions(scope: IConstruct): Conditions {
  const stack = Stack.of(scope);
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  return {
    ArnLike: {
      'aws:SourceArn': stack.formatArn({ service: 'cloudwatch', resource: 'alarm', resourceName: '*', arnFormat }),
    },
    StringEquals: { 'aws:SourceAccount': stack.account },
  };
}

/** Lets CloudWatch encrypt what alarms publish. */
export function grantCloudWatchOnKey(scope: IConstruct, key: IKey): void {
  grantOnKey(scope, key, new ServicePrincipal('cloudwatch.amazonaws.com'), alarmConditions(scope));
}

/** Lets a role put messages into whatever `key` encrypts. */
export function grantRoleSendOnKey(key: IKey, grantee: IGrantable): void {
  key.grant(grantee, ...ROLE_SEND_ACTIONS);
}

/** A Region as far as it is known. */
export function isOptIn(region: string): boolean {
  return !Token.isUnresolved(region) && RegionInfo.get(region).isOptInRegion;
}

/** Opt-in Regions have a principal of their own. */
function optInPrincipal(region: string): string | undefined {
  return isOptIn(region) ? `sns.${region}.amazonaws.com` : undefined;
}

/**
 * The name by which SNS comes to a queue or function: across Regions, that of whichever Region is opt-in.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html
 */
export function snsPrincipal(topic: ITopic, consumer: IResource): IPrincipal {
  const [from, to] = [topic.env.region, consumer.env.region];
  const crosses = Token.compareStrings(from, to) === TokenComparison.DIFFERENT;
  const optIn = crosses ? (optInPrincipal(to) ?? optInPrincipal(from)) : undefined;
  return optIn ? ServicePrincipal.fromStaticServicePrincipleName(optIn) : new ServicePrincipal('sns.amazonaws.com');
}

/** Lets SNS send to `queue` for one topic; where the queue was created elsewhere, a warning says what to add there. */
export function allowTopicToSend(
  scope: IConstruct,
  queue: IQueue,
  topic: ITopic,
  otherwise: string,
): IDependable | undefined {
  const statement = new PolicyStatement({
    actions: ['sqs:SendMessage'],
    resources: [queue.queueArn],
    principals: [snsPrincipal(topic, queue)],
    conditions: { ArnEquals: { 'aws:SourceArn': topic.topicArn } },
  });
  const { statementAdded, policyDependable } = queue.addToResourcePolicy(statement);
  if (!statementAdded) {
    warn(
      scope,
      'queue-policy-not-writable',
      `The policy of queue ${queue.node.path} cannot be written from here. Without this statement ${otherwise}: ${statementText(scope, statement)}`,
    );
  }
  return policyDependable;
}

/**
 * Lets the services of the topic's own account publish, as the policy does that SNS gives a topic nobody has given one.
 * A first statement of one's own, such as the refusal of plain HTTP, replaces that policy, and with it an alarm's access.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
 */
export function admitServicesOfOwner(topic: Topic): void {
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'ServicesOfOwner',
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      principals: [new AnyPrincipal()],
      conditions: { StringEquals: { 'aws:SourceOwner': topic.env.account } },
    }),
  );
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/prereqs-kinesis-data-firehose.html */
const STREAM_ACTIONS = [
  'firehose:DescribeDeliveryStream',
  'firehose:ListDeliveryStreams',
  'firehose:ListTagsForDeliveryStream',
  'firehose:PutRecord',
  'firehose:PutRecordBatch',
];

/**
 * The role SNS writes to one Firehose stream with. Its trust has no condition on the source: as for the role of
 * delivery-status logging, AWS documents none.
 */
export function addStreamRole(scope: Construct, stream: IDeliveryStream): Role {
  const role = new Role(scope, 'Role', {
    description: 'Lets SNS put messages into a Firehose stream.',
    assumedBy: new ServicePrincipal('sns.amazonaws.com'),
  });
  role.addToPolicy(new PolicyStatement({ actions: STREAM_ACTIONS, resources: [stream.deliveryStreamArn] }));
  return role;
}

/**
 * Lets another account subscribe to a topic, by one protocol: whoever owns what is delivered to subscribes it, and need
 * not confirm. The condition does not name the endpoint, for that would ask its resource to have a name of its own.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-send-message-to-sqs-cross-account.html
 */
export function admitSubscriber(topic: Topic, account: string, protocol: string): IDependable {
  const statement = new PolicyStatement({
    actions: ['sns:Subscribe'],
    resources: [topic.topicArn],
    principals: [new AccountPrincipal(account)],
    conditions: { StringEquals: { 'sns:Protocol': protocol } },
  });
  return topic.addToResourcePolicy(statement).policyDependable ?? topic;
}
