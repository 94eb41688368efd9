import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OnGone } from '../../kernel/caller';

/** A complete request of a client. */
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
 * @param maxBytes the longest body that is read
 * @param arrived is called with the request, or with undefined when its body is too long; it is not called when the
 *   client disconnects
 */
export function receive(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
  arrived: (whole: ClientRequest | undefined) => void,
): void {
  let first: Buffer = NOTHING;
  let chunks: Buffer[] | undefined;
  let length = 0;
  const headers = headersOf(request);
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

/** Headers of which only the first counts, as in Node.js and AWS. Repeated other headers are joined. */
const ONCE: readonly string[] = ['authorization', 'content-length', 'content-type', 'host', 'user-agent'];

/** Reads the headers faster than `request.headers` of Node.js, which takes longer than many whole requests. */
function headersOf({ rawHeaders }: IncomingMessage): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    const value = rawHeaders[i + 1] ?? '';
    const before = headers[name];
    if (typeof before !== 'string') headers[name] = value;
    else if (!ONCE.includes(name)) headers[name] = `${before}, ${value}`;
  }
  return headers;
}
