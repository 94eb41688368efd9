import type { Refused } from '../kernel/doorkeeper';

/**
 * What IAM writes into the trace: what it holds, never what it decided for others; a refusal is told by the service refused
 * at.
 */
export type IamTraceEvent =
  | { readonly type: 'iam.role-created' | 'iam.role-deleted'; readonly roleArn: string }
  | { readonly type: 'iam.trust-policy-updated'; readonly roleArn: string }
  | {
      readonly type: 'iam.role-policy-put' | 'iam.role-policy-deleted';
      readonly roleArn: string;
      readonly policyName: string;
    }
  | {
      readonly type: 'iam.role-policy-attached' | 'iam.role-policy-detached';
      readonly roleArn: string;
      readonly policyArn: string;
    }
  | { readonly type: 'iam.policy-created' | 'iam.policy-updated'; readonly policyArn: string }
  | Refused<'iam'>;
