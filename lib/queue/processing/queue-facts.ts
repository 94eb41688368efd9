import { CfnResource, Stack, Token } from 'aws-cdk-lib';
import type { CfnQueue, IQueue } from 'aws-cdk-lib/aws-sqs';

/** What a template says of a queue unless it says otherwise. @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queue.html */
export const QUEUE_DEFAULTS = { retentionSeconds: 345_600, visibilityTimeoutSeconds: 30 } as const;

/** The queue resource behind `queue`, or undefined where it was created elsewhere. */
export function ownedQueue(queue: IQueue): CfnQueue | undefined {
  const child = queue.node.defaultChild;
  const owned = child && CfnResource.isCfnResource(child) && child.cfnResourceType === 'AWS::SQS::Queue';
  return owned ? (child as CfnQueue) : undefined;
}

/**
 * The name the user gave a queue that is made here; undefined where CloudFormation makes one up, a token hides it, or the
 * queue was created elsewhere: what is named after such a queue has the name its owner's has, and every other importer's.
 */
export function ownName(queue: IQueue): string | undefined {
  const name = ownedQueue(queue)?.queueName;
  return Token.isUnresolved(name) ? undefined : name;
}

/** The queue's ARN made from its name, without a reference to the queue itself; undefined while its name is not known. */
export function namedArn(queue: IQueue): string | undefined {
  const resource = ownName(queue) ?? queue.queueName;
  if (Token.isUnresolved(resource)) return undefined;
  return Stack.of(queue).formatArn({ service: 'sqs', resource });
}

/** Seconds the queue keeps a message, or undefined where that is not known before deployment. */
export function retentionSeconds(queue: IQueue): number | undefined {
  const resource = ownedQueue(queue);
  if (!resource) return undefined;
  const seconds = resource.messageRetentionPeriod ?? QUEUE_DEFAULTS.retentionSeconds;
  return Token.isUnresolved(seconds) ? undefined : seconds;
}
