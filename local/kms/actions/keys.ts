import type { CreateKeyRequest } from '@aws-sdk/client-kms';
import { DAY_MS } from '../../../policy/time-units';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { readPolicyText } from '../../policy-document/policy';
import { KIND_OF_KEY, requestKeys } from '../condition-keys';
import { type Key, ROTATION_BOUNDS_DAYS, ROTATION_DAYS, resourceTags } from '../key';
import { checkUsable, type KmsFamily, keyMetadata, keyNamed, kmsPage, onAnyKey, onKey } from './kms-action';

/** The only supported kind of key: the value that each member may have. */
const ONLY_VALUES = {
  KeySpec: 'SYMMETRIC_DEFAULT',
  CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
  KeyUsage: 'ENCRYPT_DECRYPT',
  Origin: 'AWS_KMS',
  MultiRegion: false,
} as const satisfies Partial<Record<keyof CreateKeyRequest, unknown>>;

const POLICY_NAME = 'default';

export const keyActions = {
  CreateKey: {
    contextOf: input => ({ ...KIND_OF_KEY, ...requestKeys(input) }),
    run: (kms, { input }) => {
      for (const [member, only] of Object.entries(ONLY_VALUES)) {
        const value: unknown = input[member as keyof typeof ONLY_VALUES];
        if (value !== undefined && value !== only) throw notImplemented(`keys whose ${member} is ${String(value)}`);
      }
      const { Policy, Description, BypassPolicyLockoutSafetyCheck, Tags } = input;
      const key = kms.createKey({
        tags: resourceTags(Tags),
        ...(Policy !== undefined && { policy: readPolicyText(Policy, 'resource', malformedPolicy) }),
        description: Description,
        bypassPolicyLockoutSafetyCheck: BypassPolicyLockoutSafetyCheck,
      });
      return { KeyMetadata: keyMetadata(key, kms.context.place.account) };
    },
  },

  DescribeKey: onAnyKey((kms, key) => ({ KeyMetadata: keyMetadata(key, kms.context.place.account) })),

  ListKeys: {
    run: (kms, { input }) => {
      const { items, more } = kmsPage(kms.keys.all(), input);
      return { Keys: items.map(({ keyId, arn }) => ({ KeyId: keyId, KeyArn: arn })), ...more };
    },
  },

  EnableKey: onKey((kms, { keyId }) => kms.enableKey(keyId)),

  DisableKey: onKey((kms, { keyId }) => kms.disableKey(keyId)),

  UpdateKeyDescription: onKey((kms, { keyId }, { Description = '' }) =>
    kms.change(keyId, { description: Description }),
  ),

  ScheduleKeyDeletion: onKey((kms, { keyId }, { PendingWindowInDays: days = 30 }) => {
    kms.scheduleKeyDeletion(keyId, days);
    const { arn, deletionAtMs = 0 } = kms.describeKey(keyId);
    return {
      KeyId: arn,
      DeletionDate: new Date(deletionAtMs),
      KeyState: 'PendingDeletion' as const,
      PendingWindowInDays: days,
    };
  }),

  CancelKeyDeletion: onKey((kms, { keyId, arn }) => {
    kms.cancelKeyDeletion(keyId);
    return { KeyId: arn };
  }),

  GetKeyPolicy: onKey((_kms, { policy }, { PolicyName }) => {
    checkPolicyName(PolicyName);
    return { Policy: JSON.stringify(policy, undefined, 2), PolicyName: POLICY_NAME };
  }),

  PutKeyPolicy: onKey((kms, { keyId }, { PolicyName, Policy = '', BypassPolicyLockoutSafetyCheck = false }) => {
    checkPolicyName(PolicyName);
    kms.putKeyPolicy(keyId, readPolicyText(Policy, 'resource', malformedPolicy), BypassPolicyLockoutSafetyCheck);
  }),

  ListKeyPolicies: onKey(() => ({ PolicyNames: [POLICY_NAME], Truncated: false })),

  GetKeyRotationStatus: onAnyKey((kms, { arn, rotation }) => {
    if (!rotation) return { KeyId: arn, KeyRotationEnabled: false };
    const { periodDays, sinceMs } = rotation;
    const periodMs = periodDays * DAY_MS;
    const rotations = Math.floor((kms.context.timeline.nowMs - sinceMs) / periodMs);
    return {
      KeyId: arn,
      KeyRotationEnabled: true,
      RotationPeriodInDays: periodDays,
      NextRotationDate: new Date(sinceMs + (rotations + 1) * periodMs),
    };
  }),

  /**
   * Enables rotation. The key's material does not change here, because callers cannot observe a rotation on AWS either.
   */
  EnableKeyRotation: onKey((kms, key, { RotationPeriodInDays: days = ROTATION_DAYS }) => {
    checkUsable(key);
    const { min, max } = ROTATION_BOUNDS_DAYS;
    if (!(Number.isInteger(days) && days >= min && days <= max)) {
      throw new AwsError('ValidationException', `RotationPeriodInDays must be from ${min} to ${max}, got ${days}`);
    }
    kms.changeRotation(key.keyId, days);
  }),

  DisableKeyRotation: onKey((kms, key) => {
    checkUsable(key);
    kms.changeRotation(key.keyId, undefined);
  }),

  TagResource: onKey((kms, { keyId }, { Tags }) => kms.customerKey(keyId).tags.put(resourceTags(Tags))),

  UntagResource: onKey((kms, { keyId }, { TagKeys }) => kms.customerKey(keyId).tags.remove(TagKeys)),

  ListResourceTags: onKey((_kms, { tags }, input) => {
    const { items, more } = kmsPage(tags.list(), input);
    return { Tags: items.map(({ Key, Value }) => ({ TagKey: Key, TagValue: Value })), ...more };
  }),

  /** Checks the key's policy and the caller's. AWS also requires permission on the alias. */
  CreateAlias: onKey(
    (kms, { keyId }, { AliasName = '' }) => kms.createAlias(AliasName, keyId),
    ({ TargetKeyId }) => TargetKeyId,
  ),

  UpdateAlias: onKey(
    (kms, { keyId }, { AliasName = '' }) => kms.updateAlias(AliasName, keyId),
    ({ TargetKeyId }) => TargetKeyId,
  ),

  DeleteAlias: onKey(
    (kms, _key, { AliasName = '' }) => kms.deleteAlias(AliasName),
    ({ AliasName }) => AliasName,
  ),

  ListAliases: {
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
  },
} satisfies KmsFamily;

function malformedPolicy(problem = 'it is not a policy document'): AwsError {
  return new AwsError('MalformedPolicyDocumentException', `The policy cannot be used: ${problem}`);
}

function checkPolicyName(name: string = POLICY_NAME): void {
  if (name !== POLICY_NAME) throw new AwsError('NotFoundException', `No such policy exists: ${name}`);
}
