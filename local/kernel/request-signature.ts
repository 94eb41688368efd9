import { AwsError } from './aws-error';

interface SignedRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The path with its query. */
  readonly path: string;
}

interface CredentialScope {
  readonly accessKeyId: string;
  /** Undefined, like `service`, when the scope is incomplete. */
  readonly region: string | undefined;
  /** The signing name, for example `monitoring`. */
  readonly service: string | undefined;
}

const SCHEME = 'AWS4-HMAC-SHA256';
const CREDENTIAL = 'Credential=';

/** How many scopes are remembered. A client signs every request of a day with the same scope. */
const MOST_SCOPES = 1_000;
const scopes = new Map<string, CredentialScope>();

/**
 * The credential scope of a request, from its header or from its presigned URL:
 * `AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/sqs/aws4_request`. Signatures are not verified: the embedded AWS holds no
 * real secrets, and every client that can reach it has an administrator's permissions.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html
 */
export function credentialScopeOf({ headers, path }: SignedRequest): CredentialScope | undefined {
  const signed = inHeader(headers['authorization']) ?? presigned(path);
  if (signed === undefined) return undefined;
  const known = scopes.get(signed);
  if (known) return known;
  const [accessKeyId, , region, service] = signed.split('/');
  if (!accessKeyId) return undefined;
  if (scopes.size >= MOST_SCOPES) scopes.clear();
  const scope = { accessKeyId, region, service };
  scopes.set(signed, scope);
  return scope;
}

/** Returns the text after `Credential=`, up to a comma or a space. */
function inHeader(authorization: string | undefined): string | undefined {
  if (!authorization?.startsWith(SCHEME)) return undefined;
  const at = authorization.indexOf(CREDENTIAL, SCHEME.length);
  if (at === -1) return undefined;
  const from = at + CREDENTIAL.length;
  const comma = authorization.indexOf(',', from);
  const space = authorization.indexOf(' ', from);
  const to = Math.min(comma === -1 ? authorization.length : comma, space === -1 ? authorization.length : space);
  return to > from ? authorization.slice(from, to) : undefined;
}

/** The error for a request without a signature, or with an incomplete one. */
export function unsigned({ headers }: Pick<SignedRequest, 'headers'>, ending: '' | 'Exception'): AwsError {
  const authorization = headers['authorization'] ?? '';
  if (authorization === '') {
    return new AwsError(`MissingAuthenticationToken${ending}`, 'Request is missing Authentication Token', 403);
  }
  const missing = ['Credential', 'Signature', 'SignedHeaders'].filter(part => !authorization.includes(`${part}=`));
  const sentences = missing.map(part => `Authorization header requires '${part}' parameter. `);
  if (headers['x-amz-date'] === undefined && headers['date'] === undefined) {
    sentences.push("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ");
  }
  return new AwsError(`IncompleteSignature${ending}`, `${sentences.join('')}Authorization=${authorization}`);
}

export function accessKeyOf(request: SignedRequest): string | undefined {
  return credentialScopeOf(request)?.accessKeyId;
}

function presigned(path: string): string | undefined {
  const question = path.indexOf('?');
  if (question === -1) return undefined;
  return new URLSearchParams(path.slice(question + 1)).get('X-Amz-Credential') ?? undefined;
}
