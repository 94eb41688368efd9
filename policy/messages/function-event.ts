import type { EnvelopedAttribute, NotificationEnvelope } from './envelope';

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
