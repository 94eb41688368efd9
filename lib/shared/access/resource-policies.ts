import { Names, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { IRule } from 'aws-cdk-lib/aws-events';
import {
  AccountPrincipal,
  AnyPrincipal,
  ArnPrincipal,
  type IRole,
  PolicyStatement,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct, type IDependable } from 'constructs';
import { refuseManualPolicy, warnOfManualPolicy } from './by-hand';
import { grantEventsOnKeyOf, grantSnsOnKeyOf, snsPrincipal } from './key';
import { checkFunctionPolicy, joinSourcesOf } from './policy-limits';

/** What to do with a statement for a queue policy that this app cannot change. */
type Unwritten = (statement: PolicyStatement) => void;

/** Warns that messages for a queue become dead letters until its owner adds the statement. */
export function warnOfUndelivered(scope: IConstruct, queue: IQueue): Unwritten {
  const unwritable = { kind: 'queue', path: queue.node.path, otherwise: 'its messages become dead letters' } as const;
  return statement => warnOfManualPolicy(scope, 'queue-policy-not-writable', unwritable, statement);
}

/** Fails the synthesis if a dead-letter queue may be unreachable. */
export function refuseUnreachable(scope: IConstruct, queue: IQueue): Unwritten {
  const unwritable = { kind: 'queue', path: queue.node.path, otherwise: 'its dead letters are lost' } as const;
  return statement => refuseManualPolicy(scope, unwritable, statement);
}

function allow(queue: IQueue, statement: PolicyStatement, unwritten: Unwritten): IDependable[] {
  const { statementAdded, policyDependable } = queue.addToResourcePolicy(statement);
  if (!statementAdded) unwritten(statement);
  if (!policyDependable) return [];
  // The queue may be one that another construct wraps.
  joinSourcesOf((Construct.isConstruct(policyDependable) && policyDependable.node.scope) || queue);
  return [policyDependable];
}

/**
 * Lets `topic` send to `queue`: writes the queue policy and the key policy.
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
 * Lets EventBridge send to `queue` what a rule could not deliver: writes the queue policy and the key policy.
 * aws-cdk-lib writes the same statement, with the same id, for a rule target that names the queue. So the policy has it
 * once.
 * @returns what must exist before the rule may send
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

/**
 * Lets the services of the topic's own account publish, as the default policy of a topic does. The first statement that
 * an app adds, such as the one that refuses plain HTTP, replaces the default policy and with it the access of alarms.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
 */
export function allowServicesOfOwner(topic: Topic): void {
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

/**
 * Lets another account subscribe to a topic with one protocol. The owner of the endpoint subscribes it and need not
 * confirm. The condition does not name the endpoint, because then its resource would need a physical name. If this app
 * cannot change the policy, a warning shows the statement.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-send-message-to-sqs-cross-account.html
 */
export function allowSubscriber(topic: ITopic, account: string, protocol: string): IDependable {
  const statement = new PolicyStatement({
    actions: ['sns:Subscribe'],
    resources: [topic.topicArn],
    principals: [new AccountPrincipal(account)],
    conditions: { StringEquals: { 'sns:Protocol': protocol } },
  });
  const { statementAdded, policyDependable } = topic.addToResourcePolicy(statement);
  if (!statementAdded) warnOfUnwritten(topic, topic, statement);
  return policyDependable ?? topic;
}

function warnOfUnwritten(
  scope: IConstruct,
  topic: ITopic,
  statement: PolicyStatement,
  otherwise = 'the deployment fails',
): void {
  const unwritable = { kind: 'topic', path: topic.node.path, otherwise } as const;
  warnOfManualPolicy(scope, 'topic-of-another-account', unwritable, statement);
}

/**
 * Warns that the policy of a topic in another account must allow what `role` does there, in addition to the policy of
 * the role.
 * @param otherwise what happens without the statement, if the deployment does not fail
 */
export function warnOfAnotherAccount(
  scope: IConstruct,
  topic: ITopic,
  role: IRole,
  action: string,
  otherwise?: string,
): void {
  if (Token.compareStrings(Stack.of(scope).account, topic.env.account) !== TokenComparison.DIFFERENT) return;
  const statement = new PolicyStatement({
    actions: [action],
    resources: [topic.topicArn],
    principals: [new ArnPrincipal(role.roleArn)],
  });
  warnOfUnwritten(scope, topic, statement, otherwise);
}

/**
 * Lets `topic` invoke a function.
 * @returns what the subscription must depend on
 */
export function allowTopicToInvoke(scope: Construct, handler: IFunction, topic: ITopic): IDependable[] {
  handler.addPermission('Permission', { principal: snsPrincipal(topic, handler), sourceArn: topic.topicArn, scope });
  const permission = scope.node.tryFindChild('Permission');
  checkFunctionPolicy(handler);
  if (permission) return [permission];
  const statement = new PolicyStatement({
    actions: ['lambda:InvokeFunction'],
    resources: [handler.functionArn],
    principals: [snsPrincipal(topic, handler)],
    conditions: { ArnLike: { 'AWS:SourceArn': topic.topicArn } },
  });
  const unwritable = {
    kind: 'function',
    path: handler.node.path,
    otherwise: 'its messages become dead letters',
    addedBy: 'aws lambda add-permission',
  } as const;
  warnOfManualPolicy(scope, 'function-policy-not-writable', unwritable, statement);
  return [];
}
