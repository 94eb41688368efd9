import type { Tag } from '@aws-sdk/client-kms';
import { keyServiceNames } from '../../policy/arn';
import { ownMember } from '../../policy/json-members';
import type { PolicyDocument } from '../kernel/access';
import { AwsError } from '../kernel/aws-error';
import type { Place } from '../kernel/place';
import { type ResourceTag, type ResourceTags, TAG_RULES, type TagRules } from '../kernel/tags';

/** @see https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html */
export type KeyState = 'Enabled' | 'Disabled' | 'PendingDeletion';

/** A symmetric encryption key, with its policy and its state. */
export interface Key {
  readonly keyId: string;
  readonly arn: string;
  /** AWS managed keys (`alias/aws/sqs`) cannot be changed. */
  readonly manager: 'AWS' | 'CUSTOMER';
  readonly policy: PolicyDocument;
  readonly state: KeyState;
  readonly description: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  /** When a key that is pending deletion will be deleted. */
  readonly deletionAtMs?: number;
  /** Undefined when rotation is off. */
  readonly rotation?: { readonly periodDays: number; readonly sinceMs: number };
  readonly tags: ResourceTags;
}

/**
 * The policy of a key created without one: it delegates to the account's identity policies.
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

/** What follows `alias/aws/` in the predefined aliases, each of an AWS managed key that AWS creates on first use. */
const SERVICES_WITH_KEYS: ReadonlySet<string> = new Set(
  `acm backup codecommit dynamodb ebs elasticfilesystem es fsx glue kinesis kinesisvideo lambda rds redshift s3 secretsmanager sns sqs
ssm workspaces xray`.split(/\s/),
);

/** The service by which `kms:ViaService` knows an alias, where it has another name. */
const VIA: Readonly<Record<string, string>> = { ebs: 'ec2' };

/**
 * The service of a predefined alias: DescribeKey and others create its key. Undefined for other names.
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_DescribeKey.html
 */
export function serviceOfAwsManagedKey(aliasName: string): string | undefined {
  const name = isAliasOfAws(aliasName) ? aliasName.slice(ALIAS_OF_AWS.length) : '';
  return SERVICES_WITH_KEYS.has(name) ? (ownMember(VIA, name) ?? name) : undefined;
}

const ALIAS_OF_AWS = 'alias/aws/';

export const isAliasOfAws = (name: string): boolean => name.startsWith(ALIAS_OF_AWS);

/**
 * The policy of an AWS managed key. It allows principals of the account through its service. A service that calls on
 * its own behalf belongs to no account. So SNS cannot send to a queue encrypted with `alias/aws/sqs`, and no grant can
 * change that.
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
            'kms:ViaService': keyServiceNames(service, place.region, place.urlSuffix),
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
 * The default number of days between two rotations.
 *
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/rotating-keys-enable.html
 */
export const ROTATION_DAYS = 365;

/** The allowed range of days. */
export const ROTATION_BOUNDS_DAYS = { min: 90, max: 2560 };

/**
 * The rules for tags of keys. **Assumption AWS-4:** The error texts are ours. @see
 * https://docs.aws.amazon.com/kms/latest/APIReference/API_TagResource.html
 */
export const KEY_TAGS: TagRules = {
  needsValues: true,
  refusesDuplicates: true,
  refuse: breaches => new AwsError('TagException', breaches.map(({ rule, text }) => TAG_RULES[rule](text)).join(' ')),
};

export function resourceTags(tags: readonly Tag[] = []): readonly ResourceTag[] {
  return tags.map(({ TagKey, TagValue }) => ({ Key: TagKey, Value: TagValue }));
}
