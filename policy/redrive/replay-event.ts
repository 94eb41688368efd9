import { readEnvelope, subscriptionArnOf } from '../messages/envelope';
import { functionEvent } from '../messages/function-event';
import type { FunctionDestination } from './redrive-settings';
import { withReplayMark } from './replay-mark';

/**
 * Bytes an event may have: 1 MB.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const MOST_EVENT_BYTES = 1_048_576;

/** What a dead letter holds for a function. */
export type ReplayReading =
  /** `event` is JSON, and marked as replayed where there is room. */
  | { readonly kind: 'event'; readonly event: string }
  /** `reason` completes a sentence that begins with the letter: `is not JSON`. */
  | { readonly kind: 'none'; readonly cause: 'not-an-event' | 'too-large'; readonly reason: string };

function none(reason: string): ReplayReading {
  return { kind: 'none', cause: 'not-an-event', reason };
}

function marked(event: string): ReplayReading {
  const bytes = Buffer.byteLength(event);
  if (bytes > MOST_EVENT_BYTES) {
    const reason = `has ${bytes} bytes, and an event may have ${MOST_EVENT_BYTES}`;
    return { kind: 'none', cause: 'too-large', reason };
  }
  const withMark = withReplayMark(event);
  return { kind: 'event', event: Buffer.byteLength(withMark) > MOST_EVENT_BYTES ? event : withMark };
}

/** What the JSON is; undefined where it is none. */
function read(body: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(body) };
  } catch {
    return undefined;
  }
}

/** Whether Lambda put it there: a subscription may share its dead-letter queue with the function itself. */
function isFunctionEvent(body: string): boolean {
  const { Records } = Object(read(body)?.value) as { readonly Records?: unknown };
  return Array.isArray(Records) && Records.some(record => Object(record).EventSource === 'aws:sns');
}

/**
 * Whether it is what Lambda tells a destination of an invocation, and not the event itself.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-async-destinations
 */
function isInvocationRecord(value: unknown): boolean {
  const { requestContext, requestPayload } = Object(value) as Readonly<Record<string, unknown>>;
  return requestPayload !== undefined && typeof Object(requestContext).condition === 'string';
}

function asItIs(body: string): ReplayReading {
  const json = read(body);
  if (!json) return none('is not JSON');
  if (isInvocationRecord(json.value)) return none('is the record of an invocation, for a destination, and no event');
  return marked(body);
}

/**
 * What a function is to be invoked with for a dead letter: what Lambda left behind as it is, and SNS's envelope made into the
 * event SNS would have invoked it with.
 */
export function readReplay(
  body: string,
  { bodyIs, subscriptionArn }: Pick<FunctionDestination, 'bodyIs' | 'subscriptionArn'>,
): ReplayReading {
  if (bodyIs === 'event') return asItIs(body);
  const reading = readEnvelope(body);
  if (reading.kind === 'none') return isFunctionEvent(body) ? marked(body) : none(reading.reason);
  const arn = subscriptionArn ?? subscriptionArnOf(reading.envelope);
  if (arn === undefined) return none('names no subscription, and nobody else does');
  return marked(JSON.stringify(functionEvent(reading.envelope, arn)));
}
