import { displayNameOf, parseArn } from '../../policy/arn';
import type { Protocol } from '../../policy/outcome/protocol';
import { knownValue } from '../../template/maybe-known';
import type { Inventory, StatusLogging, TopicFacts } from '../inventory/inventory';
import type { AwsCall, Fix } from './fix';

/**
 * The prefixes of a topic's logging attributes by protocol. SNS does not log the emails and text messages of topics.
 */
const LOGGED_PROTOCOLS: Readonly<Partial<Record<Protocol, string>>> = {
  application: 'Application',
  firehose: 'Firehose',
  http: 'HTTP',
  https: 'HTTP',
  lambda: 'Lambda',
  sqs: 'SQS',
};

/** A protocol in the spelling of a topic's logging attributes; undefined if SNS does not log it. */
export function loggedAs(protocol: Protocol): string | undefined {
  return LOGGED_PROTOCOLS[protocol];
}

/** How a topic logs the deliveries of a protocol; undefined if unknown. */
export function loggingOf({ logging }: TopicFacts, protocol: Protocol): Partial<StatusLogging> | undefined {
  const reported = knownValue(logging);
  return reported && (reported.find(it => it.protocol === loggedAs(protocol)) ?? {});
}

/** The actions SNS needs, as AWS documents them. */
const LOG_ACTIONS = [
  'logs:CreateLogGroup',
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  'logs:PutMetricFilter',
  'logs:PutRetentionPolicy',
];

function policyJson(statement: object): string {
  return JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] });
}

/**
 * A role with which SNS can write logs, and the calls that create it. Its trust policy has no condition, because AWS
 * documents none here, as `DeliveryStatusLogging` explains. Topics of other accounts still cannot use it, because a
 * role cannot be passed to another account.
 * @see https://docs.aws.amazon.com/sns/latest/dg/topics-attrib-prereq.html
 */
function newRole(topicArn: string): { readonly arn: string; readonly calls: readonly AwsCall[] } {
  const { partition = 'aws', region = '', account = '' } = parseArn(topicArn) ?? {};
  const RoleName = `SnsDeliveryStatus-${region}`;
  const trust = { Principal: { Service: 'sns.amazonaws.com' }, Action: 'sts:AssumeRole' };
  const policy = { Action: LOG_ACTIONS, Resource: '*' };
  return {
    arn: `arn:${partition}:iam::${account}:role/${RoleName}`,
    calls: [
      { service: 'iam', operation: 'CreateRole', input: { RoleName, AssumeRolePolicyDocument: policyJson(trust) } },
      {
        service: 'iam',
        operation: 'PutRolePolicy',
        input: { RoleName, PolicyName: 'WriteDeliveryStatus', PolicyDocument: policyJson(policy) },
      },
    ],
  };
}

function roleInUse({ topics }: Inventory): string | undefined {
  return topics
    .flatMap(({ logging }) => knownValue(logging) ?? [])
    .map(({ failureRoleArn }) => failureRoleArn)
    .find(arn => arn !== undefined);
}

/**
 * Makes a topic log failed deliveries of a protocol, with the role of another topic or with a new one. Returns
 * undefined if SNS does not log the protocol.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-topic-attributes.html
 */
export function logFailures(topicArn: string, protocol: Protocol, inventory: Inventory): Fix | undefined {
  const prefix = loggedAs(protocol);
  if (prefix === undefined) return undefined;
  const inUse = roleInUse(inventory);
  const { arn, calls } = inUse === undefined ? newRole(topicArn) : { arn: inUse, calls: [] };
  const input = { TopicArn: topicArn, AttributeName: `${prefix}FailureFeedbackRoleArn`, AttributeValue: arn };
  return {
    says: `Make the topic ${displayNameOf(topicArn)} log failed ${prefix} deliveries, from now on.`,
    calls: [...calls, { service: 'sns', operation: 'SetTopicAttributes', input }],
  };
}
