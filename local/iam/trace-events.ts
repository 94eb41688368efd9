import type { Refused, ServiceContext } from '../kernel/service-api';

/**
 * The trace events of IAM: changes of its resources. Decisions are not recorded here: the service that refuses a call
 * records the refusal.
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
  | { readonly type: 'iam.policy-created' | 'iam.policy-updated' | 'iam.policy-deleted'; readonly policyArn: string }
  | Refused<'iam'>;

export type IamContext = Pick<ServiceContext<IamTraceEvent>, 'place' | 'timeline' | 'random' | 'trace'>;
