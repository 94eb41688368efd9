import type { Caller } from '../kernel/caller';
import type { Key } from './key';
import type { KeyStore } from './key-store';

type ContextKeys = Caller['context'];

interface KeyRequest {
  readonly KeyId?: string | undefined;
  readonly EncryptionContext?: Readonly<Record<string, string>> | undefined;
  readonly BypassPolicyLockoutSafetyCheck?: boolean | undefined;
  readonly PendingWindowInDays?: number | undefined;
  readonly RotationPeriodInDays?: number | undefined;
}

/** The kind of every key here: the value of the key's condition keys. */
export const KIND_OF_KEY: ContextKeys = {
  'kms:CustomerMasterKeySpec': 'SYMMETRIC_DEFAULT',
  'kms:KeyOrigin': 'AWS_KMS',
  'kms:KeySpec': 'SYMMETRIC_DEFAULT',
  'kms:KeyUsage': 'ENCRYPT_DECRYPT',
  'kms:MultiRegion': 'false',
};

/** Actions that encrypt or decrypt. Their requests have an encryption algorithm and may have an encryption context. */
const CRYPTOGRAPHIC = /^(?:Decrypt|Encrypt|GenerateDataKey\w*)$/;

/**
 * The condition keys of a request on a key. KMS takes up to five minutes to follow a changed alias; here a change
 * applies at once.
 *
 * @param action without its prefix: `Decrypt`
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/alias-authorization.html
 */
export function conditionKeysOf(keys: KeyStore, key: Key, action: string, request: object): ContextKeys {
  const { KeyId, EncryptionContext = {}, ...given }: KeyRequest = request;
  const aliases = keys.allAliases().flatMap(([alias, keyId]) => (keyId === key.keyId ? [alias] : []));
  const alias = aliasIn(KeyId);
  return {
    ...KIND_OF_KEY,
    ...(aliases.length > 0 && { 'kms:ResourceAliases': aliases }),
    ...(alias !== undefined && { 'kms:RequestAlias': alias }),
    ...(CRYPTOGRAPHIC.test(action) && cryptographicKeys(EncryptionContext)),
    ...requestKeys(given),
  };
}

/** Returns the alias in the key id of a request, such as `alias/orders`. The key id may be an alias ARN. */
function aliasIn(keyId: string | undefined): string | undefined {
  return /^(?:arn:.*:)?(alias\/.+)$/.exec(keyId ?? '')?.[1];
}

const ENCRYPTION_CONTEXT = 'kms:EncryptionContext:';

function cryptographicKeys(encryptionContext: Readonly<Record<string, string>>): ContextKeys {
  const pairs = Object.entries(encryptionContext).map(([name, value]) => [`${ENCRYPTION_CONTEXT}${name}`, value]);
  const context: ContextKeys = Object.fromEntries(pairs);
  return { 'kms:EncryptionAlgorithm': 'SYMMETRIC_DEFAULT', ...context, ...encryptionContextKeys(context) };
}

export function encryptionContextKeys(context: ContextKeys): ContextKeys {
  const names = Object.keys(context).filter(key => key.startsWith(ENCRYPTION_CONTEXT));
  return names.length === 0
    ? {}
    : { 'kms:EncryptionContextKeys': names.map(key => key.slice(ENCRYPTION_CONTEXT.length)) };
}

/** The condition keys of parameters, which a request has only if it sets them. */
export function requestKeys(request: KeyRequest): ContextKeys {
  const { BypassPolicyLockoutSafetyCheck, PendingWindowInDays, RotationPeriodInDays } = request;
  const given = {
    'kms:BypassPolicyLockoutSafetyCheck': BypassPolicyLockoutSafetyCheck,
    'kms:RotationPeriodInDays': RotationPeriodInDays,
    'kms:ScheduleKeyDeletionPendingWindowInDays': PendingWindowInDays,
  };
  const set = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return Object.fromEntries(set);
}
