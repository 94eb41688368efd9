import { Token } from 'aws-cdk-lib';
import { Alias, CfnEventInvokeConfig, FunctionBase, type IFunction, Version } from 'aws-cdk-lib/aws-lambda';
import { type Subscription, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { IRedriveDestination } from '../redrive/i-redrive-destination';
import { atSynthesis, warn } from '../shared/checks';
import { functionBehind, ownedFunction } from '../shared/construct-tree';
import { resourceOf } from '../topic/recipient';
import { isDeadLetterQueue } from './feed';
import { ownedQueue } from './queue-checks';

function isOnFailure({ destinationConfig: config }: CfnEventInvokeConfig): boolean {
  if (config === undefined) return false;
  return Token.isUnresolved(config) || ('onFailure' in config && config.onFailure !== undefined);
}

/** Whether one configuration of asynchronous invocation is that of `handler`, which may be a version or alias. */
function isOf({ functionName, qualifier }: CfnEventInvokeConfig, handler: IFunction): boolean {
  if (!(handler instanceof Alias || handler instanceof Version)) {
    return (
      qualifier === '$LATEST' && [handler.functionName, ownedFunction(handler)?.functionName].includes(functionName)
    );
  }
  return qualifier !== '$LATEST' && [handler.functionName, handler.lambda.functionName].includes(functionName);
}

/** Whether what a function fails on is kept; true as well of one that was made elsewhere, of which nothing is known. */
function keepsEvents(handler: IFunction): boolean {
  const resource = ownedFunction(functionBehind(handler));
  if (!resource || resource.deadLetterConfig) return true;
  const all = handler.node.root.node.findAll();
  return all.some(it => it instanceof CfnEventInvokeConfig && isOf(it, handler) && isOnFailure(it));
}

/** Whether what a queue's consumer fails on is kept, or looked at there, as in a dead-letter queue. */
function keepsPoison(queue: IQueue): boolean {
  const resource = ownedQueue(queue);
  return !resource || resource.redrivePolicy !== undefined || isDeadLetterQueue(queue);
}

function judgeFunction(scope: IConstruct, handler: IFunction): void {
  if (keepsEvents(handler)) return;
  const message = `What ${handler.node.path} fails on is gone after Lambda's retries: give it a FunctionFailures.`;
  warn(scope, 'function-keeps-nothing', message);
}

function judgeQueue(scope: IConstruct, queue: IQueue): void {
  if (keepsPoison(queue)) return;
  const message = `${queue.node.path} has no dead-letter queue, and what its consumer fails on is gone in the end: make it a ProcessingQueue.`;
  warn(scope, 'queue-keeps-nothing', message);
}

function judge(subscription: Subscription): void {
  const { protocol, endpoint } = resourceOf(subscription);
  const all = subscription.node.root.node.findAll();
  if (protocol === SubscriptionProtocol.LAMBDA) {
    const handler = all.find(it => it instanceof FunctionBase && it.functionArn === endpoint);
    if (handler instanceof FunctionBase) judgeFunction(subscription, handler);
  }
  if (protocol === SubscriptionProtocol.SQS) {
    const queue = all.find(it => it instanceof Queue && it.queueArn === endpoint);
    if (queue instanceof Queue) judgeQueue(subscription, queue);
  }
}

/**
 * Warns at synthesis of a delivery to what loses the messages it fails on. SNS has delivered them by then: neither its
 * dead-letter queue nor its alarms know of them.
 */
export function warnOfLossyConsumer(subscription: Subscription): void {
  atSynthesis(subscription, () => judge(subscription));
}

/** The same of what letters are redriven to. */
export function warnOfLossyDestination(scope: IConstruct, { targetQueue: queue, handler }: IRedriveDestination): void {
  atSynthesis(scope, () => {
    if (queue) judgeQueue(scope, queue);
    if (handler) judgeFunction(scope, handler);
  });
}
