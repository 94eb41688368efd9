import { isLocalName } from '../../policy/limits/local-names';

/** Addresses that no server on the internet has. @see https://www.rfc-editor.org/rfc/rfc6890 */
const PRIVATE = [
  /^(0|10|127)\.\d+\.\d+\.\d+$/,
  /^169\.254\.\d+\.\d+$/,
  /^172\.(1[6-9]|2\d|3[01])\.\d+\.\d+$/,
  /^192\.168\.\d+\.\d+$/,
  /^\[(::1?|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*)\]$/,
];

/** Whether a host, as a URL has it, is one that SNS cannot reach. */
export function isPrivateHost(hostname: string): boolean {
  return isLocalName(hostname) || PRIVATE.some(it => it.test(hostname.toLowerCase()));
}
