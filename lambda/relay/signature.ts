import { createHmac } from 'node:crypto';
import type { Problem } from '../../policy/problem';

/** A key of Standard Webhooks. */
export interface SigningKey {
  readonly bytes: Uint8Array;
}

/** What came of reading a secret with a key. */
export type SigningKeyReading =
  | { readonly kind: 'key'; readonly key: SigningKey }
  | { readonly kind: 'malformed'; readonly problem: Problem };

const PREFIX = 'whsec_';

/**
 * How long a key may be.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme
 */
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads a secret such as `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`; blanks and line ends around it are left out. What is
 * wrong is told without showing any of it.
 *
 * @param property where it is from
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
  /** The same on every attempt: who receives it tells repetitions by it. */
  readonly id: string;
  /** Of this attempt; receivers refuse what is minutes off. */
  readonly atMs: number;
  readonly body: string;
}

/**
 * The headers of Standard Webhooks: a signature by each key, so that receivers may go over to a new one while both are sent.
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
