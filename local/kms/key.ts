import type { Tag } from '@aws-sdk/client-kms';
import type { PolicyDocument } from '../kernel/access';
import { AwsError } from '../kernel/aws-error';
import type { Place } from '../kernel/place';
import { type ResourceTag, type ResourceTags, TAG_RULES, type TagRules } from '../kernel/tags';

/** @see https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html */
export type KeyState = 'Enabled' | 'Disabled' | 'PendingDeletion';

/** A symmetric encryption key: who may use it, and whether it can be used. */
export interface Key {
  readonly keyId: string;
  readonly arn: string;
  /** AWS's own keys (`alias/aws/sqs`) cannot be changed by anybody. */
  readonly manager: 'AWS' | 'CUSTOMER';
  readonly policy: PolicyDocument;
  readonly state: KeyState;
  readonly description: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  /** When a key that is pending deletion will be gone. */
  readonly deletionAtMs?: number;
  /** Undefined while its material is not rotated. */
  readonly rotation?: { readonly periodDays: number; readonly sinceMs: number };
  readonly tags: ResourceTags;
}

/**
 * The policy of a key that was made without one: the account's identity policies decide.
 *
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html
 */
export function defaultKeyPolicy(accountRootArn: string): PolicyDocument {
  return {
    Version: '2012-10-17',
    Id: 'key-default-1',
    Statement: [
      {
        Sid: 'Enable IAM User Permissions',
        Effect: 'Allow',
        Principal: { AWS: accountRootArn },
        Action: 'kms:*',
        Resource: '*',
      },
    ],
  };
}

/** The services here that have a key of AWS's own in every account, by alias. */
const SERVICE_OF_ALIAS: Readonly<Record<string, string>> = {
  'alias/aws/secretsmanager': 'secretsmanager',
  'alias/aws/sns': 'sns',
  'alias/aws/sqs': 'sqs',
  'alias/aws/ssm': 'ssm',
};

/** The service whose AWS-managed key the alias names. */
export function serviceOfAwsManagedKey(aliasName: string): string | undefined {
  return Object.hasOwn(SERVICE_OF_ALIAS, aliasName) ? SERVICE_OF_ALIAS[aliasName] : undefined;
}

/**
 * The policy of an AWS-managed key. It lets in whoever belongs to the account and comes through its service. A service
 * that calls in its own name belongs to no account: SNS sending to a queue under `alias/aws/sqs` is refused, and
 * nothing can be granted to it.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/concepts.html#aws-managed-cmk
 */
export function awsManagedKeyPolicy(service: string, place: Place, accountRootArn: string): PolicyDocument {
  return {
    Version: '2012-10-17',
    Id: `auto-${service}-1`,
    Statement: [
      {
        Sid: `Allow principals of the account that are authorized to use ${service}`,
        Effect: 'Allow',
        Principal: { AWS: '*' },
        Action: [
          'kms:Encrypt',
          'kms:Decrypt',
          'kms:ReEncrypt*',
          'kms:GenerateDataKey*',
          'kms:CreateGrant',
          'kms:DescribeKey',
        ],
        Resource: '*',
        Condition: {
          StringEquals: {
            'kms:CallerAccount': place.account,
            'kms:ViaService': `${service}.${place.region}.${place.urlSuffix}`,
          },
        },
      },
      {
        Sid: 'Allow direct access to key metadata to the account',
        Effect: 'Allow',
        Principal: { AWS: accountRootArn },
        Action: ['kms:Describe*', 'kms:Get*', 'kms:List*', 'kms:RevokeGrant'],
        Resource: '*',
      },
    ],
  };
}

/**
 * Days between two rotations, unless a key says otherwise.
 *
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/rotating-keys-enable.html
 */
export const ROTATION_DAYS = 365;

/** How few and how many days there may be. */
export const ROTATION_BOUNDS_DAYS = { min: 90, max: 2560 };

/** The tags of keys. The texts are ours. @see https://docs.aws.amazon.com/kms/latest/APIReference/API_TagResource.html */
export const KEY_TAGS: TagRules = {
  needsValues: true,
  refusesDuplicates: true,
  refuse: breaches => new AwsError('TagException', breaches.map(({ rule, text }) => TAG_RULES[rule](text)).join(' ')),
};

/** KMS has names of its own for the halves of a tag. */
export function resourceTags(tags: readonly Tag[] = []): readonly ResourceTag[] {
  return tags.map(({ TagKey, TagValue }) => ({ Key: TagKey, Value: TagValue }));
}
