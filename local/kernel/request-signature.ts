import { AwsError } from './aws-error';

/** As much of a request as its signature is read from. */
export interface SignedRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** With its query. */
  readonly path: string;
}

/** What a request is signed with, and for whom. */
export interface CredentialScope {
  readonly accessKeyId: string;
  /** Undefined, like `service`, in a scope that is not whole. */
  readonly region: string | undefined;
  /** The signing name, for example `monitoring`. */
  readonly service: string | undefined;
}

const SCHEME = 'AWS4-HMAC-SHA256';
const CREDENTIAL = 'Credential=';

/** A client signs every request of a day with the same scope; more of them than this are not remembered. */
const MOST_SCOPES = 1_000;
const scopes = new Map<string, CredentialScope>();

/**
 * The credential scope of a request, from its header or (presigned) from its URL:
 * `AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/sqs/aws4_request`. Signatures are not verified: the embedded AWS holds no
 * secrets worth guarding, and whoever reaches it may do anything an administrator may.
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

/** What follows `Credential=`, up to a comma or a space. */
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

/** What a request without a signature is answered, or with one that is none. */
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

/** The access key a request is signed with. */
export function accessKeyOf(request: SignedRequest): string | undefined {
  return credentialScopeOf(request)?.accessKeyId;
}

function presigned(path: string): string | undefined {
  const question = path.indexOf('?');
  if (question === -1) return undefined;
  return new URLSearchParams(path.slice(question + 1)).get('X-Amz-Credential') ?? undefined;
}
