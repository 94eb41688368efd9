import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import type { Protocol } from '../../lib/policy/protocol';
import type { Place } from '../kernel/place';
import type { Message, MessageAttributes } from './message';
import { signingCertUrl } from './signing/certificate';
import { signatureOf } from './signing/signature';
import type { Subscription } from './subscription';

const DEFAULT_SIGNATURE_VERSION = '1';

/** What every subscriber's envelope of one message says alike, in AWS's order. */
export interface SignedNotification {
  readonly Type: 'Notification';
  readonly MessageId: string;
  readonly TopicArn: string;
  readonly Subject?: string;
  readonly Message: string;
  readonly Timestamp: string;
  readonly SignatureVersion: string;
  readonly Signature: string;
  readonly SigningCertURL: string;
}

/** A message attribute as envelopes show it. */
interface EnvelopedAttribute {
  readonly Type: string;
  readonly Value: string;
}

function enveloped({ DataType = '', StringValue, BinaryValue }: MessageAttributeValue): EnvelopedAttribute {
  const Value = BinaryValue === undefined ? (StringValue ?? '') : Buffer.from(BinaryValue).toString('base64');
  return { Type: DataType, Value };
}

function envelopedAttributes(attributes: MessageAttributes): Readonly<Record<string, EnvelopedAttribute>> {
  return Object.fromEntries(Object.entries(attributes).map(([name, attribute]) => [name, enveloped(attribute)]));
}

/** One member a line, as SNS lays its envelopes out. */
function laidOut(members: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(members).map(([name, value]) => {
    const text = name === 'MessageAttributes' ? laidOutAttributes(value as object) : JSON.stringify(value);
    return `  ${JSON.stringify(name)} : ${text}`;
  });
  return `{\n${lines.join(',\n')}\n}`;
}

function laidOutAttributes(attributes: object): string {
  const lines = Object.entries(attributes).map(
    ([name, value]) => `    ${JSON.stringify(name)} : ${JSON.stringify(value)}`,
  );
  return `{\n${lines.join(',\n')}\n  }`;
}

/**
 * Puts messages into the envelopes endpoints receive. The signed part is made once for all subscribers of a message who
 * receive the same text.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html
 */
export class Envelopes {
  private readonly signed = new WeakMap<Message, Map<string, SignedNotification>>();
  private readonly certUrl: string;
  private readonly apiUrl: string;

  constructor(place: Place) {
    this.certUrl = signingCertUrl(place);
    this.apiUrl = `https://sns.${place.region}.${place.urlSuffix}/`;
  }

  /** The JSON an enveloped subscription receives. */
  notification(message: Message, subscription: Subscription): string {
    const attributes = envelopedAttributes(message.attributes);
    return laidOut({
      ...this.signedPart(message, subscription.protocol),
      UnsubscribeURL: this.unsubscribeUrl(subscription),
      ...(Object.keys(attributes).length > 0 && { MessageAttributes: attributes }),
    });
  }

  /**
   * The event a function receives: other letter case at the end of two names, and every member always present.
   * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
   */
  lambdaEvent(message: Message, subscription: Subscription): string {
    const signed = this.signedPart(message, subscription.protocol);
    return JSON.stringify({
      Records: [
        {
          EventSource: 'aws:sns',
          EventVersion: '1.0',
          EventSubscriptionArn: subscription.arn,
          Sns: {
            Type: signed.Type,
            MessageId: signed.MessageId,
            TopicArn: signed.TopicArn,
            Subject: signed.Subject ?? null,
            Message: signed.Message,
            Timestamp: signed.Timestamp,
            SignatureVersion: signed.SignatureVersion,
            Signature: signed.Signature,
            SigningCertUrl: signed.SigningCertURL,
            UnsubscribeUrl: this.unsubscribeUrl(subscription),
            MessageAttributes: envelopedAttributes(message.attributes),
          },
        },
      ],
    });
  }

  /** What asks an endpoint to confirm. */
  confirmation(subscription: Subscription, messageId: string, timestamp: string): string {
    const { topic, token } = subscription;
    const members = {
      Type: 'SubscriptionConfirmation',
      MessageId: messageId,
      Token: token,
      TopicArn: topic.arn,
      Message: `You have chosen to subscribe to the topic ${topic.arn}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`,
      SubscribeURL: `${this.apiUrl}?Action=ConfirmSubscription&TopicArn=${topic.arn}&Token=${token}`,
      Timestamp: timestamp,
    };
    const version = topic.signatureVersion ?? DEFAULT_SIGNATURE_VERSION;
    return laidOut({
      ...members,
      SignatureVersion: version,
      Signature: signatureOf(members, version),
      SigningCertURL: this.certUrl,
    });
  }

  private unsubscribeUrl({ arn }: Subscription): string {
    return `${this.apiUrl}?Action=Unsubscribe&SubscriptionArn=${arn}`;
  }

  private signedPart(message: Message, protocol: Protocol): SignedNotification {
    const body = message.bodyFor(protocol);
    const byBody = this.signed.get(message) ?? new Map<string, SignedNotification>();
    const known = byBody.get(body);
    if (known) return known;
    const signed = this.sign(message, body);
    this.signed.set(message, byBody.set(body, signed));
    return signed;
  }

  private sign(message: Message, body: string): SignedNotification {
    const { id, topic, subject, timestamp } = message;
    const members = {
      Type: 'Notification' as const,
      MessageId: id,
      TopicArn: topic.arn,
      ...(subject !== undefined && { Subject: subject }),
      Message: body,
      Timestamp: timestamp,
    };
    const version = topic.signatureVersion ?? DEFAULT_SIGNATURE_VERSION;
    return {
      ...members,
      SignatureVersion: version,
      Signature: signatureOf(members, version),
      SigningCertURL: this.certUrl,
    };
  }
}
