import { createCipheriv, createDecipheriv } from 'node:crypto';
import { AwsError } from '../kernel/aws-error';
import type { Random } from '../kernel/random';
import type { Key } from './key';
import type { KeyStore } from './key-store';

/** The first bytes of every ciphertext here. The id of its key follows. */
const MAGIC = Buffer.from('DLO1');
const KEY_ID_BYTES = 36;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

/** Encrypts with a key's material and an encryption context. */
export function encrypt(
  keys: KeyStore,
  key: Key,
  plaintext: Uint8Array,
  context: EncryptionContext | undefined,
  random: Random,
): Uint8Array {
  const iv = Buffer.from(random.hex(IV_BYTES * 2), 'hex');
  const cipher = createCipheriv(ALGORITHM, keys.materialOf(key), iv);
  cipher.setAAD(canonical(context));
  const encrypted = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([MAGIC, Buffer.from(key.keyId, 'latin1'), iv, cipher.getAuthTag(), encrypted]);
}

/** The id of the key that a ciphertext names; undefined for any other bytes. */
export function keyIdIn(ciphertext: Uint8Array): string | undefined {
  const bytes = Buffer.from(ciphertext);
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (bytes.length < MAGIC.length + KEY_ID_BYTES + IV_BYTES + TAG_BYTES) return undefined;
  return bytes.subarray(MAGIC.length, MAGIC.length + KEY_ID_BYTES).toString('latin1');
}

export function decrypt(
  keys: KeyStore,
  key: Key,
  ciphertext: Uint8Array,
  context: EncryptionContext | undefined,
): Uint8Array {
  const rest = Buffer.from(ciphertext).subarray(MAGIC.length + KEY_ID_BYTES);
  const iv = rest.subarray(0, IV_BYTES);
  const decipher = createDecipheriv(ALGORITHM, keys.materialOf(key), iv);
  decipher.setAuthTag(rest.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  decipher.setAAD(canonical(context));
  const plain = decipher.update(rest.subarray(IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    // OpenSSL says only that it could not authenticate the data; AWS gives no reason at all.
    throw invalidCiphertext();
  }
}

export function invalidCiphertext(): AwsError {
  return new AwsError('InvalidCiphertextException', '');
}

type EncryptionContext = Readonly<Record<string, string>>;

/** The authenticated data of an encryption context, independent of the order of its pairs. */
function canonical(context: EncryptionContext | undefined): Buffer {
  const pairs = Object.entries(context ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify(pairs));
}
