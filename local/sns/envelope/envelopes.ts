import type { LazyText } from '../../kernel/messaging';
import type { Place } from '../../kernel/place';
import type { Message } from '../publish/message';
import type { SignatureVersion, Subscription, Topic } from '../topic/topic-and-subscription';
import { CommonPart, envelopedAttributes, laidOut, memberLine } from './envelope-text';
import { type Signer, signatureOf, signingCertUrl } from './signing';

const DEFAULT_SIGNATURE_VERSION = '1';

/**
 * Recorded on AWS: the event of a function names version 1, whatever the version of the topic. Its signature is of the
 * topic's version, so the event of a topic of version 2 names SHA-1 and is signed with SHA-256.
 */
const NAMED_SIGNATURE_VERSION = '1';

/** The texts of control messages. `subject` is the ARN of the topic or subscription. */
const CONTROL_TEXTS = {
  SubscriptionConfirmation: (subject: string) =>
    `You have chosen to subscribe to the topic ${subject}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`,
  UnsubscribeConfirmation: (subject: string) =>
    `You have chosen to deactivate subscription ${subject}.\nTo cancel this operation and restore the subscription, visit the SubscribeURL included in this message.`,
} as const;

export type ControlMessageType = keyof typeof CONTROL_TEXTS;

/** A subscription or unsubscribe confirmation. */
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
 * Builds the envelopes that endpoints receive. Subscriptions that receive the same text of a message share the common
 * part of the envelope and its signature.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html
 */
export class Envelopes {
  private readonly certUrl: string;
  private readonly apiUrl: string;
  private readonly ownParts = new WeakMap<Subscription, string>();
  /** Common parts of the latest message. The deliveries of one message follow one another, so one message is enough. */
  private latest: { readonly message: Message; readonly parts: Map<string, CommonPart> } | undefined;

  constructor(
    place: Place,
    private readonly sign: Signer = signatureOf,
  ) {
    this.certUrl = signingCertUrl(place);
    this.apiUrl = `https://sns.${place.region}.${place.urlSuffix}/`;
  }

  /** Returns the JSON for a subscription without raw message delivery. */
  notification(message: Message, subscription: Subscription): string | LazyText {
    const common = this.commonPart(message, subscription.textKey, versionOf(message.topic));
    const notification = new Notification(common, this.ownPart(subscription));
    // SQS does not check the characters of a text that is built lazily. This text has characters that SQS must refuse,
    // so build it now.
    return common.isPlain ? notification : notification.toString();
  }

  /**
   * Returns the event for a function. Two names end in `Url` instead of `URL`, and every member is present.
   * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
   */
  lambdaEvent(message: Message, subscription: Subscription): string {
    const { body, signature } = this.commonPart(message, subscription.textKey, versionOf(message.topic));
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
            SignatureVersion: signature && NAMED_SIGNATURE_VERSION,
            Signature: signature?.toString(),
            SigningCertUrl: this.certUrl,
            UnsubscribeUrl: this.unsubscribeUrl(subscription),
            MessageAttributes: envelopedAttributes(message.attributes),
          },
        },
      ],
    });
  }

  /** Returns the body of a subscription or unsubscribe confirmation. */
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
      Signature: this.sign(members, version),
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
    const part = new CommonPart(message, body, version, this.sign);
    parts.set(key, part);
    return part;
  }

  /** Returns the text between the signature and the attributes. */
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

/** The JSON for a subscription without raw message delivery. Built and signed when it is read. */
class Notification implements LazyText {
  readonly byteLength: number;

  constructor(
    private readonly common: CommonPart,
    /** The subscription's own part, in ASCII. */
    private readonly own: string,
  ) {
    this.byteLength = common.byteLengthWith(own);
  }

  toString(): string {
    return this.common.with(this.own);
  }
}
