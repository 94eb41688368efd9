import type { Credentials, STS } from '@aws-sdk/client-sts';
import type { PolicyDocument, SessionCredentials } from '../kernel/access';
import { AwsError } from '../kernel/aws-error';
import { Constraints } from '../kernel/constraints';
import type { InputOf, OutputOf, Resource, SdkActions, ServiceAction } from '../kernel/service-api';
import type { StsContext } from './trace-events';

/** The actions of STS. Federation is not simulated. */
export type StsActions = SdkActions<STS, 'AssumeRole' | 'GetCallerIdentity' | 'GetSessionToken'>;

export type StsActionName = keyof StsActions;

/** The state that the actions of STS work on. */
export interface StsState {
  readonly context: StsContext;
  readonly roles: Roles;
}

/** One API action: its permission, its resource, and what it does. */
export type StsAction<Name extends StsActionName, Target extends Resource = Resource> = ServiceAction<
  StsState,
  InputOf<StsActions[Name]>,
  OutputOf<StsActions[Name]>,
  Target
>;

export function validationError(text: string): AwsError {
  return new AwsError('ValidationError', text);
}

/** Checks that a session's length is in its range. @throws AwsError `ValidationError` */
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

/** The part of a role that STS uses. */
export interface AssumableRole {
  readonly arn: string;
  /** `AROA…` */
  readonly id: string;
  readonly trustPolicy: PolicyDocument;
  readonly details: { readonly maxSessionSeconds: number };
}

/** The part of IAM that STS uses. */
export interface Roles {
  findRole(roleArn: string): AssumableRole | undefined;
  readonly credentials: {
    /** Issues credentials. Without a role, the session is one of an administrator. */
    issueSession(session: {
      readonly roleArn?: string;
      readonly sessionName?: string;
      readonly expiresAtMs: number;
    }): SessionCredentials;
  };
}
