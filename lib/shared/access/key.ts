import { ArnFormat, type IResource, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import {
  type Conditions,
  type IGrantable,
  type IPrincipal,
  PolicyStatement,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import type { IConstruct } from 'constructs';
import { statusLogGroups } from '../../../policy/messages/delivery-status';
import { warnOfManualPolicy } from './by-hand';
import { checkKeyPolicy } from './policy-limits';

/** What a service needs on a key to send to an encrypted queue or topic. */
const SEND_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey*'];

/** The same without the wildcard: envelope encryption calls no other data-key action. */
export const ROLE_SEND_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey'];

interface KeyUse {
  readonly principal: IPrincipal;
  /** @default - none */
  readonly conditions?: Conditions;
  /** @default - the actions needed to send to an encrypted queue or topic */
  readonly actions?: string[];
  /** What happens without the permission. @default - messages are lost */
  readonly otherwise?: string;
}

/**
 * Lets a service use `key`. The condition has a pattern and not the ARN of one topic or alarm: a key that names its
 * topic, and a topic that names its key, would be a circular dependency, which CloudFormation rejects.
 */
function grantOnKey(scope: IConstruct, key: IKey, use: KeyUse): void {
  const { principal, conditions = {}, actions = SEND_ACTIONS } = use;
  const statement = new PolicyStatement({ actions, resources: ['*'], principals: [principal], conditions });
  checkKeyPolicy(key);
  if (key.addToResourcePolicy(statement, true).statementAdded) return;
  const { otherwise = 'every message that needs the key is lost' } = use;
  warnOfManualPolicy(scope, 'key-policy-not-writable', { kind: 'key', path: key.node.path, otherwise }, statement);
}

/**
 * Lets SNS encrypt what it sends to `queue`, for all topics of the account and Region of `topic`. `aws:SourceArn` is
 * the one condition key that SNS is documented to pass on when SQS calls KMS.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-enable-encryption-for-topic-sqs-queue-subscriptions.html
 */
export function grantSnsOnKeyOf(scope: IConstruct, queue: IQueue, topic: ITopic): void {
  if (!queue.encryptionMasterKey) return;
  const { region, account } = topic.env;
  const topics = { service: 'sns', resource: '*', arnFormat: ArnFormat.NO_RESOURCE_NAME, region, account };
  grantOnKey(scope, queue.encryptionMasterKey, {
    principal: snsPrincipal(topic, queue),
    conditions: { ArnLike: { 'aws:SourceArn': Stack.of(scope).formatArn(topics) } },
  });
}

/**
 * Conditions that only alarms of this account and Region meet. They hold for both the topic and its key, because
 * CloudWatch itself calls KMS.
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

/** Lets CloudWatch encrypt the messages that alarms publish. */
export function grantCloudWatchOnKey(scope: IConstruct, key: IKey): void {
  const principal = new ServicePrincipal('cloudwatch.amazonaws.com');
  grantOnKey(scope, key, { principal, conditions: alarmConditions(scope) });
}

/**
 * Lets EventBridge encrypt what it sends to `queue`. There is no condition: AWS documents none for queues, and says for
 * topics that EventBridge sends neither `aws:SourceArn` nor `aws:SourceAccount` to KMS. The queue policy restricts
 * which rule may send.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html#compatibility-with-aws-services
 */
export function grantEventsOnKeyOf(scope: IConstruct, queue: IQueue): void {
  const { encryptionMasterKey } = queue;
  if (!encryptionMasterKey) return;
  const principal = new ServicePrincipal('events.amazonaws.com');
  grantOnKey(scope, encryptionMasterKey, { principal, actions: ROLE_SEND_ACTIONS });
}

const LOG_ACTIONS = ['kms:Encrypt*', 'kms:Decrypt*', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:Describe*'];

/**
 * Lets CloudWatch Logs encrypt the delivery logs of this account and Region with `key`. The condition has a pattern for
 * the log groups, for the same reason as in `grantOnKey`.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
 */
export function grantLogsOnKey(scope: IConstruct, key: IKey): void {
  const stack = Stack.of(scope);
  const { region, account, urlSuffix } = stack;
  const { success: resourceName } = statusLogGroups({ region, account, name: '*' });
  const groups = { service: 'logs', resource: 'log-group', resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME };
  grantOnKey(scope, key, {
    principal: ServicePrincipal.fromStaticServicePrincipleName(`logs.${region}.${urlSuffix}`),
    conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': stack.formatArn(groups) } },
    actions: LOG_ACTIONS,
    otherwise: 'CloudFormation cannot create the log groups, and the deployment fails',
  });
}

/** Lets a role send to queues and topics that `key` encrypts. */
export function grantRoleSendOnKey(key: IKey, grantee: IGrantable): void {
  key.grant(grantee, ...ROLE_SEND_ACTIONS);
}

export function isOptIn(region: string): boolean {
  return !Token.isUnresolved(region) && RegionInfo.get(region).isOptInRegion;
}

/** The SNS principal of an opt-in Region; undefined for other Regions. */
function optInPrincipal(region: string): string | undefined {
  return isOptIn(region) ? `sns.${region}.amazonaws.com` : undefined;
}

/**
 * The principal with which SNS calls a queue or function. If a delivery crosses Regions and one of them is an opt-in
 * Region, it is the principal of that Region.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html
 */
export function snsPrincipal(topic: ITopic, consumer: IResource): IPrincipal {
  const [from, to] = [topic.env.region, consumer.env.region];
  const crosses = Token.compareStrings(from, to) === TokenComparison.DIFFERENT;
  const optIn = crosses ? (optInPrincipal(to) ?? optInPrincipal(from)) : undefined;
  return optIn ? ServicePrincipal.fromStaticServicePrincipleName(optIn) : new ServicePrincipal('sns.amazonaws.com');
}
