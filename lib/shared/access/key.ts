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

/** What a service needs of a key to put a message into an encrypted queue or topic. */
const SEND_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey*'];

/** The same without the wildcard: envelope encryption asks for no other data key call. */
export const ROLE_SEND_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey'];

/** Who may use a key, and for what. */
interface KeyUse {
  readonly principal: IPrincipal;
  /** @default - none */
  readonly conditions?: Conditions;
  /** @default - what it takes to put a message into something encrypted */
  readonly actions?: string[];
  /** What happens without it. @default - messages are lost */
  readonly otherwise?: string;
}

/**
 * Lets a service use `key`. The source is a pattern, not one topic's or alarm's ARN: a key that names its own topic, and
 * a topic that names its key, would be a cycle CloudFormation refuses.
 */
function grantOnKey(scope: IConstruct, key: IKey, use: KeyUse): void {
  const { principal, conditions = {}, actions = SEND_ACTIONS } = use;
  const statement = new PolicyStatement({ actions, resources: ['*'], principals: [principal], conditions });
  if (key.addToResourcePolicy(statement, true).statementAdded) return;
  const { otherwise = 'every message that needs the key is lost' } = use;
  warnOfManualPolicy(scope, 'key-policy-not-writable', { kind: 'key', path: key.node.path, otherwise }, statement);
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
  grantOnKey(scope, queue.encryptionMasterKey, {
    principal: snsPrincipal(topic, queue),
    conditions: { ArnLike: { 'aws:SourceArn': Stack.of(scope).formatArn(topics) } },
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
  const principal = new ServicePrincipal('cloudwatch.amazonaws.com');
  grantOnKey(scope, key, { principal, conditions: alarmConditions(scope) });
}

/**
 * Lets EventBridge encrypt what it puts into `queue`. Without a condition: AWS documents none for queues, and for topics
 * says that EventBridge sends neither `aws:SourceArn` nor `aws:SourceAccount` to KMS. Which rule may send is the queue's
 * policy to say.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html#compatibility-with-aws-services
 */
export function grantEventsOnKeyOf(scope: IConstruct, queue: IQueue): void {
  const { encryptionMasterKey } = queue;
  if (!encryptionMasterKey) return;
  const principal = new ServicePrincipal('events.amazonaws.com');
  grantOnKey(scope, encryptionMasterKey, { principal, actions: ROLE_SEND_ACTIONS });
}

/** What CloudWatch Logs needs of a key. */
const LOG_ACTIONS = ['kms:Encrypt*', 'kms:Decrypt*', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:Describe*'];

/**
 * Lets CloudWatch Logs encrypt with `key` what SNS logs of deliveries in this account and Region. The log groups are a
 * pattern, not one topic's, for the reason given above.
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
    otherwise: 'the log groups cannot be made, and the deployment fails',
  });
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
