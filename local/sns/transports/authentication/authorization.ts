import { challengesIn } from './challenge';
import { type DigestedRequest, digestAuthorization } from './digest';
import type { UrlCredentials } from './url-credentials';

/** Answers one challenge, if it can be answered. */
type Scheme = (
  parameters: ReadonlyMap<string, string>,
  request: DigestedRequest,
  credentials: UrlCredentials,
  makeNonce: () => string,
) => string | undefined;

/** The schemes SNS knows, the safer one first: which it takes of two is our choice. */
const SCHEMES: readonly (readonly [name: string, answer: Scheme])[] = [
  ['digest', digestAuthorization],
  [
    'basic',
    (_parameters, _request, { user, password }) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  ],
];

/**
 * The `Authorization` header that answers an endpoint's `WWW-Authenticate`; undefined when none of its challenges can be
 * answered.
 *
 * @param makeNonce called for a digest alone
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
