import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { CallName, Problem } from '../api';
import type { ConsoleCalls } from './calls';
import type { OpenFeeds } from './feed';
import { problemOf } from './problem';
import { foreignRequest, type RequestKind, type Session } from './session';

/** Of every answer. The page loads nothing from elsewhere and has no inline script or style. */
const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const ASSETS: Readonly<Record<string, string>> = {
  'console.js': 'text/javascript; charset=utf-8',
  'console.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** More than any call of the page. */
const MAX_BODY_BYTES = 1024 * 1024;

/** How much of a refused body is still read. */
const MOST_DRAINED_BYTES = 64 * 1024 * 1024;

/** A comment so often keeps proxies from closing an idle stream, and tells the page that the server lives. */
const HEARTBEAT_MS = 10_000;

/** What a page has not read yet is kept in memory. */
const MOST_UNREAD_BYTES = 16 * 1024 * 1024;

export interface HttpOptions {
  readonly session: Session;
  readonly feeds: OpenFeeds;
  readonly calls: ConsoleCalls;
  readonly allowHosts: readonly string[];
  /** The folder of the page: `dist/console`. */
  readonly assets: string;
  /** The path of the console, which begins and ends with a slash: `/`, `/_dlo/console/`. */
  readonly base: string;
}

/** An answer that is known at once. */
interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json';

/** Answers the requests of the page. */
export class ConsoleHttp {
  private readonly streams = new Set<ServerResponse>();

  constructor(private readonly options: HttpOptions) {}

  /** @returns whether the request is one for the console */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const { base } = this.options;
    const asked = request.url ?? '';
    const url = URL.canParse(asked, 'http://console') ? new URL(asked, 'http://console') : undefined;
    if (!url || !`${url.pathname}/`.startsWith(base)) return false;
    const rest = url.pathname.slice(base.length);
    const kind: RequestKind = rest === '' ? 'page' : rest.startsWith('api/') ? 'api' : 'asset';
    const refusal = foreignRequest(kind, request, this.options.allowHosts);
    if (refusal) answer(response, refused(refusal.status, refusal.says));
    else if (kind === 'page') answer(response, this.page(request, url));
    else if (kind === 'asset') answer(response, this.asset(rest));
    else this.api(rest.slice('api/'.length), request, response, url);
    return true;
  }

  close(): void {
    for (const stream of this.streams) stream.end();
    this.options.feeds.close();
  }

  private page({ method, headers }: IncomingMessage, url: URL): Reply {
    const { session, base } = this.options;
    if (method !== 'GET') return refused(405, 'The page takes GET.');
    const token = url.searchParams.get('token');
    const toPage = { status: 303, type: HTML, body: '', headers: { location: base } };
    if (token !== null) {
      if (!session.accepts(token)) return { status: 401, type: HTML, body: this.file('signed-out.html') };
      return { ...toPage, headers: { location: base, 'set-cookie': session.cookieHeader(base) } };
    }
    if (url.pathname !== base) return toPage;
    const page = { status: 200, type: HTML, body: this.file('index.html') };
    if (session.isOpen) return { ...page, headers: { 'set-cookie': session.cookieHeader(base) } };
    return session.isSignedIn(headers) ? page : { status: 401, type: HTML, body: this.file('signed-out.html') };
  }

  private asset(name: string): Reply {
    const type = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
    return type === undefined ? refused(404, 'There is no such file.') : { status: 200, type, body: this.file(name) };
  }

  private file(name: string): Buffer {
    return readFileSync(path.join(this.options.assets, name));
  }

  private api(name: string, request: IncomingMessage, response: ServerResponse, url: URL): void {
    const asked = `${request.method} ${name}`;
    if (!this.options.session.isSignedIn(request.headers)) {
      answer(response, refused(401, 'The console was started again: open the link that it printed.'));
    } else if (asked === 'GET session') answer(response, { status: 200, type: JSON_TYPE, body: '{}' });
    else if (asked === 'GET events') this.stream(url.searchParams.getAll('feed'), response);
    else if (asked.startsWith('POST call/')) this.call(name.slice('call/'.length), request, response);
    else answer(response, refused(404, 'There is no such call.'));
  }

  private stream(feeds: readonly string[], response: ServerResponse): void {
    const unknown = feeds.find(feed => !this.options.feeds.has(feed));
    if (unknown !== undefined) {
      answer(response, refused(404, `There is no feed ${JSON.stringify(unknown)}.`));
      return;
    }
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
    response.write(': connected\n\n');
    // A browser that does not read is disconnected. When its page reads again, it connects again.
    const send = (text: string): void => {
      if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
      else response.write(`data: ${text}\n\n`);
    };
    const ends = feeds.map(feed => this.options.feeds.subscribe(feed, send));
    const heartbeat = setInterval(() => response.write('event: alive\ndata:\n\n'), HEARTBEAT_MS);
    this.streams.add(response);
    response.once('close', () => {
      clearInterval(heartbeat);
      this.streams.delete(response);
      for (const end of ends) end();
    });
  }

  private call(name: string, request: IncomingMessage, response: ServerResponse): void {
    const { calls } = this.options;
    if (!calls.has(name)) answer(response, refused(404, `There is no call ${JSON.stringify(name)}.`));
    // A form of another site cannot have this type.
    else if (request.headers['content-type'] !== JSON_TYPE) {
      answer(response, refused(415, `A call takes ${JSON_TYPE}.`));
    } else {
      readBody(request)
        .then(async body => {
          if (body === undefined) return refused(413, `A call must not be longer than ${MAX_BODY_BYTES} bytes.`);
          const output = await calls.run(name as CallName, body);
          return { status: 200, type: JSON_TYPE, body: JSON.stringify(output) };
        })
        .then(reply => answer(response, reply))
        .catch(error => {
          const problem = problemOf(error);
          const status = STATUSES[problem.kind] ?? 500;
          answer(response, { status, type: JSON_TYPE, body: JSON.stringify(problem) });
        });
    }
  }
}

const STATUSES: Readonly<Partial<Record<Problem['kind'], number>>> = { input: 400, 'read-only': 403 };

function answer(response: ServerResponse, { status, type, body, headers }: Reply): void {
  response.writeHead(status, { ...HEADERS, 'content-type': type, ...headers }).end(body);
}

function refused(status: number, says: string): Reply {
  const problem: Problem = { kind: status === 401 ? 'credentials' : 'input', says };
  return { status, type: JSON_TYPE, body: JSON.stringify(problem) };
}

/** Undefined for a body that is too long. It is read to its end, because a client that still sends would not see the answer. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
    else if (length > MOST_DRAINED_BYTES) return undefined;
  }
  return length > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
}

export interface ListeningConsole {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Opens a port that only this machine can reach.
 *
 * @param port 0 for any free port
 * @throws Error with the `code` of Node.js when the port cannot be opened
 */
export async function listenOnLoopback(port: number, http: ConsoleHttp): Promise<ListeningConsole> {
  const server: Server = createServer((request, response) => {
    if (!http.handle(request, response)) answer(response, refused(404, 'There is nothing here.'));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const close = (): Promise<void> =>
    new Promise(resolve => {
      http.close();
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, close };
}
