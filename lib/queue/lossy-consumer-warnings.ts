import { Token } from 'aws-cdk-lib';
import { Alias, CfnEventInvokeConfig, FunctionBase, type IFunction, Version } from 'aws-cdk-lib/aws-lambda';
import { type Subscription, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { IRedriveDestination } from '../redrive/i-redrive-destination';
import { atSynthesis, warn } from '../shared/checks';
import { functionBehind, ownedFunction } from '../shared/construct-tree';
import { resourceOf } from '../topic/delivery-place';
import { isDeadLetterQueue } from './feeder-registry';
import { ownedQueue } from './queue-checks';

function isOnFailure({ destinationConfig: config }: CfnEventInvokeConfig): boolean {
  if (config === undefined) return false;
  return Token.isUnresolved(config) || ('onFailure' in config && config.onFailure !== undefined);
}

/** Whether an invocation configuration belongs to `handler`, which may be a version or alias. */
export function isInvokeConfigOf({ functionName, qualifier }: CfnEventInvokeConfig, handler: IFunction): boolean {
  if (!(handler instanceof Alias || handler instanceof Version)) {
    return (
      qualifier === '$LATEST' && [handler.functionName, ownedFunction(handler)?.functionName].includes(functionName)
    );
  }
  return qualifier !== '$LATEST' && [handler.functionName, handler.lambda.functionName].includes(functionName);
}

/** Whether the events that a function fails on are kept. True for an imported function, of which nothing is known. */
function keepsFailedEvents(handler: IFunction): boolean {
  const resource = ownedFunction(functionBehind(handler));
  if (!resource || resource.deadLetterConfig) return true;
  const all = handler.node.root.node.findAll();
  return all.some(it => it instanceof CfnEventInvokeConfig && isInvokeConfigOf(it, handler) && isOnFailure(it));
}

/**
 * Whether the messages that a queue's consumer fails on are kept. True for a dead-letter queue, where operators look at
 * them.
 */
function keepsFailedMessages(queue: IQueue): boolean {
  const resource = ownedQueue(queue);
  return !resource || resource.redrivePolicy !== undefined || isDeadLetterQueue(queue);
}

function warnOfFunction(scope: IConstruct, handler: IFunction): void {
  if (keepsFailedEvents(handler)) return;
  const message = `Events that ${handler.node.path} fails on are lost after Lambda's retries: give it a FunctionFailures.`;
  warn(scope, 'function-keeps-nothing', message);
}

function warnOfQueue(scope: IConstruct, queue: IQueue): void {
  if (keepsFailedMessages(queue)) return;
  const message = `${queue.node.path} has no dead-letter queue, so messages that its consumer fails on are lost when they expire: make it a ProcessingQueue.`;
  warn(scope, 'queue-keeps-nothing', message);
}

function warnOf(subscription: Subscription): void {
  const { protocol, endpoint } = resourceOf(subscription);
  const all = subscription.node.root.node.findAll();
  if (protocol === SubscriptionProtocol.LAMBDA) {
    const handler = all.find(it => it instanceof FunctionBase && it.functionArn === endpoint);
    if (handler instanceof FunctionBase) warnOfFunction(subscription, handler);
  }
  if (protocol === SubscriptionProtocol.SQS) {
    const queue = all.find(it => it instanceof Queue && it.queueArn === endpoint);
    if (queue instanceof Queue) warnOfQueue(subscription, queue);
  }
}

/**
 * Warns at synthesis about a delivery to a queue or function that loses the messages it fails on. SNS has delivered
 * them by then, so its dead-letter queue and alarms do not cover them.
 */
export function warnOfLossyConsumer(subscription: Subscription): void {
  atSynthesis(subscription, () => warnOf(subscription));
}

/** The same warning for the destination of a redrive. A replay deletes no message on which the function failed. */
export function warnOfLossyDestination(scope: IConstruct, { targetQueue: queue }: IRedriveDestination): void {
  atSynthesis(scope, () => {
    if (queue) warnOfQueue(scope, queue);
  });
}
