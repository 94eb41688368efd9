import type { KeyMetadata, KMS } from '@aws-sdk/client-kms';
import { AwsError } from '../../kernel/aws-error';
import { type Page, pageOf } from '../../kernel/page';
import { type ActionFamily, MissingResource, type ServiceAction } from '../../kernel/service-api';
import { conditionKeysOf } from '../condition-keys';
import type { Key } from '../key';
import type { KmsState } from '../kms-state';

export type KmsFamily = ActionFamily<KmsState, KMS>;

/**
 * An action on an existing key, by default that of `KeyId`. Other accounts cannot use it.
 *
 * @param keyIdOf the key id that the input names
 */
export function onKey<Input extends object, Output>(
  run: (kms: KmsState, key: Key, input: Input) => Output,
  keyIdOf: (input: Input) => string | undefined = ({ KeyId }: { KeyId?: string }) => KeyId,
) {
  return {
    isForOwnAccountOnly: true,
    resourceOf: (kms, input) => keyNamed(kms, keyIdOf(input)),
    contextOf: (input, key, kms, name) => conditionKeysOf(kms.keys, key, name, input),
    run: (kms, { input }, key) => run(kms, key, input),
  } satisfies ServiceAction<KmsState, Input, Output, Key>;
}

/** An action on an existing key that other accounts can use too, as far as the key's policy allows. */
export function onAnyKey<Input extends object, Output>(run: (kms: KmsState, key: Key, input: Input) => Output) {
  return { ...onKey(run), isForOwnAccountOnly: false };
}

/** @param keyId a key id, key ARN, alias name or alias ARN */
export function keyNamed(kms: KmsState, keyId = ''): Key | MissingResource {
  const key = kms.keys.find(keyId);
  return (
    key ??
    new MissingResource(keyId.startsWith('arn:') ? keyId : kms.keys.arnOf(`key/${keyId}`), kms.keys.notFound(keyId))
  );
}

export function checkUsable({ arn, state }: Key): void {
  if (state === 'Disabled') throw new AwsError('DisabledException', `${arn} is disabled.`);
  if (state === 'PendingDeletion') throw new AwsError('KMSInvalidStateException', `${arn} is pending deletion.`);
}

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_KeyMetadata.html */
export function keyMetadata(key: Key, account: string): KeyMetadata {
  const { keyId, arn, manager, state, description, createdAtMs, deletionAtMs } = key;
  return {
    AWSAccountId: account,
    KeyId: keyId,
    Arn: arn,
    CreationDate: new Date(createdAtMs),
    Enabled: state === 'Enabled',
    Description: description,
    KeyUsage: 'ENCRYPT_DECRYPT',
    KeyState: state,
    ...(deletionAtMs !== undefined && { DeletionDate: new Date(deletionAtMs) }),
    Origin: 'AWS_KMS',
    KeyManager: manager,
    CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
    KeySpec: 'SYMMETRIC_DEFAULT',
    EncryptionAlgorithms: ['SYMMETRIC_DEFAULT'],
    MultiRegion: false,
  };
}

const PAGE_SIZE = 100;
const MOST = 1000;

/** A page in KMS's form: `Truncated`, and a marker when there is more. */
export function kmsPage<Item>(
  all: readonly Item[],
  { Limit: limit = PAGE_SIZE, Marker }: { Limit?: number | undefined; Marker?: string | undefined },
): Pick<Page<Item>, 'items'> & { readonly more: { readonly Truncated: boolean; readonly NextMarker?: string } } {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MOST)) {
    throw new AwsError('ValidationException', `Limit must be a whole number from 1 to ${MOST}, got ${limit}`);
  }
  const invalid = () => new AwsError('InvalidMarkerException', 'Could not deserialize marker');
  const { items, nextToken } = pageOf(all, limit, Marker, invalid);
  return {
    items,
    more: { Truncated: nextToken !== undefined, ...(nextToken !== undefined && { NextMarker: nextToken }) },
  };
}
