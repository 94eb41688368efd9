import { type ArnComponents, ArnFormat, type IResource, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import {
  type AddToResourcePolicyResult,
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
import { warn } from './checks';

/** What a service needs of a key to put a message into an encrypted queue or topic. */
const SEND_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey*'];

/** The same for a role of ours, without the wildcard: envelope encryption asks for no other data key call. */
const ROLE_SEND_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey'];

function arnPattern(
  scope: IConstruct,
  parts: Pick<ArnComponents, 'service' | 'resource' | 'arnFormat' | 'resourceName'>,
) {
  return Stack.of(scope).formatArn(parts);
}

interface KeyUser {
  readonly service: string;
  /** Which callers the service may use the key for. */
  readonly conditions: Conditions;
}

/**
 * Lets a service use `key` for callers of this account and Region. The source is a pattern, not one topic's ARN: a key
 * that names its own topic, and a topic that names its key, would be a cycle CloudFormation refuses.
 */
function grantServiceOnKey(scope: IConstruct, key: IKey, { service, conditions }: KeyUser): void {
  const statement = new PolicyStatement({
    actions: SEND_ACTIONS,
    resources: ['*'],
    principals: [new ServicePrincipal(service)],
    conditions,
  });
  if (key.addToResourcePolicy(statement, true).statementAdded) return;
  warn(
    scope,
    'key-policy-not-writable',
    `The policy of key ${key.keyArn} cannot be written from here. Unless it lets ${service} call ${SEND_ACTIONS.join(' and ')}, every message that needs the key is lost.`,
  );
}

/**
 * Lets SNS encrypt what it puts into queues, for topics of this account and Region. The condition is the one key that
 * SNS is known to pass on when SQS asks KMS.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-enable-encryption-for-topic-sqs-queue-subscriptions.html
 */
export function grantSnsOnKey(scope: IConstruct, key: IKey): void {
  grantServiceOnKey(scope, key, {
    service: 'sns.amazonaws.com',
    conditions: {
      ArnLike: {
        'aws:SourceArn': arnPattern(scope, { service: 'sns', resource: '*', arnFormat: ArnFormat.NO_RESOURCE_NAME }),
      },
    },
  });
}

/**
 * What only the alarms of this account and Region meet, on a topic and on its key alike: CloudWatch asks KMS itself.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services
 */
export function alarmConditions(scope: IConstruct): Conditions {
  const alarms = { service: 'cloudwatch', resource: 'alarm', resourceName: '*' };
  return {
    ArnLike: { 'aws:SourceArn': arnPattern(scope, { ...alarms, arnFormat: ArnFormat.COLON_RESOURCE_NAME }) },
    StringEquals: { 'aws:SourceAccount': Stack.of(scope).account },
  };
}

/** Lets CloudWatch encrypt what alarms publish. */
export function grantCloudWatchOnKey(scope: IConstruct, key: IKey): void {
  grantServiceOnKey(scope, key, { service: 'cloudwatch.amazonaws.com', conditions: alarmConditions(scope) });
}

/** Lets a role put messages into whatever `key` encrypts. */
export function grantRoleSendOnKey(key: IKey, grantee: IGrantable): void {
  key.grant(grantee, ...ROLE_SEND_ACTIONS);
}

/** A Region as far as it is known: opt-in Regions have a principal of their own. */
function optInPrincipal(region: string): string | undefined {
  const known = !Token.isUnresolved(region);
  return known && RegionInfo.get(region).isOptInRegion ? `sns.${region}.amazonaws.com` : undefined;
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

/** Lets SNS send to `queue` for one topic. Without `statementAdded`, the queue was created elsewhere. */
export function allowTopicToSend(queue: IQueue, topic: ITopic): AddToResourcePolicyResult {
  return queue.addToResourcePolicy(
    new PolicyStatement({
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      principals: [snsPrincipal(topic, queue)],
      conditions: { ArnEquals: { 'aws:SourceArn': topic.topicArn } },
    }),
  );
}
