import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';

/** Where in a secret the URL of an endpoint stands. */
export interface SecretEndpointOptions {
  /**
   * The member of a JSON object that is the URL.
   *
   * @default - the whole secret is the URL
   */
  readonly field?: string;
}

/** Where an `HttpRelay` posts to. */
export class RelayEndpoint {
  /**
   * An endpoint whose URL anybody may see: it stands in the template and in the settings of the function.
   *
   * @param url absolute and https, with a public host or one within `allowedPrivateRanges`; http only for the latter
   */
  public static fromUrl(url: string): RelayEndpoint {
    return new RelayEndpoint(url);
  }

  /**
   * An endpoint whose URL is a secret, such as one with a token in its path. The function reads it when it runs, so that it
   * can change without a deployment; of where a message was sent, logs show the host only.
   */
  public static fromSecret(secret: ISecret, options: SecretEndpointOptions = {}): RelayEndpoint {
    return new RelayEndpoint(undefined, secret, options.field);
  }

  private constructor(
    /** The URL; undefined where it is a secret. */
    public readonly url?: string,
    /** The secret that holds the URL; undefined where the URL is none. */
    public readonly secret?: ISecret,
    /** The member of the secret that is the URL; undefined where the whole secret is, and without one. */
    public readonly field?: string,
  ) {}
}
