import { createHmac } from 'node:crypto';
import { type NotificationEnvelope, subscriptionArnOf } from '../../policy/messages/envelope';
import type { Problem } from '../../policy/problem';
import type { Headers } from '../../policy/relay/headers';

/** What a request's headers are made of. */
export interface HeaderParts {
  readonly envelope: NotificationEnvelope;
  readonly contentType: string;
  readonly rawMessageDelivery: boolean;
  readonly headers: Headers;
  /** They override `headers`; names are compared without regard to case. */
  readonly secretHeaders?: Headers;
  readonly signature?: Headers;
}

const USER_AGENT = 'Dead Letter Office Relay';

/** Later headers override earlier ones; names are compared without regard to case. Usually only `last` has any. */
function merged(before: readonly Headers[], last: Headers): Record<string, string> {
  const all = before.filter(headers => Object.keys(headers).length > 0);
  if (all.length === 0) return { ...last };
  const byName = new Map<string, readonly [string, string]>();
  for (const headers of [...all, last]) {
    for (const [name, value] of Object.entries(headers)) byName.set(name.toLowerCase(), [name, value]);
  }
  return Object.fromEntries(byName.values());
}

/**
 * Returns the headers that SNS would send, with the user's own headers and a signature.
 * @see https://docs.aws.amazon.com/sns/latest/dg/http-header.html
 */
export function requestHeaders(parts: HeaderParts): Record<string, string> {
  const { envelope, contentType, rawMessageDelivery, headers, secretHeaders, signature } = parts;
  const subscriptionArn = subscriptionArnOf(envelope);
  const own = {
    'Content-Type': contentType,
    'User-Agent': USER_AGENT,
    'x-amz-sns-message-type': envelope.Type,
    'x-amz-sns-message-id': envelope.MessageId,
    'x-amz-sns-topic-arn': envelope.TopicArn,
    ...(subscriptionArn !== undefined && { 'x-amz-sns-subscription-arn': subscriptionArn }),
    ...(rawMessageDelivery && { 'x-amz-sns-rawdelivery': 'true' }),
  };
  return merged([headers, secretHeaders ?? {}], { ...own, ...signature });
}

/** A key of Standard Webhooks. */
export interface SigningKey {
  readonly bytes: Uint8Array;
}

/** The key that a secret contains, or what is wrong with it. */
export type SigningKeyReading =
  | { readonly kind: 'key'; readonly key: SigningKey }
  | { readonly kind: 'malformed'; readonly problem: Problem };

const PREFIX = 'whsec_';

/**
 * Limits of a key's length.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme
 */
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads a secret such as `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`. Blanks and line ends around it are ignored. A problem does not
 * show any part of it.
 *
 * @param property names the secret in a problem
 */
export function readSigningSecret(property: string, text: string): SigningKeyReading {
  const malformed = (rule: string, value: unknown): SigningKeyReading => ({
    kind: 'malformed',
    problem: { property, rule, value },
  });
  const secret = text.trim();
  if (!secret.startsWith(PREFIX)) {
    return malformed(`must begin with ${PREFIX}`, `${secret.length} characters that do not`);
  }
  const encoded = secret.slice(PREFIX.length);
  if (!BASE64.test(encoded)) {
    return malformed(`must be base64 with its padding after ${PREFIX}`, `${encoded.length} characters that are not`);
  }
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length < MIN_KEY_BYTES || bytes.length > MAX_KEY_BYTES) {
    return malformed(`must be a key of ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes`, `${bytes.length} bytes`);
  }
  return { kind: 'key', key: { bytes } };
}

/** What is signed. */
export interface SignedMessage {
  /** The same in every attempt, so that receivers recognize duplicates. */
  readonly id: string;
  /** The time of this attempt. Receivers reject times that are minutes off. */
  readonly atMs: number;
  readonly body: string;
}

/**
 * Returns the headers of Standard Webhooks with a signature by each key. While a key is rotated, receivers may use either one.
 * @see https://www.standardwebhooks.com
 */
export function signatureHeaders(keys: readonly SigningKey[], { id, atMs, body }: SignedMessage) {
  const timestamp = String(Math.floor(atMs / 1_000));
  const content = `${id}.${timestamp}.${body}`;
  const signatures = keys.map(({ bytes }) => `v1,${createHmac('sha256', bytes).update(content).digest('base64')}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
