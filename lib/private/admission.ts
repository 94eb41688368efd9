import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct, IDependable } from 'constructs';
import { DeadLetterQueue } from '../dead-letter-queue';
import { warn } from './checks';
import { allowTopicToSend, grantSnsOnKey, snsPrincipal } from './service-access';

/** Lets `topic` send its dead letters to `queue`, whoever made it. @returns what the subscription must depend on */
export function feedFromTopic(scope: IConstruct, queue: IQueue, topic: ITopic): IDependable[] {
  if (queue instanceof DeadLetterQueue) return [queue.fedByTopic(topic)];
  const { statementAdded, policyDependable } = allowTopicToSend(queue, topic);
  if (queue.encryptionMasterKey) grantSnsOnKey(scope, queue.encryptionMasterKey);
  if (!statementAdded) warnOfPolicy(scope, queue, topic, 'its dead letters are lost');
  const message = `No alarm watches the dead letters in ${queue.node.path}: a DeadLetterQueue brings one.`;
  warn(scope, 'dead-letters-unwatched', message);
  return policyDependable ? [policyDependable] : [];
}

/** Lets `topic` deliver to `queue`. @returns what the subscription must depend on */
export function admitTopic(scope: IConstruct, queue: IQueue, topic: ITopic): IDependable[] {
  const { statementAdded, policyDependable } = allowTopicToSend(queue, topic);
  if (queue.encryptionMasterKey) grantSnsOnKey(scope, queue.encryptionMasterKey);
  if (!statementAdded) warnOfPolicy(scope, queue, topic, 'its messages become dead letters');
  return policyDependable ? [policyDependable] : [];
}

/** Lets `topic` invoke a function. @returns what the subscription must depend on */
export function admitTopicToFunction(scope: Construct, handler: IFunction, topic: ITopic): IDependable[] {
  handler.addPermission('Permission', { principal: snsPrincipal(topic, handler), sourceArn: topic.topicArn, scope });
  const permission = scope.node.tryFindChild('Permission');
  if (permission) return [permission];
  const message = `The policy of function ${handler.functionName} cannot be written from here. Unless it lets sns.amazonaws.com call lambda:InvokeFunction where aws:SourceArn is ${topic.topicArn}, its messages become dead letters.`;
  warn(scope, 'function-policy-not-writable', message);
  return [];
}

function warnOfPolicy(scope: IConstruct, queue: IQueue, topic: ITopic, otherwise: string): void {
  warn(
    scope,
    'queue-policy-not-writable',
    `The policy of queue ${queue.queueName} cannot be written from here. Unless it lets sns.amazonaws.com call sqs:SendMessage where aws:SourceArn is ${topic.topicArn}, ${otherwise}.`,
  );
}
