import { Names } from 'aws-cdk-lib';
import type { IRule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct, IDependable } from 'constructs';
import { refuseManualPolicy, warnOfManualPolicy } from './by-hand';
import { grantEventsOnKeyOf, grantSnsOnKeyOf } from './key';
import { snsPrincipal } from './regions';

/** What is done with the statement that a queue's policy needs, where it cannot be written from here. */
export type Unwritten = (statement: PolicyStatement) => void;

/** Warns that what is delivered to a queue becomes dead letters, until somebody writes the statement into its policy. */
export function warnOfUndelivered(scope: IConstruct, queue: IQueue): Unwritten {
  const unwritable = { kind: 'queue', path: queue.node.path, otherwise: 'its messages become dead letters' } as const;
  return statement => warnOfManualPolicy(scope, 'queue-policy-not-writable', unwritable, statement);
}

/** Fails the synthesis over a dead-letter queue that may be out of reach. */
export function refuseUnreachable(scope: IConstruct, queue: IQueue): Unwritten {
  const unwritable = { kind: 'queue', path: queue.node.path, otherwise: 'its dead letters are lost' } as const;
  return statement => refuseManualPolicy(scope, unwritable, statement);
}

function allow(queue: IQueue, statement: PolicyStatement, unwritten: Unwritten): IDependable[] {
  const { statementAdded, policyDependable } = queue.addToResourcePolicy(statement);
  if (!statementAdded) unwritten(statement);
  return policyDependable ? [policyDependable] : [];
}

/**
 * Lets `topic` put messages into `queue`: its policy, and its key's.
 * @returns what the subscription must depend on
 * @see https://docs.aws.amazon.com/sns/latest/dg/subscribe-sqs-queue-to-sns-topic.html
 */
export function allowTopic(scope: IConstruct, queue: IQueue, topic: ITopic, unwritten: Unwritten): IDependable[] {
  grantSnsOnKeyOf(scope, queue, topic);
  const statement = new PolicyStatement({
    actions: ['sqs:SendMessage'],
    resources: [queue.queueArn],
    principals: [snsPrincipal(topic, queue)],
    conditions: { ArnEquals: { 'aws:SourceArn': topic.topicArn } },
  });
  return allow(queue, statement, unwritten);
}

/**
 * Lets EventBridge put into `queue` what a rule could not deliver: its policy, and its key's. The statement is the one
 * aws-cdk-lib writes for a rule whose target names the queue, down to its id, so that the policy has it once.
 * @returns what must be there before the rule may send
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
 */
export function allowRule(scope: IConstruct, queue: IQueue, rule: IRule, unwritten: Unwritten): IDependable[] {
  grantEventsOnKeyOf(scope, queue);
  const statement = new PolicyStatement({
    sid: `AllowEventRule${Names.nodeUniqueId(rule.node)}`,
    actions: ['sqs:SendMessage'],
    resources: [queue.queueArn],
    principals: [new ServicePrincipal('events.amazonaws.com')],
    conditions: { ArnEquals: { 'aws:SourceArn': rule.ruleArn } },
  });
  return allow(queue, statement, unwritten);
}
