import { Token } from 'aws-cdk-lib';
import { addressGuards, addressIn, brokenRangeRule, neverAllowedReason } from '../../policy/address-guard';
import type { Problem } from '../../policy/problem';
import { headerProblems } from '../../policy/relay/headers';
import { scopeCheck } from '../../policy/relay/oauth';
import { endpointProblems } from '../shared/addresses';
import type { HttpRelayOptions, HttpRelayProps } from './http-relay-props';

/** A limit of this library, so that the settings of the function fit into its environment. */
const MAX_RANGES = 20;

export function rangeProblems({
  allowedPrivateRanges: ranges = [],
}: Pick<HttpRelayOptions, 'allowedPrivateRanges'>): Problem[] {
  if (Token.isUnresolved(ranges)) return [];
  const wrong = ranges.flatMap((value, index) => {
    const rule = Token.isUnresolved(value) ? undefined : brokenRangeRule(value);
    return rule === undefined ? [] : [{ property: `allowedPrivateRanges[${index}]`, rule, value }];
  });
  if (ranges.length <= MAX_RANGES) return wrong;
  return [...wrong, { property: 'allowedPrivateRanges', rule: `must be at most ${MAX_RANGES}`, value: ranges.length }];
}

/** Returns why the relay would refuse a host. The addresses that a name resolves to are checked at run time. */
function hostProblems(
  property: string,
  { protocol, hostname, host }: URL,
  { allowedPrivateRanges: ranges = [] }: HttpRelayProps,
): Problem[] {
  const address = addressIn(hostname);
  if (address === undefined) return [];
  const closed = neverAllowedReason(address);
  if (closed !== undefined) return [{ property, rule: `must not be an address that ${closed}`, value: host }];
  const isKnown = !Token.isUnresolved(ranges) && !ranges.some(Token.isUnresolved);
  if (!isKnown) return [];
  const guards = addressGuards(ranges.filter(range => brokenRangeRule(range) === undefined));
  if (guards['https:'](address) !== undefined) {
    return [{ property, rule: 'must be public, or within one of allowedPrivateRanges', value: host }];
  }
  const isInRange = protocol === 'https:' || ranges.length === 0 || guards['http:'](address) === undefined;
  return isInRange ? [] : [{ property, rule: 'must be https, or within one of allowedPrivateRanges', value: host }];
}

/**
 * Returns why the relay would refuse a URL that is visible in the template or not encrypted. @see RFC 9110, section
 * 4.2.4, for user and password in a URL
 */
function schemeProblems(
  property: string,
  url: URL,
  { allowedPrivateRanges: ranges = [] }: HttpRelayProps,
  instead: string,
): Problem[] {
  const hasRanges = Token.isUnresolved(ranges) || ranges.length > 0;
  const secretRule = `must have no user and password, because they would be visible in the template: use ${instead}`;
  const clearRule = 'must be https where allowedPrivateRanges is absent';
  return [
    ...(url.protocol === 'http:' && !hasRanges ? [{ property, rule: clearRule, value: `http://${url.host}` }] : []),
    ...(url.username || url.password ? [{ property, rule: secretRule, value: url.host }] : []),
  ];
}

/**
 * Returns what the relay would reject about a URL. An error never shows the whole URL, because it may contain a token.
 * @param instead what to use for credentials in the URL
 */
function urlProblems(property: string, url: string | undefined, props: HttpRelayProps, instead: string): Problem[] {
  if (url === undefined || Token.isUnresolved(url)) return [];
  const unread = endpointProblems(property, url);
  if (unread.length > 0) return unread;
  const parsed = new URL(url);
  return [...schemeProblems(property, parsed, props, instead), ...hostProblems(property, parsed, props)];
}

export function addressProblems(props: HttpRelayProps): Problem[] {
  return urlProblems('endpoint', props.endpoint.url, props, 'RelayEndpoint.fromSecret');
}

