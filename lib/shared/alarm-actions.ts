import { Resource, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { AlarmBase, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { PolicyDocument } from 'aws-cdk-lib/aws-iam';
import { CfnKey } from 'aws-cdk-lib/aws-kms';
import { CfnTopicPolicy, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { atSynthesis, mismatchProblems, throwProblems, warn } from './checks';

/**
 * The maximum number of actions of an alarm for each state.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
 */
export const MAX_ACTIONS = 5;

interface Place {
  readonly region: string;
  readonly account: string;
}

/**
 * The account and Region of an action: from the construct if there is one, otherwise from the ARN. An ARN may leave
 * either of them empty.
 */
function placeOf(action: IAlarmAction, arn: string): Place | undefined {
  if (Construct.isConstruct(action) && Resource.isResource(action)) return action.env;
  if (Token.isUnresolved(arn)) return undefined;
  const [, , , region = '', account = ''] = arn.split(':');
  return { region, account };
}

function regionProblems(alarm: AlarmBase, { region }: Place): Problem[] {
  const here = Stack.of(alarm).region;
  return region === '' ? [] : mismatchProblems('alarmActions', 'must be in the Region of the alarm,', here, region);
}

function isElsewhere(alarm: AlarmBase, { account }: Place): boolean {
  return account !== '' && Token.compareStrings(Stack.of(alarm).account, account) === TokenComparison.DIFFERENT;
}

/**
 * The text of the CDK error for a reference across accounts or Regions to a resource without a physical name. CDK
 * throws it at the end of synthesis. Older versions of CDK give it no name of its own.
 */
const NO_PHYSICAL_NAME = /Cannot use resource '(.*?)' in a cross-environment fashion/;

/** CloudFormation has no references between accounts, so an action in another account needs a physical name. */
function physicalNameProblems(alarm: AlarmBase, arn: string): Problem[] {
  try {
    Stack.of(alarm).resolve(arn);
    return [];
  } catch (error) {
    const [, value] = NO_PHYSICAL_NAME.exec(String(error)) ?? [];
    if (value === undefined) throw error;
    const rule =
      'must be in the account of the alarm or have a physical name; for a delivery in another account, set alarmActions of the delivery';
    return [{ property: 'alarmActions', rule, value }];
  }
}

/**
 * Adds actions to an alarm.
 * @throws for more than five actions or one in another Region, which CloudWatch rejects, and for one in another account
 * without a physical name
 */
export function addActions(owner: Construct, alarm: AlarmBase, actions: readonly IAlarmAction[]): void {
  const problems: Problem[] = [];
  if (actions.length > MAX_ACTIONS) {
    problems.push({ property: 'alarmActions', rule: `must be at most ${MAX_ACTIONS}`, value: actions.length });
  }
  const watched = actions.map(action => ({
    bind: (scope: Construct, bound: AlarmBase) => {
      const config = action.bind(scope, bound);
      warnOfUnreachableTopic(owner, config.alarmActionArn);
      problems.push(...physicalNameProblems(alarm, config.alarmActionArn));
      const place = placeOf(action, config.alarmActionArn);
      if (place) problems.push(...regionProblems(alarm, place));
      if (place && isElsewhere(alarm, place)) warnOfAnotherAccount(owner, place);
      return config;
    },
  }));
  alarm.addAlarmAction(...watched);
  throwProblems(owner.node.path, problems);
}

function warnOfAnotherAccount(owner: Construct, { account }: Place): void {
  const message = `An alarm publishes to account ${account}. It fails unless the topic policy and the key policy there allow it: an OpsTopic allows only the alarms of its own account.`;
  warn(owner, 'alarm-action-of-another-account', message);
}

/** A statement that allows CloudWatch, by name or with a wildcard principal under any condition. */
const ALLOWS_CLOUDWATCH =
  /"Effect":"Allow".*"Principal":(\{"Service":[^}]*"cloudwatch\.amazonaws\.com"|"\*"|\{"AWS":"\*"\})/;

/**
 * Whether a policy has a statement that allows CloudWatch. A policy that is not known before deployment counts as one
 * that does.
 */
function allowsCloudWatch(scope: Construct, policy: PolicyDocument | unknown): boolean {
  const resolved: unknown = Stack.of(scope).resolve(policy);
  const statements = (resolved as { Statement?: unknown } | undefined)?.Statement;
  return !Array.isArray(statements) || statements.some(it => ALLOWS_CLOUDWATCH.test(JSON.stringify(it)));
}

/** Whether a topic has a policy, which replaces the default one, and no statement in it allows CloudWatch. */
function isPolicyClosed(topic: Topic): boolean {
  const policies = topic.node.root.node
    .findAll()
    .filter(it => it instanceof CfnTopicPolicy && it.topics.includes(topic.topicArn));
  return (
    policies.length > 0 && !policies.some(it => it instanceof CfnTopicPolicy && allowsCloudWatch(it, it.policyDocument))
  );
}

function isKeyClosed({ masterKey }: Topic): boolean {
  const resource = masterKey?.node.defaultChild;
  return resource instanceof CfnKey && !allowsCloudWatch(resource, resource.keyPolicy);
}

function topicOf(owner: Construct, topicArn: string): Topic | undefined {
  const topic = owner.node.root.node.findAll().find(it => it instanceof Topic && it.topicArn === topicArn);
  return topic instanceof Topic ? topic : undefined;
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/fifo-message-grouping.html */
function warnOfFifo(owner: Construct, name: string): void {
  const message = `Alarms publish to ${name}, which is a FIFO topic. Publishing may fail, because AWS does not document that CloudWatch sets a message group, and SNS rejects a message without one. Use a standard topic.`;
  warn(owner, 'alarm-topic-fifo', message);
}

function warnOfClosed(owner: Construct, topic: Topic): void {
  if (!(isPolicyClosed(topic) || isKeyClosed(topic))) return;
  const what = isKeyClosed(topic) ? 'use its key' : 'publish there';
  const message = `Alarms publish to ${topic.node.path} and fail, because CloudWatch may not ${what}. Use an OpsTopic, which allows it.`;
  warn(owner, 'alarm-topic-closed', message);
}

function warnOfUnreachableTopic(owner: Construct, alarmActionArn: string): void {
  if (!Token.isUnresolved(alarmActionArn)) {
    if (alarmActionArn.endsWith('.fifo')) warnOfFifo(owner, alarmActionArn);
    return;
  }
  atSynthesis(owner, () => {
    const topic = topicOf(owner, alarmActionArn);
    if (topic?.fifo) warnOfFifo(owner, topic.node.path);
    if (topic) warnOfClosed(owner, topic);
  });
}
