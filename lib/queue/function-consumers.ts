import { Names, Token } from 'aws-cdk-lib';
import { CfnEventSourceMapping, EventSourceMapping, FunctionBase, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource, type SqsEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { BATCH_SIZE_WITHOUT_WINDOW, VISIBILITY_PER_TIMEOUT } from '../../policy/aws-limits';
import { isObject } from '../../policy/json-members';
import { formatProblem, type Problem } from '../../policy/problem';
import { needsCdk } from '../shared/cdk-features';
import {
  absentProblems,
  atSynthesis,
  integerProblems,
  knownSeconds,
  mismatchProblems,
  secondsProblems,
  throwProblems,
  warn,
} from '../shared/checks';
import { functionBehind, mentions, ownedFunction } from '../shared/construct-tree';
import { ownedQueue, QUEUE_DEFAULTS } from './queue-checks';

/** A function that consumes a queue. */
export interface FunctionConsumer {
  /** The function. */
  readonly handler: IFunction;

  /** The event source mapping, which polls the queue and invokes the function. It can be disabled. */
  readonly mapping: EventSourceMapping;
}

/**
 * The minimum number of receives that AWS recommends for a function.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
const MIN_RECEIVES = 5;

const DEFAULT_TIMEOUT_SECONDS = 3;

/** The timeout of a function; undefined if it is not known. */
export function timeoutSeconds(handler: IFunction): number | undefined {
  const resource = ownedFunction(functionBehind(handler));
  const seconds = resource && (resource.timeout ?? DEFAULT_TIMEOUT_SECONDS);
  return Token.isUnresolved(seconds) ? undefined : seconds;
}

/** The visibility timeout of a queue; undefined if it is not known before deployment. */
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

/** A function that consumes a queue, added by any method. */
interface Consumer {
  readonly mapping: CfnEventSourceMapping;
  /** Undefined if the function is not a construct of this app. */
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
  const message = `A visibility timeout of ${visible} s leaves ${handler.node.path} no time for a throttled batch. AWS recommends six times its timeout plus the batching window: ${wanted} s.`;
  warn(queue, 'visibility-too-short', message);
}

function warnOfReceives(queue: IQueue, receives: number): void {
  if (Token.isUnresolved(receives) || receives >= MIN_RECEIVES) return;
  const message = `A message is moved after ${receives} receives, and a batch that Lambda throttled counts as received: use ${MIN_RECEIVES} or more.`;
  warn(queue, 'too-few-receives', message);
}

function warnOfFilters(queue: IQueue, { mapping, handler }: Consumer): void {
  const { filterCriteria } = mapping;
  const filters = filterCriteria && 'filters' in filterCriteria ? filterCriteria.filters : undefined;
  if (!Array.isArray(filters) || filters.length === 0) return;
  const message = `Lambda deletes each message that matches no filter of ${(handler ?? mapping).node.path}: neither the function nor the dead-letter queue gets it.`;
  warn(queue, 'filters-delete-messages', message);
}

/**
 * Checks at synthesis all functions that consume a queue, added by any method.
 * @param receives the maximum receive count
 */
export function checkConsumers(queue: IQueue, receives: number): void {
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

/** The event source, which keeps the mapping it creates. */
class KnownSource extends SqsEventSource {
  public mapping?: EventSourceMapping;

  public override bind(target: IFunction): void {
    super.bind(target);
    const mapping = mappingOf(this.queue, target);
    if (mapping instanceof EventSourceMapping) this.mapping = mapping;
  }
}

/** The mapping below a function, found by the construct id that aws-cdk-lib gives it. */
function mappingOf(queue: IQueue, handler: IFunction): IConstruct | undefined {
  return handler.node.tryFindChild(`SqsEventSource:${Names.nodeUniqueId(queue.node)}`);
}

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html */
function twiceProblems(queue: IQueue, handler: IFunction): Problem[] {
  const rule = 'must not consume the queue already, because Lambda maps a queue to a function only once';
  return mappingOf(queue, handler) ? [{ property: 'handler', rule, value: handler.node.path }] : [];
}

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

/**
 * The maximum that AWS grants on request; the default is 5.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 */
const MAX_FILTERS = 10;

function batchProblems({ fifo }: IQueue, { batchSize, maxBatchingWindow }: SqsEventSourceProps): Problem[] {
  const window = maxBatchingWindow && (knownSeconds(maxBatchingWindow) ?? 'a token');
  const windowed = !fifo && maxBatchingWindow !== undefined && knownSeconds(maxBatchingWindow) !== 0;
  const max = windowed ? 10_000 : BATCH_SIZE_WITHOUT_WINDOW;
  const unit = windowed || fifo ? undefined : 'without maxBatchingWindow';
  return [
    ...integerProblems('batchSize', batchSize, { min: 1, max, ...(unit && { unit }) }),
    ...secondsProblems('maxBatchingWindow', maxBatchingWindow, { min: 0, max: 300 }),
    ...(fifo ? absentProblems('maxBatchingWindow', window, 'where the queue is FIFO') : []),
  ];
}

function scalingProblems({ maxConcurrency, provisionedPollerConfig }: SqsEventSourceProps): Problem[] {
  const { minimumPollers: least, maximumPollers: most } = provisionedPollerConfig ?? {};
  const known = !Token.isUnresolved(least) && !Token.isUnresolved(most);
  const crossed = known && least !== undefined && most !== undefined && least > most;
  return [
    ...needsCdk('provisionedPollerConfig', provisionedPollerConfig, '2.254.0'),
    ...integerProblems('maxConcurrency', maxConcurrency, { min: 2, max: 1_000 }),
    ...integerProblems('provisionedPollerConfig.minimumPollers', least, { min: 2, max: 200 }),
    ...integerProblems('provisionedPollerConfig.maximumPollers', most, { min: 2, max: 2_000 }),
    ...(crossed
      ? [
          {
            property: 'provisionedPollerConfig.minimumPollers',
            rule: `must be at most maximumPollers, ${most}`,
            value: least,
          },
        ]
      : []),
    ...(provisionedPollerConfig
      ? absentProblems('maxConcurrency', maxConcurrency, 'where provisionedPollerConfig is present')
      : []),
  ];
}

/** Whether a value is an object whose leaves are lists. AWS validates the operators. */
function isPattern(value: unknown): boolean {
  if (!isObject(value)) return false;
  const members = Object.values(value);
  return members.length > 0 && members.every(it => (Array.isArray(it) ? it.length > 0 : isPattern(it)));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function filterProblems({ filters = [], filterEncryption: key }: SqsEventSourceProps): Problem[] {
  const rule = 'must be created by FilterCriteria.filter from an object whose leaves are lists of values to match';
  return [
    ...(filters.length > MAX_FILTERS
      ? [{ property: 'filters', rule: `must be at most ${MAX_FILTERS}`, value: filters.length }]
      : []),
    ...(filters.length === 0 ? absentProblems('filterEncryption', key?.node.path, 'where filters is absent') : []),
    ...filters.flatMap((filter, index) => {
      const pattern: unknown = filter['pattern'];
      if (Token.isUnresolved(pattern)) return [];
      const fits = typeof pattern === 'string' && isPattern(parsed(pattern));
      return fits ? [] : [{ property: `filters[${index}]`, rule, value: pattern ?? filter }];
    }),
  ];
}

/**
 * Returns everything Lambda would reject about how a function consumes a queue.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html
 */
function consumerProblems(queue: IQueue, handler: IFunction, options: SqsEventSourceProps): Problem[] {
  const regionRule = 'must be in the Region of the queue,';
  return [
    ...batchProblems(queue, options),
    ...scalingProblems(options),
    ...filterProblems(options),
    ...mismatchProblems('handler', regionRule, queue.env.region, handler.env.region),
  ];
}
