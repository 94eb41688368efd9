import type { Problem } from '../problem';

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
