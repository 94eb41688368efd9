import { canonicalHost } from '../../network/addresses';

/** More names than one machine has. Clients choose them, so their number is limited. */
const MOST_ADDRESSES = 100;
const HTTP_PORT = 80;

/**
 * The hosts and ports at which clients have reached AWS: the URLs in its answers name them. They are the names of this
 * machine, of its containers, and of what forwards a port.
 */
export class ReachedAddresses {
  private readonly headers = new Set<string>();
  private readonly known = new Set<string>();

  /** @param header a `Host` header, for example `127.0.0.1:4566` */
  add(header: string): void {
    // Nearly every request has a header that is known.
    if (this.headers.has(header) || this.headers.size >= MOST_ADDRESSES) return;
    this.headers.add(header);
    if (!URL.canParse(`http://${header}`)) return;
    const { hostname, port } = new URL(`http://${header}`);
    this.known.add(keyOf(canonicalHost(hostname), port === '' ? HTTP_PORT : Number(port)));
  }

  /** @param hostName as `canonicalHost` writes it */
  has(hostName: string, port: number): boolean {
    return this.known.has(keyOf(hostName, port));
  }
}

const keyOf = (hostName: string, port: number): string => `${hostName}:${port}`;
