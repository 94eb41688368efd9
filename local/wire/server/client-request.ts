import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OnGone } from '../../kernel/caller';
import { canonicalHost } from '../../network/addresses';

export interface ClientRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly onGone: OnGone;
}

const NOTHING = Buffer.alloc(0);

/**
 * Reads a request completely.
 *
 * @param headers of `headersOf`
 * @param maxBytes the longest body that is read
 * @param arrived is called with the request, or with undefined when its body is too long; it is not called when the
 *   client disconnects
 */
export function receive(
  request: IncomingMessage,
  response: ServerResponse,
  headers: ClientRequest['headers'],
  maxBytes: number,
  arrived: (whole: ClientRequest | undefined) => void,
): void {
  let first: Buffer = NOTHING;
  let chunks: Buffer[] | undefined;
  let length = 0;
  if (Number(headers['content-length']) > maxBytes) {
    arrived(undefined);
    return;
  }
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBytes) {
      request.removeAllListeners('data').removeAllListeners('end');
      arrived(undefined);
    } else if (length === chunk.length) first = chunk;
    else {
      chunks ??= [first];
      chunks.push(chunk);
    }
  });
  request.on('end', () => {
    arrived({
      method: request.method ?? 'GET',
      path: pathOf(request.url ?? '/'),
      headers,
      body: chunks ? Buffer.concat(chunks, length) : first,
      onGone: listener => {
        response.once('close', () => {
          if (!response.writableFinished) listener();
        });
      },
    });
  });
}

/** The client of a proxy sends the whole URL. */
function pathOf(url: string): string {
  if (url.startsWith('/')) return url;
  return /^https?:\/\/[^/]+(\/.*)?$/i.exec(url)?.[1] ?? '/';
}

/** Names in lower case. Repeated headers are joined, except those of which only the first counts. */
export function headersOf({ headers }: IncomingMessage): ClientRequest['headers'] {
  const cookies = headers['set-cookie'];
  // All other headers are texts.
  return (cookies ? { ...headers, 'set-cookie': cookies.join(', ') } : headers) as ClientRequest['headers'];
}

/**
 * Whether a page of another site made a browser send a request. Such a page must not control the simulation or deploy functions,
 * which run on this machine. Browsers send these headers, and scripts cannot set them. Other clients do not send them. The host
 * was checked before, so that no other site has the origin of this port.
 *
 * @param headers names in lower case
 */
export function isOfForeignPage(headers: Readonly<Record<string, string>>): boolean {
  const { host, origin, 'sec-fetch-site': site } = headers;
  return (origin !== undefined && origin !== `http://${host}`) || site === 'cross-site' || site === 'same-site';
}

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
