import type { Credentials, STS } from '@aws-sdk/client-sts';
import type { PolicyDocument, SessionCredentials } from '../kernel/access';
import { AwsError } from '../kernel/aws-error';
import { Constraints } from '../kernel/constraints';
import type {
  InputOf,
  OutputOf,
  Refused,
  Resource,
  SdkActions,
  ServiceAction,
  ServiceContext,
} from '../kernel/service-api';

/** The actions of STS, by AWS's names. Nobody is federated here. */
export type StsActions = SdkActions<STS, 'AssumeRole' | 'GetCallerIdentity' | 'GetSessionToken'>;

export type StsActionName = keyof StsActions;

/** What the actions of STS work on. */
export interface StsState {
  readonly context: StsContext;
  readonly roles: Roles;
}

/** One API action: who may call it, what it is about, and what it does. */
export type StsAction<Name extends StsActionName, Target extends Resource = Resource> = ServiceAction<
  StsState,
  InputOf<StsActions[Name]>,
  OutputOf<StsActions[Name]>,
  Target
>;

export function validationError(text: string): AwsError {
  return new AwsError('ValidationError', text);
}

/** A whole number of seconds between bounds. @throws AwsError `ValidationError` */
export function sessionSeconds(given: number, { min, max }: { readonly min: number; readonly max: number }): number {
  new Constraints(validationError).range('durationSeconds', given, min, max).check();
  return given;
}

export function credentialsAnswer(
  { accessKeyId, secretAccessKey, sessionToken }: SessionCredentials,
  expiresAtMs: number,
): Credentials {
  return {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration: new Date(expiresAtMs),
  };
}

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

/** What STS writes into the trace: sessions, never their credentials. */
export type StsTraceEvent =
  | {
      readonly type: 'sts.role-assumed';
      readonly roleArn: string;
      readonly sessionName: string;
      readonly expiresAtMs: number;
    }
  | { readonly type: 'sts.session-token-issued'; readonly expiresAtMs: number }
  | Refused<'sts'>;
