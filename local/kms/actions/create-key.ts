import type { CreateKeyRequest } from '@aws-sdk/client-kms';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { readPolicyText } from '../../policy-document';
import { resourceTags } from '../tag-rules';
import { type KmsAction, keyMetadata } from './kms-action';

/** The only kind of key there is here: member, and the value it may have. */
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

export function malformedPolicy(problem = 'it is no policy'): AwsError {
  return new AwsError('MalformedPolicyDocumentException', `The policy cannot be used: ${problem}`);
}
