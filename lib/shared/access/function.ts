import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct, IDependable } from 'constructs';
import { warnOfManualPolicy } from './by-hand';
import { snsPrincipal } from './regions';

/** Lets `topic` invoke a function. @returns what the subscription must depend on */
export function allowTopicToInvoke(scope: Construct, handler: IFunction, topic: ITopic): IDependable[] {
  handler.addPermission('Permission', { principal: snsPrincipal(topic, handler), sourceArn: topic.topicArn, scope });
  const permission = scope.node.tryFindChild('Permission');
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
