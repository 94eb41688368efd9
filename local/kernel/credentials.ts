import type { Caller } from './caller';

/** Temporary credentials in the form in which a function's environment holds them. */
export interface SessionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** Who holds which access key. */
export interface Credentials {
  /**
   * New credentials for a session of the role, which last as long as the world, or until their issuer forgets them.
   *
   * @param sessionName a function's is its own name @default - the caller goes by the role's ARN
   * @param context condition keys that each call with them carries @default - only what every call does
   */
  issue(roleArn: string, sessionName?: string, context?: Caller['context']): SessionCredentials;
  /**
   * The caller behind an access key: the role it was issued for, otherwise an administrator of the account.
   *
   * @throws AwsError `ExpiredToken`
   */
  caller(accessKeyId: string | undefined): Caller;
}
