import { Token } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { SqsEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Problem } from '../../../policy/problem';
import { absentProblems, integerProblems, knownSeconds, mismatchProblems, secondsProblems } from '../../shared/checks';

/** Messages a batch has without a window, and a batch of a FIFO queue at most. */
const MOST_WITHOUT_WINDOW = 10;

/** As many as AWS grants on request; 5 without. @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html */
const MOST_FILTERS = 10;

function batchProblems({ fifo }: IQueue, { batchSize, maxBatchingWindow }: SqsEventSourceProps): Problem[] {
  const window = maxBatchingWindow && (knownSeconds(maxBatchingWindow) ?? 'a token');
  const windowed = !fifo && maxBatchingWindow !== undefined && knownSeconds(maxBatchingWindow) !== 0;
  const max = windowed ? 10_000 : MOST_WITHOUT_WINDOW;
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

/** An object whose every end is a list of what to match; which operators there are is left to AWS. */
function isPattern(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
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
  const rule = 'must be what FilterCriteria.filter makes of an object whose every end is a list of what to match';
  return [
    ...(filters.length > MOST_FILTERS
      ? [{ property: 'filters', rule: `must be at most ${MOST_FILTERS}`, value: filters.length }]
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

/** Everything Lambda would reject of how a function consumes a queue. @see https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html */
export function consumerProblems(queue: IQueue, handler: IFunction, options: SqsEventSourceProps): Problem[] {
  const regionRule = 'must be in the Region of the queue,';
  return [
    ...batchProblems(queue, options),
    ...scalingProblems(options),
    ...filterProblems(options),
    ...mismatchProblems('handler', regionRule, queue.env.region, handler.env.region),
  ];
}
