import { Token } from 'aws-cdk-lib';
import type { Problem } from '../../policy/problem';
import { headerProblems } from '../../policy/relay/headers';
import type { HttpRelayOptions } from './http-relay-props';

/** A media type, and whatever parameters it has, on one line. @see https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1 */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(;[\t\x20-\x7e]*)?$/;

/** Our choice: the environment of a function has 4 KB, and the other settings of a relay need half of it at most. */
const MAX_HEADER_BYTES = 2_048;

/** What the relay would reject of the headers of its requests. A header's value is not shown: it may be a credential. */
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
