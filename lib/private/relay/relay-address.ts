import { Token } from 'aws-cdk-lib';
import type { HttpRelayProps } from '../../http-relay-props';
import type { Problem } from '../../policy/problem';
import { endpointProblems } from '../deliveries/endpoint-url';
import { isPrivateHost } from '../deliveries/private-address';
import { isCidr, isWithin } from './cidr';

/** Our choice, so that the settings of a function fit into its environment. */
const MOST_RANGES = 20;

/** Where AWS keeps the credentials of whoever asks from there: no range lets anybody post to it. */
const METADATA = ['169.254.169.254', 'fd00:ec2::254'];

/** A host that is an address, as node has it; `localhost` is one in all but name. */
function addressOf({ hostname }: URL): string {
  if (/^(.+\.)?localhost\.?$/.test(hostname)) return '127.0.0.1';
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function rangeProblems({ allowedPrivateRanges: ranges = [] }: HttpRelayProps): Problem[] {
  if (Token.isUnresolved(ranges)) return [];
  const rule = 'must be a range of addresses in CIDR notation, such as 10.0.0.0/8';
  const wrong = ranges.flatMap((value, index) =>
    Token.isUnresolved(value) || isCidr(value) ? [] : [{ property: `allowedPrivateRanges[${index}]`, rule, value }],
  );
  if (ranges.length <= MOST_RANGES) return wrong;
  return [...wrong, { property: 'allowedPrivateRanges', rule: `must be at most ${MOST_RANGES}`, value: ranges.length }];
}

/** What the relay would refuse to post to. It looks at the addresses of a name only when it posts. */
function hostProblems(url: URL, { allowedPrivateRanges: ranges = [] }: HttpRelayProps): Problem[] {
  const address = addressOf(url);
  const property = 'endpoint';
  if (METADATA.includes(address)) {
    return [{ property, rule: 'must not be the address at which AWS keeps credentials', value: url.host }];
  }
  const mayBeAllowed = Token.isUnresolved(ranges) || ranges.some(Token.isUnresolved) || isWithin(address, ranges);
  if (mayBeAllowed || !isPrivateHost(url.hostname)) return [];
  return [{ property, rule: 'must be public, or within one of allowedPrivateRanges', value: url.host }];
}

/** What the relay would refuse of a URL in the clear. @see RFC 9110, section 4.2.4, for user and password in a URL */
function schemeProblems(url: URL, { allowedPrivateRanges: ranges = [] }: HttpRelayProps): Problem[] {
  const hasRanges = Token.isUnresolved(ranges) || ranges.length > 0;
  const secretRule =
    'must have no user and password, which anybody could read in the template: use RelayEndpoint.fromSecret';
  return [
    ...(url.protocol === 'http:' && !hasRanges
      ? [
          {
            property: 'endpoint',
            rule: 'must be https where allowedPrivateRanges is absent',
            value: `http://${url.host}`,
          },
        ]
      : []),
    ...(url.username || url.password ? [{ property: 'endpoint', rule: secretRule, value: url.host }] : []),
  ];
}

/** What the relay would reject of where it is to post. An error never shows a URL whole: it may hold a token. */
export function addressProblems(props: HttpRelayProps): Problem[] {
  const { url, field } = props.endpoint;
  const ranges = rangeProblems(props);
  const noField =
    field === '' ? [{ property: 'endpoint', rule: 'must name a member of its secret, or none', value: field }] : [];
  if (url === undefined || Token.isUnresolved(url)) return [...ranges, ...noField];
  const unread = endpointProblems('endpoint', url);
  if (unread.length > 0) return [...unread, ...ranges];
  const parsed = new URL(url);
  return [...schemeProblems(parsed, props), ...hostProblems(parsed, props), ...ranges];
}

/** Whether the relay is to send in the clear. */
export function isPlainHttp({ url = '' }: HttpRelayProps['endpoint']): boolean {
  return url.toLowerCase().startsWith('http://');
}
