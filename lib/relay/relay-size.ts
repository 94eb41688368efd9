import { Token } from 'aws-cdk-lib';
import type { Problem } from '../../policy/problem';
import type { HttpRelayProps } from './http-relay-props';

/**
 * Our choice: the environment of a function has 4,096 bytes, of which the names of two queues, of three secrets, and the
 * policy need 1,536 at most.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_SETTINGS_BYTES = 2_560;

const known = (value: unknown) => !Token.isUnresolved(value);

/** What of its properties the function is told word for word, as far as it is known before deployment. */
function knownValue(props: HttpRelayProps) {
  const { endpoint, headers = {}, contentType = '', allowedPrivateRanges = [], retriedStatuses = [] } = props;
  return {
    endpoint: [endpoint.url].filter(known),
    headers: Object.entries(headers).filter(entry => entry.every(known)),
    contentType: [contentType].filter(known),
    allowedPrivateRanges: known(allowedPrivateRanges) ? allowedPrivateRanges.filter(known) : [],
    retriedStatuses: known(retriedStatuses) ? retriedStatuses.filter(known) : [],
  };
}

/** More than the environment of the relay's function holds, which nobody would know before the deployment fails. */
export function sizeProblems(props: HttpRelayProps): Problem[] {
  const reported = knownValue(props);
  const bytesOf = (part: unknown) => Buffer.byteLength(JSON.stringify(part));
  const parts = Object.entries(reported).map(([property, part]) => ({ property, bytes: bytesOf(part) }));
  const value = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  if (value <= MAX_SETTINGS_BYTES) return [];
  const { property } = parts.reduce((one, other) => (other.bytes > one.bytes ? other : one));
  const rule = `and ${Object.keys(reported)
    .filter(name => name !== property)
    .join(
      ', ',
    )} must take at most ${MAX_SETTINGS_BYTES} bytes together, for the environment of a function has 4,096; a secret can hold more`;
  return [{ property, rule, value }];
}