export function authorizationProblems(props: HttpRelayProps): Problem[] {
  const { authorization, headers = {} } = props;
  if (!authorization) return [];
  const { tokenUrl, scope } = authorization.clientCredentials;
  const property = 'authorization.tokenUrl';
  const given = Object.keys(headers).filter(name => name.toLowerCase() === 'authorization');
  return [
    ...urlProblems(property, tokenUrl, props, 'credentialsSecret'),
    ...(scope === undefined || Token.isUnresolved(scope) ? [] : scopeCheck(scope, 'authorization.scope')),
    ...given.map(name => ({
      property: `headers.${name}`,
      rule: 'must be absent where authorization is present',
      value: name,
    })),
  ];
}

export function isPlainHttp({ url = '' }: HttpRelayProps['endpoint']): boolean {
  return url.toLowerCase().startsWith('http://');
}

/** A media type with optional parameters, on one line. @see https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1 */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(;[\t\x20-\x7e]*)?$/;

/** The environment of a function has 4 KB, and the other settings of a relay need at most half of it. */
const MAX_HEADER_BYTES = 2_048;

/**
 * Returns what the relay would reject about the headers of its requests. The value of a header is not shown, because it
 * may be a credential.
 */
export function requestProblems({ headers = {}, contentType }: HttpRelayOptions): Problem[] {
  const known = Object.entries(headers).filter(
    ([name, value]) => !Token.isUnresolved(name) && !Token.isUnresolved(value),
  );
  const bytes = Buffer.byteLength(JSON.stringify(Object.fromEntries(known)));
  const sizeRule = `must take at most ${MAX_HEADER_BYTES} bytes as JSON, for the environment of a function has 4,096; keep more in headersSecret`;
  const isMediaType = contentType === undefined || Token.isUnresolved(contentType) || MEDIA_TYPE.test(contentType);
  return [
    ...headerProblems('headers', Object.fromEntries(known)),
    ...(bytes > MAX_HEADER_BYTES ? [{ property: 'headers', rule: sizeRule, value: bytes }] : []),
    ...(isMediaType
      ? []
      : [{ property: 'contentType', rule: 'must be a media type, such as application/json', value: contentType }]),
  ];
}

/**
 * The limit for the settings of a relay. Lambda accepts 4,096 bytes of environment variables. The names of two queues
 * and three secrets, and the policy, need at most 1,536 bytes.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_SETTINGS_BYTES = 2_560;

/** What the ARN of another secret takes of that, and the names of the settings for access tokens. */
const AUTHORIZATION_BYTES = 256;

const known = (value: unknown) => !Token.isUnresolved(value);

/** The properties that are in the environment unchanged, as far as they are known before deployment. */
function settingsSize(props: HttpRelayProps) {
  const { endpoint, headers = {}, contentType = '', allowedPrivateRanges = [], deadStatuses = [] } = props;
  const client = props.authorization?.clientCredentials;
  return {
    endpoint: [endpoint.url].filter(known),
    headers: Object.entries(headers).filter(entry => entry.every(known)),
    contentType: [contentType].filter(known),
    allowedPrivateRanges: known(allowedPrivateRanges) ? allowedPrivateRanges.filter(known) : [],
    ...(client && { authorization: [client.tokenUrl, client.scope, client.audience].filter(known) }),
    deadStatuses: known(deadStatuses) ? deadStatuses.filter(known) : [],
  };
}

/** A problem if the settings exceed the environment of the function. Otherwise only the deployment would show it. */
export function sizeProblems(props: HttpRelayProps): Problem[] {
  const reported = settingsSize(props);
  const bytesOf = (part: unknown) => Buffer.byteLength(JSON.stringify(part));
  const parts = Object.entries(reported).map(([property, part]) => ({ property, bytes: bytesOf(part) }));
  const value = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const most = MAX_SETTINGS_BYTES - (props.authorization ? AUTHORIZATION_BYTES : 0);
  if (value <= most) return [];
  const { property } = parts.reduce((one, other) => (other.bytes > one.bytes ? other : one));
  const rule = `and ${Object.keys(reported)
    .filter(name => name !== property)
    .join(
      ', ',
    )} must take at most ${most} bytes together, for the environment of a function has 4,096; a secret can hold more`;
  return [{ property, rule, value }];
}
