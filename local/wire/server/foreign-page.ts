import { defaultAddressOf } from '../../network/addresses';

const ORIGIN_PROTOCOL = 'http://';

function nameIn(host: string): string {
  return URL.canParse(ORIGIN_PROTOCOL + host) ? new URL(ORIGIN_PROTOCOL + host).hostname : host;
}

/**
 * Whether a page of another site made a browser send a request. Such a page must not control the simulation or deploy functions,
 * which run on this machine. Browsers send these headers, and scripts cannot set them. Other clients do not send them.
 *
 * @param headers names in lower case
 */
export function isOfForeignPage(headers: Readonly<Record<string, string>>): boolean {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  if (origin === undefined && site === undefined) return false;
  // A site can make its own name lead to this machine.
  if (defaultAddressOf(nameIn(host)) !== undefined) return true;
  return (origin !== undefined && origin !== ORIGIN_PROTOCOL + host) || site === 'cross-site' || site === 'same-site';
}
