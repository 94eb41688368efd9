import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct, IDependable } from 'constructs';
import { warn } from './checks';
import { isDeadLetterHolder } from './dead-letter-holder';
import { allowTopicToSend, grantSnsOnKeyOf, snsPrincipal } from './service-access';
import { statementText } from './statement-text';

function admit(scope: IConstruct, queue: IQueue, topic: ITopic, otherwise: string): IDependable[] {
  const dependable = allowTopicToSend(scope, queue, topic, otherwise);
  grantSnsOnKeyOf(scope, queue, topic);
  return dependable ? [dependable] : [];
}

/** Lets `topic` send its dead letters to `queue`, whoever made it. @returns what the subscription must depend on */
export function feedFromTopic(scope: IConstruct, queue: IQueue, topic: ITopic): IDependable[] {
  if (isDeadLetterHolder(queue)) return [queue.fedByTopic(topic)];
  const message = `No alarm watches the dead letters in ${queue.node.path}: a DeadLetterQueue brings one.`;
  warn(scope, 'dead-letters-unwatched', message);
  return admit(scope, queue, topic, 'its dead letters are lost');
}

/** Lets `topic` deliver to `queue`. @returns what the subscription must depend on */
export function admitTopic(scope: IConstruct, queue: IQueue, topic: ITopic): IDependable[] {
  return admit(scope, queue, topic, 'its messages become dead letters');
}

/** Lets `topic` invoke a function. @returns what the subscription must depend on */
export function admitTopicToFunction(scope: Construct, handler: IFunction, topic: ITopic): IDependable[] {
  handler.addPermission('Permission', { principal: snsPrincipal(topic, handler), sourceArn: topic.topicArn, scope });
  const permission = scope.node.tryFindChild('Permission');
  if (permission) return [permission];
  const statement = new PolicyStatement({
    actions: ['lambda:InvokeFunction'],
    resources: [handler.functionArn],
    principals: [snsPrincipal(topic, handler)],
    conditions: { ArnLike: { 'AWS:SourceArn': topic.topicArn } },
  });
  warn(
    scope,
    'function-policy-not-writable',
    `The policy of function ${handler.node.path} cannot be written from here. Without this statement, which aws lambda add-permission adds, its messages become dead letters: ${statementText(scope, statement)}`,
  );
  return [];
}
