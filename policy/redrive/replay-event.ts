import {
  type EnvelopedAttribute,
  type NotificationEnvelope,
  readEnvelope,
  subscriptionArnOf,
} from '../messages/envelope';
import type { FunctionDestination } from './redrive-settings';

/** What a dead letter contains for a function. */
type ReplayReading =
  /** `event` is JSON. */
  | { readonly kind: 'event'; readonly event: string }
  /** `reason` completes a sentence that begins with the message: `is not JSON`. */
  | { readonly kind: 'none'; readonly cause: 'not-an-event'; readonly reason: string };

function none(reason: string): ReplayReading {
  return { kind: 'none', cause: 'not-an-event', reason };
}

/** Parses JSON. Returns undefined if the text is not JSON. */
function read(body: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(body) };
  } catch {
    return undefined;
  }
}

/** Whether Lambda wrote the message. A subscription may share its dead-letter queue with the function itself. */
function isFunctionEvent(body: string): boolean {
  const { Records } = Object(read(body)?.value) as { readonly Records?: unknown };
  return Array.isArray(Records) && Records.some(record => Object(record).EventSource === 'aws:sns');
}

/**
 * Whether it is Lambda's record of an invocation, for a destination, and not the event itself.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-async-destinations
 */
function isInvocationRecord(value: unknown): boolean {
  const { requestContext, requestPayload } = Object(value) as Readonly<Record<string, unknown>>;
  return requestPayload !== undefined && typeof Object(requestContext).condition === 'string';
}

function asItIs(body: string): ReplayReading {
  const json = read(body);
  if (!json) return none('is not JSON');
  if (isInvocationRecord(json.value))
    return none('is the record of an invocation, for a destination, and not an event');
  return { kind: 'event', event: body };
}

/**
 * Returns the event with which to invoke a function for a dead letter. Lambda's dead letters are used as they are. An
 * SNS envelope is turned into the event that SNS would have sent.
 */
export function readReplay(
  body: string,
  { bodyIs, subscriptionArn }: Pick<FunctionDestination, 'bodyIs' | 'subscriptionArn'>,
): ReplayReading {
  if (bodyIs === 'event') return asItIs(body);
  const reading = readEnvelope(body);
  if (reading.kind === 'none') return isFunctionEvent(body) ? { kind: 'event', event: body } : none(reading.reason);
  const arn = subscriptionArn ?? subscriptionArnOf(reading.envelope);
  if (arn === undefined) return none('names no subscription, and neither do the settings');
  return { kind: 'event', event: JSON.stringify(functionEvent(reading.envelope, arn)) };
}

/**
 * A notification as SNS passes it to a function. Two names have other letter case than in an envelope, and members that
 * an envelope omits are present and empty.
 */
interface FunctionNotification {
  readonly Type: 'Notification';
  readonly MessageId: string;
  readonly TopicArn: string;
  readonly Subject: string | null;
  readonly Message: string;
  /** ISO 8601, to the millisecond. */
  readonly Timestamp: string;
  readonly SignatureVersion?: string;
  readonly Signature?: string;
  readonly SigningCertUrl?: string;
  readonly UnsubscribeUrl?: string;
  readonly MessageAttributes: Readonly<Record<string, EnvelopedAttribute>>;
}

interface FunctionEvent {
  readonly Records: readonly [
    {
      readonly EventSource: 'aws:sns';
      readonly EventVersion: '1.0';
      readonly EventSubscriptionArn: string;
      readonly Sns: FunctionNotification;
    },
  ];
}

/**
 * Builds the event with which SNS would have invoked a subscribed function, from the envelope in the subscription's
 * dead-letter queue. The signature is that of the envelope, in the topic's signature version. SNS itself always signs
 * events for functions with version 1.
 *
 * @param subscriptionArn of the function's subscription
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
 */
export function functionEvent(envelope: NotificationEnvelope, subscriptionArn: string): FunctionEvent {
  const { Type, MessageId, TopicArn, Subject = null, Message, Timestamp, MessageAttributes = {} } = envelope;
  const { SignatureVersion, Signature, SigningCertURL, UnsubscribeURL } = envelope;
  const Sns: FunctionNotification = {
    Type,
    MessageId,
    TopicArn,
    Subject,
    Message,
    Timestamp,
    ...(SignatureVersion !== undefined && { SignatureVersion }),
    ...(Signature !== undefined && { Signature }),
    ...(SigningCertURL !== undefined && { SigningCertUrl: SigningCertURL }),
    ...(UnsubscribeURL !== undefined && { UnsubscribeUrl: UnsubscribeURL }),
    MessageAttributes,
  };
  return { Records: [{ EventSource: 'aws:sns', EventVersion: '1.0', EventSubscriptionArn: subscriptionArn, Sns }] };
}

export interface ReplayedFunction {
  readonly timeoutSeconds: number;
  /** The ARN of its on-success destination. @default - no such destination */
  readonly onSuccessArn?: string;
}

/**
 * The highest timeout of a function to which a `Redrive` replays, in seconds. Its own function waits for the result, and runs
 * for 15 minutes at most itself. So two minutes remain for reading the state, for the first call, and for deleting the messages.
 */
export const MAX_REPLAYED_TIMEOUT_SECONDS = 780;

/**
 * How long to wait for a result beyond the timeout of the function, in milliseconds: a new execution environment is started
 * before the timeout begins.
 */
const START_AND_ANSWER_MS = 20_000;

/** How long a synchronous invocation can take until Lambda has answered. */
export function invocationMs({ timeoutSeconds }: Pick<ReplayedFunction, 'timeoutSeconds'>): number {
  return timeoutSeconds * 1_000 + START_AND_ANSWER_MS;
}

/**
 * Why no event may be replayed to a function; undefined if events may be.
 *
 * A replay waits for the result of the function, and deletes the message only after a success. An asynchronous invocation would
 * lose the event if the function failed and its dead-letter queue refused the event. Lambda sends the result of an
 * asynchronous invocation to the on-success destination, and never that of a synchronous one.
 *
 * @param maxTimeoutSeconds the caller can wait no longer than this
 * @returns completes a sentence that begins with the function: `has a timeout of …`
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-sync.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
export function replayProblem(
  { timeoutSeconds, onSuccessArn }: ReplayedFunction,
  maxTimeoutSeconds: number,
): string | undefined {
  if (onSuccessArn !== undefined) {
    return `has an on-success destination, ${onSuccessArn}, to which Lambda sends nothing after a replay: a replay waits for the result, so it is a synchronous invocation`;
  }
  if (timeoutSeconds > maxTimeoutSeconds) {
    return `has a timeout of ${timeoutSeconds} seconds, and a replay can wait at most ${maxTimeoutSeconds} seconds for the result`;
  }
  return undefined;
}
