import { Errors, Resource, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { AlarmBase, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { PolicyDocument } from 'aws-cdk-lib/aws-iam';
import { CfnKey } from 'aws-cdk-lib/aws-kms';
import { CfnTopicPolicy, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { atSynthesis, mismatchProblems, throwProblems, warn } from './checks';

/** An alarm takes so many actions a state. @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html */
const MOST_ACTIONS = 5;

interface Place {
  readonly region: string;
  readonly account: string;
}

/** Where an action is: a construct knows best, and then an ARN. Either of both may be empty in one. */
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

/** What CDK says of a reference to another account or Region to something that has no name, and not before the end of synthesis. */
const NAMELESS = 'CannotUseCrossEnvironment';

/** Between accounts there are no references: what an alarm of another one speaks to goes by a name. */
function namelessProblems(alarm: AlarmBase, arn: string): Problem[] {
  try {
    Stack.of(alarm).resolve(arn);
    return [];
  } catch (error) {
    if (!Errors.isValidationError(error) || error.name !== NAMELESS) throw error;
    const rule =
      'must be of the account of the alarm, or have names of their own: pass those of that account to the delivery';
    const [value = error.message] = /'.*?'/.exec(error.message) ?? [];
    return [{ property: 'alarmActions', rule, value: value.replaceAll("'", '') }];
  }
}

/**
 * Lets an alarm do something when it fires.
 * @throws for what CloudWatch would reject: more than five actions, or one in another Region; and for one of another
 * account that cannot be named
 */
export function addActions(owner: Construct, alarm: AlarmBase, actions: readonly IAlarmAction[]): void {
  const problems: Problem[] = [];
  if (actions.length > MOST_ACTIONS) {
    problems.push({ property: 'alarmActions', rule: `must be at most ${MOST_ACTIONS}`, value: actions.length });
  }
  const watched = actions.map(action => ({
    bind: (scope: Construct, bound: AlarmBase) => {
      const config = action.bind(scope, bound);
      warnOfUnreachableTopic(owner, config.alarmActionArn);
      problems.push(...namelessProblems(alarm, config.alarmActionArn));
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
  const message = `An alarm speaks to account ${account}, and is not heard unless the policy there lets it in, and the key: an OpsTopic lets in the alarms of its own account alone.`;
  warn(owner, 'alarm-action-of-another-account', message);
}

/** What of a statement says whom it lets in: CloudWatch by name, or all, under whatever condition. */
const LETS_IN = /"Effect":"Allow".*"Principal":(\{"Service":[^}]*"cloudwatch\.amazonaws\.com"|"\*"|\{"AWS":"\*"\})/;

/** Whether one statement of a policy lets CloudWatch in. A policy that is not known before deployment is not judged. */
function letsIn(scope: Construct, policy: PolicyDocument | unknown): boolean {
  const resolved: unknown = Stack.of(scope).resolve(policy);
  const statements = (resolved as { Statement?: unknown } | undefined)?.Statement;
  return !Array.isArray(statements) || statements.some(it => LETS_IN.test(JSON.stringify(it)));
}

/** Whether a topic has a policy, which replaces the one SNS gives it, and none that lets CloudWatch in. */
function isPolicyClosed(topic: Topic): boolean {
  const policies = topic.node.root.node
    .findAll()
    .filter(it => it instanceof CfnTopicPolicy && it.topics.includes(topic.topicArn));
  return policies.length > 0 && !policies.some(it => it instanceof CfnTopicPolicy && letsIn(it, it.policyDocument));
}

function isKeyClosed({ masterKey }: Topic): boolean {
  const resource = masterKey?.node.defaultChild;
  return resource instanceof CfnKey && !letsIn(resource, resource.keyPolicy);
}

function topicOf(owner: Construct, topicArn: string): Topic | undefined {
  const topic = owner.node.root.node.findAll().find(it => it instanceof Topic && it.topicArn === topicArn);
  return topic instanceof Topic ? topic : undefined;
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/fifo-message-grouping.html */
function warnOfFifo(owner: Construct, name: string): void {
  const message = `Alarms speak to ${name}, which is FIFO, and may not be heard: AWS does not say that CloudWatch publishes in a message group, and SNS refuses what has none. Use a standard topic.`;
  warn(owner, 'alarm-topic-fifo', message);
}

function warnOfClosed(owner: Construct, topic: Topic): void {
  if (!(isPolicyClosed(topic) || isKeyClosed(topic))) return;
  const what = isKeyClosed(topic) ? 'use its key' : 'publish there';
  const message = `Alarms speak to ${topic.node.path} and are not heard, for CloudWatch may not ${what}: use an OpsTopic, which lets it.`;
  warn(owner, 'alarm-topic-closed', message);
}

/** Warns at synthesis of an alarm that speaks to a topic which CloudWatch may not reach. */
export function warnOfUnreachableTopic(owner: Construct, alarmActionArn: string): void {
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
