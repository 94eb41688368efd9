import type { PolicyDocument } from '../kernel/access';
import type { SessionCredentials } from '../kernel/credentials';
import type { ServiceContext } from '../kernel/services';
import type { StsTraceEvent } from './happenings';

export type StsContext = Pick<ServiceContext<StsTraceEvent>, 'place' | 'timeline' | 'access' | 'faults' | 'trace'>;

/** A role as STS knows it. */
export interface AssumableRole {
  readonly arn: string;
  /** `AROA…` */
  readonly id: string;
  readonly trustPolicy: PolicyDocument;
  readonly details: { readonly maxSessionSeconds: number };
}

/** What STS asks of IAM; IAM itself is one of these. */
export interface Roles {
  findRole(roleArn: string): AssumableRole | undefined;
  readonly credentials: {
    /** Without a role, it is a session of an administrator. */
    issueSession(session: {
      readonly roleArn?: string;
      readonly sessionName?: string;
      readonly expiresAtMs: number;
    }): SessionCredentials;
  };
}
