/** Who asks for something. */
export type Principal =
  /** An AWS service acting for the owner of a resource, for example `sns.amazonaws.com`. */
  | { readonly kind: 'service'; readonly service: string }
  /** Somebody, or some function, who has assumed a role. */
  | { readonly kind: 'role'; readonly arn: string }
  /** An administrator of an account: the one who runs the command or the test. */
  | { readonly kind: 'account'; readonly account: string };

/** A principal and what AWS knows of the call: `aws:SourceArn`, `aws:SourceAccount`, `aws:SecureTransport`, … */
export interface Caller {
  readonly principal: Principal;
  /** Condition keys in their usual spelling. */
  readonly context: Readonly<Record<string, string>>;
}

/** The AWS service `service` calling on behalf of the resource `sourceArn`, which lives in `sourceAccount`. */
export function serviceCaller(service: string, sourceArn: string, sourceAccount: string): Caller {
  return {
    principal: { kind: 'service', service },
    context: { 'aws:SourceArn': sourceArn, 'aws:SourceAccount': sourceAccount, 'aws:SecureTransport': 'true' },
  };
}

/** A function, or a service, that acts with the permissions of the role `roleArn`. */
export function roleCaller(roleArn: string): Caller {
  return { principal: { kind: 'role', arn: roleArn }, context: { 'aws:SecureTransport': 'true' } };
}

/** An administrator of `account`. */
export function administrator(account: string): Caller {
  return { principal: { kind: 'account', account }, context: { 'aws:SecureTransport': 'true' } };
}
