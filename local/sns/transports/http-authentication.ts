import { createHash } from 'node:crypto';

/** Returns the `Authorization` header for one challenge, or undefined. */
type Scheme = (
  parameters: ReadonlyMap<string, string>,
  request: DigestedRequest,
  credentials: UrlCredentials,
  makeNonce: () => string,
) => string | undefined;

/**
 * The authentication schemes of SNS, the safer one first.
 * **Assumption SNS-23:** SNS prefers the safer scheme when an endpoint offers both.
 */
const SCHEMES: readonly (readonly [name: string, answer: Scheme])[] = [
  ['digest', digestAuthorization],
  [
    'basic',
    (_parameters, _request, { user, password }) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  ],
];

/**
 * Returns the `Authorization` header for the endpoint's `WWW-Authenticate` header, or undefined when SNS supports none
 * of its challenges.
 * @param makeNonce called for a digest only
 * @see https://docs.aws.amazon.com/sns/latest/dg/SendMessageToHttp.prepare.html
 */
export function authorizationFor(
  header: string,
  request: DigestedRequest,
  credentials: UrlCredentials,
  makeNonce: () => string,
): string | undefined {
  const challenges = challengesIn(header);
  for (const [name, answer] of SCHEMES) {
    for (const { scheme, parameters } of challenges) {
      const authorization = scheme === name ? answer(parameters, request, credentials, makeNonce) : undefined;
      if (authorization !== undefined) return authorization;
    }
  }
  return undefined;
}

/** One challenge of a `WWW-Authenticate` header. */
interface Challenge {
  /** In lower case: `basic`, `digest`. */
  readonly scheme: string;
  /** Parameters by lower-case name, unquoted. */
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const SCHEME = new RegExp(`\\s*(${TOKEN})(?:[ \\t]+|$|(?=,))`, 'y');
const PARAMETER = new RegExp(`\\s*(${TOKEN})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}))`, 'y');
const COMMA = /[\s,]*/y;

/** Matches `pattern` exactly at position `at`. */
function take(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * Reads a `WWW-Authenticate` header. Stops at the first part that is malformed.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */
export function challengesIn(header: string): readonly Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  while (at < header.length) {
    const current = challenges.at(-1);
    const parameter = current && take(PARAMETER, header, at);
    const found = parameter ?? take(SCHEME, header, at);
    if (!found) return challenges;
    at += found[0].length;
    const [, name = '', quoted, token = ''] = found;
    if (parameter) current.parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? token);
    else challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    at += take(COMMA, header, at)?.[0].length ?? 0;
  }
  return challenges;
}

interface DigestedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
}

/** The algorithms of RFC 7616 that this SNS supports. Each also has a `-sess` form. */
const HASHES: Readonly<Record<string, 'md5' | 'sha256'>> = { MD5: 'md5', 'SHA-256': 'sha256' };

const SESSION = /-sess$/i;

/** Each nonce is used for one request only. */
const NONCE_COUNT = '00000001';

interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly algorithm: string;
  readonly hash: 'md5' | 'sha256';
  /** Undefined when the endpoint follows RFC 2069, which has no `qop`. */
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
 * Returns the `Authorization` header for a digest challenge, or undefined when the challenge requires something SNS
 * does not support, such as a digest of the body.
 * @param makeNonce returns a client nonce
 * @see https://www.rfc-editor.org/rfc/rfc7616
 */
function digestAuthorization(
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

/** The user name and password in the URL of an endpoint. */
export interface UrlCredentials {
  readonly user: string;
  readonly password: string;
}

/**
 * Returns the credentials before the `@` of an endpoint, if there are any.
 * @throws URIError when a `%` in them does not begin an escape; `Subscribe` refuses such an endpoint
 */
export function urlCredentials(endpoint: string): UrlCredentials | undefined {
  const { username, password } = new URL(endpoint);
  if (username === '') return undefined;
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
}
