import { Stack, Token, TokenComparison } from 'aws-cdk-lib';
import { AccountPrincipal, AnyPrincipal, ArnPrincipal, type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IConstruct, IDependable } from 'constructs';
import { warnOfManualPolicy } from './by-hand';

/**
 * Lets the services of the topic's own account publish, as the policy does that SNS gives a topic nobody has given one.
 * A first statement of one's own, such as the refusal of plain HTTP, replaces that policy, and with it an alarm's access.
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
 * Lets another account subscribe to a topic, by one protocol: whoever owns what is delivered to subscribes it, and need
 * not confirm. The condition does not name the endpoint, for that would ask its resource to have a name of its own.
 * Where the policy cannot be written from here, a warning has the statement.
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
 * Says what the policy of a topic of another account must let `role` do there, beside the role's own policy.
 * @param otherwise what happens without that, where the deployment does not fail
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
