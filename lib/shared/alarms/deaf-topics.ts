import { Stack, Token } from 'aws-cdk-lib';
import type { PolicyDocument } from 'aws-cdk-lib/aws-iam';
import { CfnKey } from 'aws-cdk-lib/aws-kms';
import { CfnTopicPolicy, Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { atSynthesis } from '../at-synthesis';
import { warn } from '../checks';

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
