import type { Refused, ServiceContext } from '../kernel/service-api';

/**
 * The trace events of IAM: changes of its resources, and decisions that are unknown. The service that refuses a call records
 * the refusal.
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
  | { readonly type: 'iam.boundary-changed'; readonly roleArn: string; readonly policyArn: string | undefined }
  /** A request was allowed although it is unknown whether the role's managed policies allow it. Recorded once per request. */
  | {
      readonly type: 'iam.decision-unknown';
      readonly roleArn: string;
      readonly policyArns: readonly string[];
      readonly action: string;
      readonly resource: string;
    }
  | { readonly type: 'iam.policy-created' | 'iam.policy-updated' | 'iam.policy-deleted'; readonly policyArn: string }
  | Refused<'iam'>;

export interface IamContext extends Pick<ServiceContext<IamTraceEvent>, 'place' | 'timeline' | 'random' | 'trace'> {
  /** Whether clients may attach managed policies whose documents are unknown. @default false */
  readonly allowsUnknownPolicies?: boolean;
}
