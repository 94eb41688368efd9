import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { GenerateDataKeyRequest } from '@aws-sdk/client-kms';
import { AwsError } from '../../kernel/aws-error';
import { Constraints } from '../../kernel/constraints';
import type { Random } from '../../kernel/random';
import { MissingResource } from '../../kernel/service-api';
import { conditionKeysOf } from '../condition-keys';
import type { Key } from '../key';
import type { KeyStore } from '../key-store';
import type { KmsState } from '../kms-state';
import { checkUsable, type KmsFamily, keyNamed, onAnyKey } from './kms-action';

const ALGORITHM = 'SYMMETRIC_DEFAULT' as const;
/** The most bytes that KMS encrypts itself. Data keys are for more. */
const MOST_BYTES = 4096;
const BYTES_OF_SPEC = { AES_128: 16, AES_256: 32 } as const;
const MOST_DATA_KEY_BYTES = 1024;

/** The members that every use of a key has. */
interface Use {
  readonly EncryptionAlgorithm?: string | undefined;
  readonly DryRun?: boolean | undefined;
}

function checkUse(key: Key, { EncryptionAlgorithm: algorithm = ALGORITHM, DryRun }: Use): void {
  checkUsable(key);
  if (algorithm !== ALGORITHM) {
    throw new AwsError(
      'InvalidKeyUsageException',
      `${key.arn} key usage is ENCRYPT_DECRYPT with ${ALGORITHM}, got ${algorithm}`,
    );
  }
  if (DryRun) {
    throw new AwsError(
      'DryRunOperationException',
      'The request would have succeeded, but the DryRun option is set.',
      412,
    );
  }
}

type DataKeyRequest = Pick<GenerateDataKeyRequest, 'KeySpec' | 'NumberOfBytes' | 'DryRun'>;

export const cryptographyActions = {
  Encrypt: onAnyKey((kms, key, input) => {
    const { Plaintext = new Uint8Array(), EncryptionContext } = input;
    new Constraints().hiddenLength('plaintext', Plaintext.byteLength, 1, MOST_BYTES).check();
    checkUse(key, input);
    return {
      CiphertextBlob: encryptUnder(kms.keys, key, Plaintext, EncryptionContext, kms.context.random),
      KeyId: key.arn,
      EncryptionAlgorithm: ALGORITHM,
    };
  }),

  /** Decrypts with the key that the ciphertext names. If the caller names a key, it must be the same. */
  Decrypt: {
    resourceOf: (kms, { CiphertextBlob = new Uint8Array(), KeyId }) => {
      const named = KeyId === undefined ? undefined : keyNamed(kms, KeyId);
      if (named instanceof MissingResource) return named;
      const usedId = keyIdIn(CiphertextBlob) ?? '';
      const used = kms.keysWith(usedId).find(usedId);
      if (!used) return new MissingResource(named?.arn ?? '*', invalidCiphertext());
      if (!named || named.keyId === used.keyId) return used;
      return new MissingResource(named.arn, incorrectKey());
    },
    contextOf: (input, key: Key, kms) => conditionKeysOf(kms.keys, key, 'Decrypt', input),
    run: (kms, { input }, key: Key) => {
      checkUse(key, input);
      const { CiphertextBlob = new Uint8Array(), EncryptionContext } = input;
      const Plaintext = decryptUnder(kms.keysWith(key.keyId), key, CiphertextBlob, EncryptionContext);
      return { KeyId: key.arn, Plaintext, EncryptionAlgorithm: ALGORITHM };
    },
  },

  GenerateDataKey: onAnyKey((kms, key, input) => {
    const Plaintext = newDataKey(kms, key, input);
    const CiphertextBlob = encryptUnder(kms.keys, key, Plaintext, input.EncryptionContext, kms.context.random);
    return { CiphertextBlob, Plaintext, KeyId: key.arn };
  }),

  GenerateDataKeyWithoutPlaintext: onAnyKey((kms, key, input) => {
    const plaintext = newDataKey(kms, key, input);
    const CiphertextBlob = encryptUnder(kms.keys, key, plaintext, input.EncryptionContext, kms.context.random);
    return { CiphertextBlob, KeyId: key.arn };
  }),
} satisfies KmsFamily;

function incorrectKey(): AwsError {
  return new AwsError(
    'IncorrectKeyException',
    'The key ID in the request does not identify a CMK that can perform this operation.',
  );
}

function newDataKey(kms: KmsState, key: Key, input: DataKeyRequest): Uint8Array {
  const { KeySpec, NumberOfBytes } = input;
  if ((KeySpec === undefined) === (NumberOfBytes === undefined)) {
    throw new AwsError('ValidationException', 'Please specify either number of bytes or key spec.');
  }
  const bytes = KeySpec === undefined ? NumberOfBytes : BYTES_OF_SPEC[KeySpec];
  if (bytes === undefined || !(Number.isInteger(bytes) && bytes >= 1 && bytes <= MOST_DATA_KEY_BYTES)) {
    throw new AwsError(
      'ValidationException',
      `A data key must be AES_128 or AES_256, or from 1 to ${MOST_DATA_KEY_BYTES} bytes, got ${KeySpec ?? NumberOfBytes}`,
    );
  }
  checkUse(key, input);
  return Buffer.from(kms.context.random.hex(bytes * 2), 'hex');
}

/** The first bytes of every ciphertext here. The id of its key follows. */
const MAGIC = Buffer.from('DLO1');
const KEY_ID_BYTES = 36;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** Encrypts with a key's material and an encryption context. */
function encryptUnder(
  keys: KeyStore,
  key: Key,
  plaintext: Uint8Array,
  context: EncryptionContext | undefined,
  random: Random,
): Uint8Array {
  const iv = Buffer.from(random.hex(IV_BYTES * 2), 'hex');
  const cipher = createCipheriv(CIPHER, keys.materialOf(key), iv);
  cipher.setAAD(canonical(context));
  const encrypted = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([MAGIC, Buffer.from(key.keyId, 'latin1'), iv, cipher.getAuthTag(), encrypted]);
}

/** The id of the key that a ciphertext names; undefined for any other bytes. */
function keyIdIn(ciphertext: Uint8Array): string | undefined {
  const bytes = Buffer.from(ciphertext);
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (bytes.length < MAGIC.length + KEY_ID_BYTES + IV_BYTES + TAG_BYTES) return undefined;
  return bytes.subarray(MAGIC.length, MAGIC.length + KEY_ID_BYTES).toString('latin1');
}

function decryptUnder(
  keys: KeyStore,
  key: Key,
  ciphertext: Uint8Array,
  context: EncryptionContext | undefined,
): Uint8Array {
  const rest = Buffer.from(ciphertext).subarray(MAGIC.length + KEY_ID_BYTES);
  const iv = rest.subarray(0, IV_BYTES);
  const decipher = createDecipheriv(CIPHER, keys.materialOf(key), iv);
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

function invalidCiphertext(): AwsError {
  return new AwsError('InvalidCiphertextException', '');
}

type EncryptionContext = Readonly<Record<string, string>>;

/** The authenticated data of an encryption context, independent of the order of its pairs. */
function canonical(context: EncryptionContext | undefined): Buffer {
  const pairs = Object.entries(context ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify(pairs));
}
