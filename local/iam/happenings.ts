/** What IAM writes into the trace: what it holds, never what it decided; a refusal is told by the service refused at. */
export type IamHappening =
  | { readonly type: 'iam.role-created'; readonly roleArn: string }
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
  | { readonly type: 'iam.policy-created' | 'iam.policy-updated'; readonly policyArn: string };
