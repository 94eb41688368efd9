import { parseAddress } from './ip-address';

/**
 * A name, or an address (IPv6 in brackets, perhaps with a zone), and perhaps a port. It has no character that would make
 * `URL` see another host in it, such as `@`, `/` or an escape.
 */
const HOST = /^(?:\[(?<ipv6>[\da-f:.]+)(?:%[\w.~%-]+)?\]|(?<name>\w[\w.-]*?)\.?)(?::\d*)?$/i;

const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\/(?<host>[^/?#]*)/i;

/** The name in lower case, or the address, without port, brackets, zone and dot at the end. Undefined if it is neither. */
function nameIn(host: string): string | undefined {
  const { ipv6, name } = HOST.exec(host)?.groups ?? {};
  if (ipv6 !== undefined) return parseAddress(ipv6) && ipv6.toLowerCase();
  // `URL` reads the spellings of IPv4, such as `127.1`, as browsers do.
  return name !== undefined && URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : undefined;
}

/** The parts of a request that name the host that its client wants to reach. */
interface Addressed {
  /** The `Host` header. */
  readonly host: string | undefined;
  /** The path, or the whole URL, which the client of a proxy sends. */
  readonly url: string | undefined;
}

/** Whether a text is a host name, in any case, without scheme, port, path and wildcards. */
export function isHostName(text: unknown): text is string {
  return typeof text === 'string' && nameIn(text) === text.toLowerCase().replace(/\.$/, '');
}

/**
 * Why a port of this machine refuses a request by its host, whatever else the request has; undefined if it does not.
 *
 * The owner of a name can make it lead to this machine (DNS rebinding). Browsers then take a page of that name and this
 * port for the same site. No page can have an address or `localhost` as a name of its own.
 *
 * @param allowHosts other names that are allowed, in any case
 * @param isEndpoint whether a name in lower case is one that leads here. @default - none is
 */
export function refusedHost(
  { host, url = '/' }: Addressed,
  allowHosts: readonly string[],
  isEndpoint: (name: string) => boolean = () => false,
): string | undefined {
  const name = nameIn(host ?? '');
  const whole = ABSOLUTE.exec(url)?.groups?.['host'];
  const isOne = whole === undefined || nameIn(whole) === name;
  const isAllowed = (it: string): boolean =>
    it === 'localhost' ||
    parseAddress(it) !== undefined ||
    allowHosts.some(one => nameIn(one) === it) ||
    isEndpoint(it);
  if (name !== undefined && isOne && isAllowed(name)) return undefined;
  const got = isOne ? (host ?? 'none') : `${host} for ${whole}`;
  const advice =
    name !== undefined && isOne ? `: start dlo with --allow-host ${name}, or listen with allowHosts, to allow it` : '';
  return `The Host must be an IP address, localhost or a name that is allowed, got ${got.slice(0, LONGEST_HOST)}${advice}.`;
}

/** The longest name that DNS has. */
const LONGEST_HOST = 255;
