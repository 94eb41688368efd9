/** One attribute of a message, as an envelope shows it. */
export interface EnvelopedAttribute {
  /** `String`, `String.Array`, `Number` or `Binary`. */
  readonly Type: string;
  /** Of a binary attribute, in base64. */
  readonly Value: string;
}

/**
 * What SNS puts into a queue whose subscription has no raw message delivery. What is optional is absent, never null.
 * @see https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html
 */
export interface NotificationEnvelope {
  readonly Type: 'Notification';
  readonly MessageId: string;
  /** Of a FIFO topic. */
  readonly SequenceNumber?: string;
  readonly TopicArn: string;
  readonly Subject?: string;
  readonly Message: string;
  /** ISO 8601, to the millisecond. */
  readonly Timestamp: string;
  /** Like the two that follow, absent from a FIFO topic's. */
  readonly SignatureVersion?: string;
  readonly Signature?: string;
  readonly SigningCertURL?: string;
  readonly UnsubscribeURL?: string;
  readonly MessageAttributes?: Readonly<Record<string, EnvelopedAttribute>>;
}

/** What came of reading a queue's message. */
export type EnvelopeReading =
  | { readonly kind: 'notification'; readonly envelope: NotificationEnvelope }
  /** `reason` completes a sentence that begins with the message: `is not JSON`. */
  | { readonly kind: 'none'; readonly reason: string };
