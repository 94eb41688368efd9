import type { Key } from '../key';
import { type KmsAction, keyNamed, kmsPage, onKey } from './kms-action';

/**
 * Checks the key's policy and the caller's. AWS also requires permission on the alias.
 *
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateAlias.html
 */
export const createAlias = onKey(
  'CreateAlias',
  input => input.TargetKeyId,
  (kms, { keyId }, { AliasName = '' }) => kms.createAlias(AliasName, keyId),
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_UpdateAlias.html */
export const updateAlias = onKey(
  'UpdateAlias',
  input => input.TargetKeyId,
  (kms, { keyId }, { AliasName = '' }) => kms.updateAlias(AliasName, keyId),
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_DeleteAlias.html */
export const deleteAlias = onKey(
  'DeleteAlias',
  input => input.AliasName,
  (kms, _key, { AliasName = '' }) => kms.deleteAlias(AliasName),
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_ListAliases.html */
export const listAliases: KmsAction<'ListAliases'> = {
  permission: 'kms:ListAliases',
  resourceOf: (kms, { KeyId }) => (KeyId === undefined ? { arn: '*' } : keyNamed(kms, KeyId)),
  run: (kms, { input }, target) => {
    const { keys } = kms;
    const wanted = input.KeyId === undefined ? undefined : keys.find(target.arn)?.keyId;
    const aliases = keys.allAliases().filter(([, keyId]) => wanted === undefined || keyId === wanted);
    const { items, more } = kmsPage(aliases, input);
    const dated = (key: Key | undefined) => ({ CreationDate: new Date(key?.createdAtMs ?? 0) });
    return {
      Aliases: items.map(([AliasName, TargetKeyId]) => ({
        AliasName,
        AliasArn: keys.arnOf(AliasName),
        TargetKeyId,
        ...dated(keys.find(TargetKeyId)),
      })),
      ...more,
    };
  },
};
