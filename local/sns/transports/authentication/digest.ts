import { createHash } from 'node:crypto';
import type { UrlCredentials } from './url-credentials';

/** The request that is to be authorized. */
export interface DigestedRequest {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
}

/** The algorithms of RFC 7616 SNS can be expected to know; each has a form that goes by the session as well. */
const HASHES: Readonly<Record<string, 'md5' | 'sha256'>> = { MD5: 'md5', 'SHA-256': 'sha256' };

const SESSION = /-sess$/i;

/** Only one request is made with a nonce. */
const NONCE_COUNT = '00000001';

/** What somebody is asked to authorize by, as far as it matters here. */
interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly algorithm: string;
  readonly hash: 'md5' | 'sha256';
  /** Undefined where the endpoint is of before 1999. */
  readonly qop: 'auth' | undefined;
  readonly opaque: string | undefined;
  readonly hidesUser: boolean;
}

function readChallenge(parameters: ReadonlyMap<string, string>): DigestChallenge | undefined {
  const [realm, nonce] = [parameters.get('realm'), parameters.get('nonce')];
  const algorithm = parameters.get('algorithm') ?? 'MD5';
  const hash = HASHES[algorithm.replace(SESSION, '').toUpperCase()];
  const qops = parameters.get('qop')?.split(/\s*,\s*/);
  if (realm === undefined || nonce === undefined || !hash || (qops && !qops.includes('auth'))) return undefined;
  const hidesUser = parameters.get('userhash')?.toLowerCase() === 'true';
  return { realm, nonce, algorithm, hash, qop: qops && 'auth', opaque: parameters.get('opaque'), hidesUser };
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/**
 * The `Authorization` header that answers a digest challenge; undefined when it asks for what SNS does not do, such as
 * digesting the body.
 *
 * @param makeNonce the client's own
 * @see https://www.rfc-editor.org/rfc/rfc7616
 */
export function digestAuthorization(
  parameters: ReadonlyMap<string, string>,
  { method, path }: DigestedRequest,
  { user, password }: UrlCredentials,
  makeNonce: () => string,
): string | undefined {
  const challenge = readChallenge(parameters);
  if (!challenge) return undefined;
  const { realm, nonce, algorithm, hash, qop, opaque, hidesUser } = challenge;
  const digest = (...parts: readonly string[]) => createHash(hash).update(parts.join(':')).digest('hex');
  const cnonce = makeNonce();
  const own = digest(user, realm, password);
  const secret = SESSION.test(algorithm) ? digest(own, nonce, cnonce) : own;
  const request = digest(method, path);
  const response = qop ? digest(secret, nonce, NONCE_COUNT, cnonce, qop, request) : digest(secret, nonce, request);
  const members: readonly (readonly [name: string, value: string | undefined])[] = [
    ['username', quoted(hidesUser ? digest(user, realm) : user)],
    ['realm', quoted(realm)],
    ['uri', quoted(path)],
    ['algorithm', algorithm],
    ['nonce', quoted(nonce)],
    ['nc', qop && NONCE_COUNT],
    ['cnonce', qop && quoted(cnonce)],
    ['qop', qop],
    ['response', quoted(response)],
    ['opaque', opaque === undefined ? undefined : quoted(opaque)],
    ['userhash', hidesUser ? 'true' : undefined],
  ];
  const given = members.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return `Digest ${given.join(', ')}`;
}
