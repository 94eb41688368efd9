import type { Caller } from './caller';

/** Temporary credentials in the form in which a function's environment holds them. */
export interface SessionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** Who holds which access key. */
export interface Credentials {
  /** New credentials for a session of the role. */
  issue(roleArn: string): SessionCredentials;
  /**
   * The caller behind an access key: the role it was issued for, otherwise an administrator of the account.
   *
   * @throws AwsError `ExpiredToken`
   */
  caller(accessKeyId: string | undefined): Caller;
}
