import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct, IDependable } from 'constructs';
import { warnByHand } from './by-hand';
import { grantSnsOnKeyOf } from './key';
import { snsPrincipal } from './regions';

/** Lets SNS send to `queue` for one topic; where the queue was created elsewhere, a warning says what to add there. */
export function allowTopicToSend(
  scope: IConstruct,
  queue: IQueue,
  topic: ITopic,
  otherwise: string,
): IDependable | undefined {
  const statement = new PolicyStatement({
    actions: ['sqs:SendMessage'],
    resources: [queue.queueArn],
    principals: [snsPrincipal(topic, queue)],
    conditions: { ArnEquals: { 'aws:SourceArn': topic.topicArn } },
  });
  const { statementAdded, policyDependable } = queue.addToResourcePolicy(statement);
  if (!statementAdded) {
    warnByHand(scope, 'queue-policy-not-writable', { kind: 'queue', path: queue.node.path, otherwise }, statement);
  }
  return policyDependable;
}

/** Lets `topic` put messages into `queue`: its policy, and its key's. @returns what the subscription must depend on */
export function admitTopic(scope: IConstruct, queue: IQueue, topic: ITopic, otherwise: string): IDependable[] {
  const dependable = allowTopicToSend(scope, queue, topic, otherwise);
  grantSnsOnKeyOf(scope, queue, topic);
  return dependable ? [dependable] : [];
}
