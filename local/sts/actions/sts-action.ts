import type { Credentials } from '@aws-sdk/client-sts';
import type { InputOf, OutputOf } from '../../kernel/api';
import { AwsError } from '../../kernel/aws-error';
import { Constraints } from '../../kernel/constraints';
import type { SessionCredentials } from '../../kernel/credentials';
import type { Resource } from '../../kernel/doorkeeper';
import type { ServiceAction } from '../../kernel/front-door';
import type { Roles, StsContext } from '../ports';
import type { StsActionName, StsActions } from '../sts-actions';

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
