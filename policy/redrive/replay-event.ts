import {
  type EnvelopedAttribute,
  type NotificationEnvelope,
  readEnvelope,
  subscriptionArnOf,
} from '../messages/envelope';
import type { FunctionDestination } from './redrive-settings';

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

/**
 * What a replayed event ends with: white space, which is no part of what JSON says, so that a function that reads its event
 * sees the very same one.
 *
 * A function that fails again has Lambda put the event into the function's dead-letter queue byte for byte, and with it the
 * mark: nothing has to be remembered for a letter to be known that had its replay, whichever invocation meets it, and however
 * much later. A recording of AWS shows as much: of the event `{"raise_error": 1}`, blank included, the dead letter's MD5 is
 * `ba08269cbd0ce515889bfba6593731e1`. Were it ever to be lost, an invocation still knows the requests it has made itself.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-dlq
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-2
 */
const REPLAY_MARK = '\n\t \t\t \t';

/** Whether an event was replayed before. */
export function isReplayed(body: string): boolean {
  return body.endsWith(REPLAY_MARK);
}

export function withReplayMark(event: string): string {
  return isReplayed(event) ? event : `${event}${REPLAY_MARK}`;
}

/** As it was: whoever moves it back by hand gives it another replay. */
export function withoutReplayMark(event: string): string {
  return isReplayed(event) ? event.slice(0, -REPLAY_MARK.length) : event;
}

/**
 * A notification as SNS hands it to a function: two names end in other letter case than in an envelope, and what an envelope
 * leaves out is there, empty.
 */
export interface FunctionNotification {
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

/** The event with which SNS invokes a function. */
export interface FunctionEvent {
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
 * The event a subscribed function would have been invoked with, from the envelope SNS left in the subscription's dead-letter
 * queue. The signature is the envelope's: of the version the topic signs with, where SNS itself signs for functions with
 * version 1 whatever the topic says.
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
