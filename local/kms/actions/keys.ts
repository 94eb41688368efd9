import type { CreateKeyRequest } from '@aws-sdk/client-kms';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { DAY_MS } from '../../kernel/clock';
import { readPolicyText } from '../../policy-document';
import { KIND_OF_KEY, requestKeys } from '../condition-keys';
import { ROTATION_BOUNDS_DAYS, ROTATION_DAYS, resourceTags } from '../key';
import { checkUsable, type KmsAction, keyMetadata, kmsPage, onKey } from './kms-action';

/** The only supported kind of key: the value that each member may have. */
const ONLY_VALUES = {
  KeySpec: 'SYMMETRIC_DEFAULT',
  CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
  KeyUsage: 'ENCRYPT_DECRYPT',
  Origin: 'AWS_KMS',
  MultiRegion: false,
} as const satisfies Partial<Record<keyof CreateKeyRequest, unknown>>;

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateKey.html */
export const createKey: KmsAction<'CreateKey'> = {
  permission: 'kms:CreateKey',
  resourceOf: () => ({ arn: '*' }),
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
      ...(Description !== undefined && { description: Description }),
      ...(BypassPolicyLockoutSafetyCheck !== undefined && {
        bypassPolicyLockoutSafetyCheck: BypassPolicyLockoutSafetyCheck,
      }),
    });
    return { KeyMetadata: keyMetadata(key, kms.context.place.account) };
  },
};

function malformedPolicy(problem = 'it is not a policy document'): AwsError {
  return new AwsError('MalformedPolicyDocumentException', `The policy cannot be used: ${problem}`);
}

const POLICY_NAME = 'default';

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_DescribeKey.html */
export const describeKey = onKey(
  'DescribeKey',
  input => input.KeyId,
  (kms, key) => ({ KeyMetadata: keyMetadata(key, kms.context.place.account) }),
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_ListKeys.html */
export const listKeys: KmsAction<'ListKeys'> = {
  permission: 'kms:ListKeys',
  resourceOf: () => ({ arn: '*' }),
  run: (kms, { input }) => {
    const { items, more } = kmsPage(kms.keys.all(), input);
    return { Keys: items.map(({ keyId, arn }) => ({ KeyId: keyId, KeyArn: arn })), ...more };
  },
};

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_EnableKey.html */
export const enableKey = onKey(
  'EnableKey',
  input => input.KeyId,
  (kms, { keyId }) => kms.enableKey(keyId),
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_DisableKey.html */
export const disableKey = onKey(
  'DisableKey',
  input => input.KeyId,
  (kms, { keyId }) => kms.disableKey(keyId),
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_UpdateKeyDescription.html */
export const updateKeyDescription = onKey(
  'UpdateKeyDescription',
  input => input.KeyId,
  (kms, { keyId }, { Description = '' }) => kms.change(keyId, { description: Description }),
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_ScheduleKeyDeletion.html */
export const scheduleKeyDeletion = onKey(
  'ScheduleKeyDeletion',
  input => input.KeyId,
  (kms, { keyId }, { PendingWindowInDays: days = 30 }) => {
    kms.scheduleKeyDeletion(keyId, days);
    const { arn, deletionAtMs = 0 } = kms.describeKey(keyId);
    return {
      KeyId: arn,
      DeletionDate: new Date(deletionAtMs),
      KeyState: 'PendingDeletion' as const,
      PendingWindowInDays: days,
    };
  },
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_CancelKeyDeletion.html */
export const cancelKeyDeletion = onKey(
  'CancelKeyDeletion',
  input => input.KeyId,
  (kms, { keyId, arn }) => {
    kms.cancelKeyDeletion(keyId);
    return { KeyId: arn };
  },
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_GetKeyPolicy.html */
export const getKeyPolicy = onKey(
  'GetKeyPolicy',
  input => input.KeyId,
  (_kms, { policy }, { PolicyName }) => {
    checkPolicyName(PolicyName);
    return { Policy: JSON.stringify(policy, undefined, 2), PolicyName: POLICY_NAME };
  },
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_PutKeyPolicy.html */
export const putKeyPolicy = onKey(
  'PutKeyPolicy',
  input => input.KeyId,
  (kms, { keyId }, { PolicyName, Policy = '', BypassPolicyLockoutSafetyCheck = false }) => {
    checkPolicyName(PolicyName);
    kms.putKeyPolicy(keyId, readPolicyText(Policy, 'resource', malformedPolicy), BypassPolicyLockoutSafetyCheck);
  },
);

function checkPolicyName(name: string = POLICY_NAME): void {
  if (name !== POLICY_NAME) throw new AwsError('NotFoundException', `No such policy exists: ${name}`);
}

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_ListKeyPolicies.html */
export const listKeyPolicies = onKey(
  'ListKeyPolicies',
  input => input.KeyId,
  () => ({ PolicyNames: [POLICY_NAME], Truncated: false }),
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_GetKeyRotationStatus.html */
export const getKeyRotationStatus = onKey(
  'GetKeyRotationStatus',
  input => input.KeyId,
  (kms, { arn, rotation }) => {
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
  },
);

/**
 * Enables rotation. The key's material does not change here, because callers cannot observe a rotation on AWS either.
 *
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_EnableKeyRotation.html
 */
export const enableKeyRotation = onKey(
  'EnableKeyRotation',
  input => input.KeyId,
  (kms, key, { RotationPeriodInDays: days = ROTATION_DAYS }) => {
    checkUsable(key);
    const { min, max } = ROTATION_BOUNDS_DAYS;
    if (!(Number.isInteger(days) && days >= min && days <= max)) {
      throw new AwsError('ValidationException', `RotationPeriodInDays must be from ${min} to ${max}, got ${days}`);
    }
    kms.changeRotation(key.keyId, days);
  },
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_DisableKeyRotation.html */
export const disableKeyRotation = onKey(
  'DisableKeyRotation',
  input => input.KeyId,
  (kms, key) => {
    checkUsable(key);
    kms.changeRotation(key.keyId, undefined);
  },
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_TagResource.html */
export const tagResource = onKey(
  'TagResource',
  input => input.KeyId,
  (kms, { keyId }, { Tags }) => kms.customerKey(keyId).tags.put(resourceTags(Tags)),
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_UntagResource.html */
export const untagResource = onKey(
  'UntagResource',
  input => input.KeyId,
  (kms, { keyId }, { TagKeys }) => kms.customerKey(keyId).tags.remove(TagKeys),
);

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_ListResourceTags.html */
export const listResourceTags = onKey(
  'ListResourceTags',
  input => input.KeyId,
  (_kms, { tags }, input) => {
    const { items, more } = kmsPage(tags.list(), input);
    return { Tags: items.map(({ Key, Value }) => ({ TagKey: Key, TagValue: Value })), ...more };
  },
);
