import { displayNameOf, parseArn } from '../../policy/arn';
import type { Protocol } from '../../policy/outcome/protocol';
import { knownValue } from '../../template/maybe-known';
import type { Inventory, StatusLogging, TopicFacts } from '../inventory/inventory';
import type { AwsCall, Fix } from './fix';

/** What the topic attributes of a protocol's logging begin with. E-mail and text messages of topics are not logged. */
const LOGGED_PROTOCOLS: Readonly<Partial<Record<Protocol, string>>> = {
  application: 'Application',
  firehose: 'Firehose',
  http: 'HTTP',
  https: 'HTTP',
  lambda: 'Lambda',
  sqs: 'SQS',
};

/** How a topic's attributes spell a protocol that is logged; undefined of one that is not. */
export function loggedAs(protocol: Protocol): string | undefined {
  return LOGGED_PROTOCOLS[protocol];
}

/** How a topic logs the deliveries of a protocol; undefined where that is not known. */
export function loggingOf({ logging }: TopicFacts, protocol: Protocol): Partial<StatusLogging> | undefined {
  const reported = knownValue(logging);
  return reported && (reported.find(it => it.protocol === loggedAs(protocol)) ?? {});
}

/** What SNS needs, as its documentation has it. */
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
 * A role SNS may write its logs with, and the calls that make it. Our choice: it trusts SNS without a condition, for AWS
 * documents none here, as `DeliveryStatusLogging` says; nobody else's topic can name it, for no role is passed to another account.
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

/** One that logs elsewhere already. */
function roleInUse({ topics }: Inventory): string | undefined {
  return topics
    .flatMap(({ logging }) => knownValue(logging) ?? [])
    .map(({ failureRoleArn }) => failureRoleArn)
    .find(arn => arn !== undefined);
}

/**
 * Has a topic log the deliveries of a protocol that fail, with the role another topic logs with, or with a new one.
 * Undefined where SNS logs nothing of the protocol.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-topic-attributes.html
 */
export function logFailures(topicArn: string, protocol: Protocol, inventory: Inventory): Fix | undefined {
  const prefix = loggedAs(protocol);
  if (prefix === undefined) return undefined;
  const inUse = roleInUse(inventory);
  const { arn, calls } = inUse === undefined ? newRole(topicArn) : { arn: inUse, calls: [] };
  const input = { TopicArn: topicArn, AttributeName: `${prefix}FailureFeedbackRoleArn`, AttributeValue: arn };
  return {
    says: `Have the topic ${displayNameOf(topicArn)} log ${prefix} deliveries that fail, from now on.`,
    calls: [...calls, { service: 'sns', operation: 'SetTopicAttributes', input }],
  };
}
