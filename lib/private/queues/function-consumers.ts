import { Names, Token } from 'aws-cdk-lib';
import { EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource, type SqsEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { FunctionConsumer } from '../../function-consumer';
import type { Problem } from '../../policy/problem';
import { knownSeconds, throwProblems, warn } from '../checks';
import { functionBehind, ownedFunction } from '../functions/function-facts';
import { consumerProblems } from './consumer-checks';
import { ownedQueue, QUEUE_DEFAULTS } from './queue-facts';

/** A function asks for this many receives at least. @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const LEAST_RECEIVES = 5;

/** And for a visibility timeout of this many times its own. */
const VISIBILITY_PER_TIMEOUT = 6;

/** What Lambda gives a function that states no timeout. */
const DEFAULT_TIMEOUT_SECONDS = 3;

/** The timeout of a function, or undefined where that is not known. */
function timeoutSeconds(handler: IFunction): number | undefined {
  const resource = ownedFunction(functionBehind(handler));
  const seconds = resource && (resource.timeout ?? DEFAULT_TIMEOUT_SECONDS);
  return Token.isUnresolved(seconds) ? undefined : seconds;
}

function visibleSeconds(queue: IQueue): number | undefined {
  const seconds = ownedQueue(queue)?.visibilityTimeout ?? QUEUE_DEFAULTS.visibilityTimeoutSeconds;
  return Token.isUnresolved(seconds) ? undefined : seconds;
}

function visibilityProblems(queue: IQueue, handler: IFunction): Problem[] {
  const visible = visibleSeconds(queue);
  const timeout = timeoutSeconds(handler);
  if (visible === undefined || timeout === undefined || visible >= timeout) return [];
  const rule = `must not be below the timeout of ${handler.node.path}, ${timeout} seconds`;
  return [{ property: 'visibilityTimeout', rule, value: visible }];
}

function checkVisibility(queue: IQueue, handler: IFunction, { maxBatchingWindow }: SqsEventSourceProps): void {
  const visible = visibleSeconds(queue);
  const timeout = timeoutSeconds(handler);
  if (visible === undefined || timeout === undefined) return;
  const wanted = VISIBILITY_PER_TIMEOUT * timeout + (knownSeconds(maxBatchingWindow) ?? 0);
  if (visible >= wanted) return;
  const message = `A visibility timeout of ${visible} s leaves ${handler.node.path} no room for a throttled batch: AWS asks for six times its timeout and the batching window, ${wanted} s.`;
  warn(queue, 'visibility-too-short', message);
}

function checkReceives(queue: IQueue, receives: number | undefined): void {
  if (receives === undefined || Token.isUnresolved(receives) || receives >= LEAST_RECEIVES) return;
  const message = `A message is moved after ${receives} receives, and a batch that Lambda throttled counts as received: use ${LEAST_RECEIVES} or more.`;
  warn(queue, 'too-few-receives', message);
}

/** The source, and what it makes of its function. */
class KnownSource extends SqsEventSource {
  public mapping?: EventSourceMapping;

  public override bind(target: IFunction): void {
    super.bind(target);
    const mapping = target.node.tryFindChild(`SqsEventSource:${Names.nodeUniqueId(this.queue.node)}`);
    if (mapping instanceof EventSourceMapping) this.mapping = mapping;
  }
}

/** Lets a function consume a queue. @param receives after so many a message is moved */
export function addConsumer(
  queue: IQueue,
  handler: IFunction,
  options: SqsEventSourceProps,
  receives: number | undefined,
): FunctionConsumer {
  throwProblems(queue.node.path, [...visibilityProblems(queue, handler), ...consumerProblems(queue, handler, options)]);
  checkVisibility(queue, handler, options);
  checkReceives(queue, receives);
  if (options.filters && options.filters.length > 0) {
    const message = `Lambda deletes each message that no filter of ${handler.node.path} matches: neither the function nor the dead-letter queue gets it.`;
    warn(queue, 'filters-delete-messages', message);
  }
  const source = new KnownSource(queue, { reportBatchItemFailures: true, ...options });
  handler.addEventSource(source);
  const { mapping } = source;
  if (!mapping) throw new Error(`${handler.node.path} has no mapping for ${queue.node.path}`);
  return { handler, mapping };
}
