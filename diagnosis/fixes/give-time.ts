import { displayNameOf } from '../../policy/arn';
import { knownValue } from '../../template/told';
import type { FunctionFacts, MappingFacts, QueueFacts } from '../inventory/inventory';
import type { AwsCall, Fix } from './fix';
import { setVisibilityTimeout } from './set-queue';

/** @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-timeout.html */
const MOST_TIMEOUT_SECONDS = 900;

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html */
const MOST_VISIBILITY_SECONDS = 43_200;

/** @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const VISIBILITY_TO_TIMEOUT = 6;

/** How much longer it gets. Our choice: nobody knows how long it would have taken. */
const FACTOR = 2;

/** How long a queue hides what a function with such a timeout works at, as AWS recommends it. */
export function visibilityFor(timeoutSeconds: number, batchingWindowSeconds = 0): number {
  return Math.min(VISIBILITY_TO_TIMEOUT * timeoutSeconds + batchingWindowSeconds, MOST_VISIBILITY_SECONDS);
}

/** Has a queue hide for long enough what a function works at; undefined where it does, or that is not known. */
export function hideLonger(queue: QueueFacts | undefined, seconds: number): AwsCall | undefined {
  const now = queue && knownValue(queue.visibilityTimeoutSeconds);
  if (!queue || now === undefined || now >= seconds) return undefined;
  return setVisibilityTimeout(queue, seconds).calls?.[0];
}

/** Where a function's events come from, if they come from a queue. */
export interface FedBy {
  readonly queue: QueueFacts | undefined;
  readonly mapping: MappingFacts;
}

/** Gives a function that ran out of time twice as much, and the queue it reads the visibility timeout for that. */
export function giveTime(facts: FunctionFacts, fedBy?: FedBy): Fix {
  const timeoutSeconds = knownValue(facts.timeoutSeconds);
  const name = displayNameOf(facts.arn);
  const see = 'See in its log what it waits for';
  if (timeoutSeconds === undefined || timeoutSeconds >= MOST_TIMEOUT_SECONDS) {
    return { says: `${see}: the function ${name} has all the time Lambda gives, or nobody knows how much.` };
  }
  const Timeout = Math.min(FACTOR * timeoutSeconds, MOST_TIMEOUT_SECONDS);
  const window = fedBy ? (knownValue(fedBy.mapping.batchingWindowSeconds) ?? 0) : 0;
  const hide = hideLonger(fedBy?.queue, visibilityFor(Timeout, window));
  const also = hide ? `, and the queue ${fedBy?.queue?.name} a visibility timeout for that` : '';
  const input = { FunctionName: facts.arn, Timeout };
  return {
    says: `${see}; or give the function ${name} ${Timeout} seconds instead of ${timeoutSeconds}${also}.`,
    calls: [...(hide ? [hide] : []), { service: 'lambda', operation: 'UpdateFunctionConfiguration', input }],
  };
}
