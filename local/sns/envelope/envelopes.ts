import type { LazyText } from '../../kernel/messaging';
import type { Place } from '../../kernel/place';
import type { Message } from '../message';
import type { SignatureVersion, Subscription, Topic } from '../topic';
import { CommonPart, envelopedAttributes, laidOut, memberLine } from './envelope-text';
import { signatureOf, signingCertUrl } from './signing';

const DEFAULT_SIGNATURE_VERSION = '1';

/** Recorded: functions get version 1, whatever the topic says. */
const FUNCTION_SIGNATURE_VERSION = '1';

/** The texts that ask the owner of an endpoint for something; `subject` is the topic or the subscription it is about. */
const CONTROL_TEXTS = {
  SubscriptionConfirmation: (subject: string) =>
    `You have chosen to subscribe to the topic ${subject}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`,
  UnsubscribeConfirmation: (subject: string) =>
    `You have chosen to deactivate subscription ${subject}.\nTo cancel this operation and restore the subscription, visit the SubscribeURL included in this message.`,
} as const;

export type ControlMessageType = keyof typeof CONTROL_TEXTS;

/** What an endpoint is asked, and when. */
export interface ControlMessage {
  readonly type: ControlMessageType;
  readonly messageId: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

function versionOf({ signatureVersion }: Topic): SignatureVersion {
  return signatureVersion ?? DEFAULT_SIGNATURE_VERSION;
}

/**
 * Puts messages into the envelopes endpoints receive. What subscribers have in common is made once for all of a message who
 * receive the same text, and signed when the first of them reads it.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html
 */
export class Envelopes {
  private readonly certUrl: string;
  private readonly apiUrl: string;
  private readonly ownParts = new WeakMap<Subscription, string>();
  /** Of the message that was enveloped last: all of its subscribers come one after the other. */
  private latest: { readonly message: Message; readonly parts: Map<string, CommonPart> } | undefined;

  constructor(place: Place) {
    this.certUrl = signingCertUrl(place);
    this.apiUrl = `https://sns.${place.region}.${place.urlSuffix}/`;
  }

  /** The JSON an enveloped subscription receives. */
  notification(message: Message, subscription: Subscription): string | LazyText {
    const common = this.commonPart(message, subscription.textKey, versionOf(message.topic));
    const notification = new Notification(common, this.ownPart(subscription));
    // Whoever is handed a late text does not look at it, and this one has characters they may not take.
    return common.isPlain ? notification : notification.toString();
  }

  /**
   * The event a function receives: other letter case at the end of two names, and every member always present.
   * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
   */
  lambdaEvent(message: Message, subscription: Subscription): string {
    const { body, signature } = this.commonPart(message, subscription.textKey, FUNCTION_SIGNATURE_VERSION);
    return JSON.stringify({
      Records: [
        {
          EventSource: 'aws:sns',
          EventVersion: '1.0',
          EventSubscriptionArn: subscription.arn,
          Sns: {
            Type: 'Notification',
            MessageId: message.id,
            TopicArn: message.topic.arn,
            Subject: message.subject ?? null,
            Message: body,
            Timestamp: message.timestamp,
            SignatureVersion: signature?.version,
            Signature: signature?.toString(),
            SigningCertUrl: this.certUrl,
            UnsubscribeUrl: this.unsubscribeUrl(subscription),
            MessageAttributes: envelopedAttributes(message.attributes),
          },
        },
      ],
    });
  }

  /** What asks an endpoint to confirm its subscription, or offers it to restore the one that was deleted. */
  control(subscription: Subscription, { type, messageId, timestamp }: ControlMessage): string {
    const { topic, arn } = subscription;
    const { text: token } = subscription.token;
    const members = {
      Type: type,
      MessageId: messageId,
      Token: token,
      TopicArn: topic.arn,
      Message: CONTROL_TEXTS[type](type === 'SubscriptionConfirmation' ? topic.arn : arn),
      SubscribeURL: `${this.apiUrl}?Action=ConfirmSubscription&TopicArn=${topic.arn}&Token=${token}`,
      Timestamp: timestamp,
    };
    const version = versionOf(topic);
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

  private commonPart(message: Message, textKey: string, version: SignatureVersion): CommonPart {
    const body = message.bodyFor(textKey);
    if (this.latest?.message !== message) this.latest = { message, parts: new Map() };
    const { parts } = this.latest;
    const key = `${version}${body}`;
    const known = parts.get(key);
    if (known) return known;
    const part = new CommonPart(message, body, version);
    parts.set(key, part);
    return part;
  }

  /** What stands between the signature and the attributes. */
  private ownPart(subscription: Subscription): string {
    const known = this.ownParts.get(subscription);
    if (known !== undefined) return known;
    const unsubscribe = memberLine('UnsubscribeURL', this.unsubscribeUrl(subscription));
    const signed = `",\n${memberLine('SigningCertURL', this.certUrl)}`;
    const own = `${subscription.topic.fifo ? '' : signed},\n${unsubscribe}`;
    this.ownParts.set(subscription, own);
    return own;
  }
}

/** The JSON an enveloped subscription receives, which is signed when somebody reads it. */
export class Notification implements LazyText {
  readonly byteLength: number;

  constructor(
    private readonly common: CommonPart,
    /** What is the subscriber's own: nothing but ASCII. */
    private readonly own: string,
  ) {
    this.byteLength = common.byteLengthWith(own);
  }

  toString(): string {
    return this.common.with(this.own);
  }
}
