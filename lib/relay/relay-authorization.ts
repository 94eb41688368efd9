import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { SECRET } from '../shared/cdk-shapes';
import { BOOLEAN, checkArguments, optional, struct, TEXT } from '../shared/shapes';

/** How a relay gets access tokens with OAuth 2.0 client credentials. */
export interface OAuthClientCredentials {
  /**
   * The URL of the token endpoint: https, with a public host or one within `allowedPrivateRanges`. Every address that
   * its name resolves to is checked, as those of the endpoint are.
   */
  readonly tokenUrl: string;

  /**
   * The secret of the client, a JSON object: `{"client_id": "…", "client_secret": "…"}`. The function reads it before
   * each request for a token, so it can change without a deployment.
   */
  readonly credentialsSecret: ISecret;

  /**
   * The scopes to ask for, separated by single blanks.
   *
   * @default - those that the token endpoint grants by itself
   */
  readonly scope?: string;

  /**
   * The API for which the token is, where the token endpoint asks for an `audience`.
   *
   * @default - none
   */
  readonly audience?: string;

  /**
   * Whether the client's id and secret are in the body of the request for a token (`client_secret_post`) instead of in
   * its header `Authorization` (`client_secret_basic`).
   *
   * @default false
   */
  readonly credentialsInBody?: boolean;
}

const CLIENT_CREDENTIALS = struct<OAuthClientCredentials>({
  tokenUrl: TEXT,
  credentialsSecret: SECRET,
  scope: optional(TEXT),
  audience: optional(TEXT),
  credentialsInBody: optional(BOOLEAN),
});

/** How the requests of an `HttpRelay` are authorized. */
export class RelayAuthorization {
  /**
   * Each request carries an access token (`Authorization: Bearer …`) that the relay gets with OAuth 2.0 client
   * credentials. It keeps a token until shortly before it ends, and gets another one if the endpoint answers 401. While
   * it gets none, messages wait for their next retry without an attempt. Tokens and secrets are never logged.
   *
   * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.4
   */
  public static oauthClientCredentials(client: OAuthClientCredentials): RelayAuthorization {
    checkArguments('RelayAuthorization.oauthClientCredentials', { client }, { client: CLIENT_CREDENTIALS });
    return new RelayAuthorization(client);
  }

  private constructor(
    /** How tokens are got. */
    public readonly clientCredentials: OAuthClientCredentials,
  ) {}
}
