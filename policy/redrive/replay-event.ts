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
