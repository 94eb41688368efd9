import type { PolicyDocument } from '../kernel/access';
import type { ResourceTags } from '../kernel/resource-tags';

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
