import { Names, Token } from 'aws-cdk-lib';
import { CfnEventSourceMapping, EventSourceMapping, FunctionBase, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource, type SqsEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { formatProblem, type Problem } from '../../../policy/problem';
import { functionBehind, ownedFunction } from '../../function/function-facts';
import { atSynthesis } from '../../shared/at-synthesis';
import { throwProblems, warn } from '../../shared/checks';
import { mentions } from '../../shared/mentions';
import type { FunctionConsumer } from '../function-consumer';
import { consumerProblems } from './consumer-checks';
import { ownedQueue, QUEUE_DEFAULTS } from './queue-facts';

/** A function asks for this many receives at least. @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const LEAST_RECEIVES = 5;

/** And for a visibility timeout of this many times its own. */
export const VISIBILITY_PER_TIMEOUT = 6;

/** What Lambda gives a function that states no timeout. */
const DEFAULT_TIMEOUT_SECONDS = 3;

/** The timeout of a function, or undefined where that is not known. */
export function timeoutSeconds(handler: IFunction): number | undefined {
  const resource = ownedFunction(functionBehind(handler));
  const seconds = resource && (resource.timeout ?? DEFAULT_TIMEOUT_SECONDS);
  return Token.isUnresolved(seconds) ? undefined : seconds;
}

/** How long a message a queue has given out stays invisible, or undefined where that is not known before deployment. */
export function visibleSeconds(queue: IQueue): number | undefined {
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

/** A function that consumes a queue, by whatever method it was made to. */
interface Consumer {
  readonly mapping: CfnEventSourceMapping;
  /** Undefined where it is not a construct of this app. */
  readonly handler: IFunction | undefined;
}

function consumersOf(queue: IQueue): Consumer[] {
  const all = queue.node.root.node.findAll();
  return all
    .filter(it => it instanceof CfnEventSourceMapping)
    .filter(mapping => mentions(mapping, mapping.eventSourceArn, queue.queueArn))
    .map(mapping => {
      const handler = all.find(it => it instanceof FunctionBase && it.functionName === mapping.functionName);
      return { mapping, handler: handler instanceof FunctionBase ? handler : undefined };
    });
}

function warnOfVisibility(queue: IQueue, { mapping, handler }: Consumer): void {
  const { maximumBatchingWindowInSeconds: windowSeconds = 0 } = mapping;
  const visible = visibleSeconds(queue);
  const timeout = handler && timeoutSeconds(handler);
  if (!handler || visible === undefined || timeout === undefined || Token.isUnresolved(windowSeconds)) return;
  const wanted = VISIBILITY_PER_TIMEOUT * timeout + windowSeconds;
  if (visible >= wanted) return;
  const message = `A visibility timeout of ${visible} s leaves ${handler.node.path} no room for a throttled batch: AWS asks for six times its timeout and the batching window, ${wanted} s.`;
  warn(queue, 'visibility-too-short', message);
}

function warnOfReceives(queue: IQueue, receives: number): void {
  if (Token.isUnresolved(receives) || receives >= LEAST_RECEIVES) return;
  const message = `A message is moved after ${receives} receives, and a batch that Lambda throttled counts as received: use ${LEAST_RECEIVES} or more.`;
  warn(queue, 'too-few-receives', message);
}

function warnOfFilters(queue: IQueue, { mapping, handler }: Consumer): void {
  const { filterCriteria } = mapping;
  const filters = filterCriteria && 'filters' in filterCriteria ? filterCriteria.filters : undefined;
  if (!Array.isArray(filters) || filters.length === 0) return;
  const message = `Lambda deletes each message that no filter of ${(handler ?? mapping).node.path} matches: neither the function nor the dead-letter queue gets it.`;
  warn(queue, 'filters-delete-messages', message);
}

/**
 * Judges at synthesis every function that consumes a queue, whoever made it do so.
 * @param receives after so many a message is moved
 */
export function judgeConsumers(queue: IQueue, receives: number): void {
  atSynthesis(queue, () => {
    const consumers = consumersOf(queue);
    for (const consumer of consumers) {
      warnOfVisibility(queue, consumer);
      warnOfFilters(queue, consumer);
    }
    if (consumers.length > 0) warnOfReceives(queue, receives);
  });
  const validate = () => {
    const handlers = consumersOf(queue).flatMap(({ handler }) => handler ?? []);
    return handlers.flatMap(handler => visibilityProblems(queue, handler)).map(formatProblem);
  };
  queue.node.addValidation({ validate });
}

/** The source, and what it makes of its function. */
class KnownSource extends SqsEventSource {
  public mapping?: EventSourceMapping;

  public override bind(target: IFunction): void {
    super.bind(target);
    const mapping = mappingOf(this.queue, target);
    if (mapping instanceof EventSourceMapping) this.mapping = mapping;
  }
}

/** What a function has below it once it consumes a queue, by the name aws-cdk-lib gives it. */
function mappingOf(queue: IQueue, handler: IFunction): IConstruct | undefined {
  return handler.node.tryFindChild(`SqsEventSource:${Names.nodeUniqueId(queue.node)}`);
}

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html */
function twiceProblems(queue: IQueue, handler: IFunction): Problem[] {
  const rule = 'must not consume the queue already, for Lambda maps a queue to a function once';
  return mappingOf(queue, handler) ? [{ property: 'handler', rule, value: handler.node.path }] : [];
}

/** Lets a function consume a queue. */
export function addConsumer(queue: IQueue, handler: IFunction, options: SqsEventSourceProps): FunctionConsumer {
  throwProblems(queue.node.path, [
    ...twiceProblems(queue, handler),
    ...visibilityProblems(queue, handler),
    ...consumerProblems(queue, handler, options),
  ]);
  const source = new KnownSource(queue, { reportBatchItemFailures: true, ...options });
  handler.addEventSource(source);
  const { mapping } = source;
  if (!mapping) throw new Error(`${handler.node.path} has no mapping for ${queue.node.path}`);
  return { handler, mapping };
}
