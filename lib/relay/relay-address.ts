import { Token } from 'aws-cdk-lib';
import { addressGuards, addressIn, brokenRangeRule, closedReason } from '../../policy/limits/address-guard';
import type { Problem } from '../../policy/problem';
import { endpointProblems } from '../topic/deliveries/endpoint-url';
import type { HttpRelayProps } from './http-relay-props';

/** Our choice, so that the settings of a function fit into its environment. */
const MOST_RANGES = 20;

function rangeProblems({ allowedPrivateRanges: ranges = [] }: HttpRelayProps): Problem[] {
  if (Token.isUnresolved(ranges)) return [];
  const wrong = ranges.flatMap((value, index) => {
    const rule = Token.isUnresolved(value) ? undefined : brokenRangeRule(value);
    return rule === undefined ? [] : [{ property: `allowedPrivateRanges[${index}]`, rule, value }];
  });
  if (ranges.length <= MOST_RANGES) return wrong;
  return [...wrong, { property: 'allowedPrivateRanges', rule: `must be at most ${MOST_RANGES}`, value: ranges.length }];
}

/** What the relay would refuse to post to. It looks at the addresses of a name only when it posts. */
function hostProblems(
  { protocol, hostname, host }: URL,
  { allowedPrivateRanges: ranges = [] }: HttpRelayProps,
): Problem[] {
  const address = addressIn(hostname);
  if (address === undefined) return [];
  const closed = closedReason(address);
  const property = 'endpoint';
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
