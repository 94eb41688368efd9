import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { refusedHost } from '../../../policy/host-header';
import { AwsError } from '../../kernel/aws-error';
import type { Place } from '../../kernel/place';
import { unsigned } from '../../kernel/request-signature';
import type { Scheduler } from '../../kernel/timeline';
import { awsHostName } from '../../network/addresses';
import type { InMemoryNetwork, OutgoingRequest, Reply } from '../../network/network';
import type { Control } from '../control/control';
import { refusalTo } from '../refusal';
import { type ClientRequest, headersOf, isOfForeignPage, ReachedAddresses, receive } from './client-request';
import { changeBySafeMethod, isDeployedApi } from './reads';
import { awsHostIn, destinationOf } from './routes';
import type { TimeDriver } from './time-driver';

/** The simulation that the server passes requests to. */
export interface ServedAws {
  readonly network: Pick<InMemoryNetwork, 'has' | 'send' | 'attachGateway'>;
  readonly place: Pick<Place, 'region' | 'urlSuffix'>;
  /** Returns the host of a deployed API. @default - all are in the Region of `place` */
  readonly apiHost?: (apiId: string) => string;
  readonly timeline: Scheduler;
  readonly driver: TimeDriver;
  readonly control: Control;
  /** Draws request ids for requests that reach no service. */
  readonly requestId: () => string;
  /** Receives errors of the embedded AWS itself. */
  readonly onError: (error: unknown) => void;
  /** Called with each request when its time has come, before it is answered. It may return the request to answer. */
  readonly onRequest?: ((request: ClientRequest) => ClientRequest) | undefined;
}

export interface WireServerOptions {
  /** Answers other requests. @default - all are for AWS */
  readonly pages?: Pages | undefined;
  /** The names under which it answers, in addition to addresses, `localhost` and its own endpoints. @default none */
  readonly allowHosts?: readonly string[] | undefined;
}

/** Answers requests that are not for AWS. @returns whether it answers this one */
export type Pages = (request: IncomingMessage, response: ServerResponse) => boolean;

type Receive = (reply: Reply) => void;

/** More than any AWS request may have: API Gateway itself refuses more than ten megabytes. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Fifty megabytes of a function's code in base64. */
const MAX_CODE_BYTES = 72 * 1024 * 1024;
const CODE_PATH = /^\/2015-03-31\/functions(\/[^/?]+\/code)?\/?(\?|$)/;
/** How long a client may take to send its request, in milliseconds of real time. */
const HEADERS_TIMEOUT_MS = 30_000;
const REQUEST_TIMEOUT_MS = 120_000;
/** How long an idle connection stays open: as long as on AWS, and longer than clients use it. */
const KEEP_ALIVE_MS = 65_000;

/** Errors for bytes that are not a valid request, by the error code of Node.js. */
const REFUSED_BYTES: Readonly<Record<string, AwsError>> = {
  HPE_HEADER_OVERFLOW: new AwsError('RequestHeaderSectionTooLarge', 'The headers of the request are too long.', 431),
  ERR_HTTP_REQUEST_TIMEOUT: new AwsError('RequestTimeout', 'The request took too long to arrive.', 408),
};

const FOREIGN_PAGE = new AwsError(
  'ForeignPage',
  'A page of another site sent this request. Only deployed APIs answer it.',
  403,
);

const BAD_EXPECTATION = new AwsError(
  'ExpectationFailed',
  'The only value allowed in the Expect header is 100-continue.',
  417,
);

const tooLong = (maxBytes: number): AwsError =>
  new AwsError('RequestEntityTooLarge', `The request must not be longer than ${maxBytes} bytes.`, 413);

/** How much of a refused body is still read, and for how long, in milliseconds of real time. */
const MAX_DRAINED_BYTES = 256 * 1024 * 1024;
const DRAIN_MS = 10_000;

/** Longer bodies are sent as bytes, because they would take longer to convert than to send. */
const LONGEST_TEXT = 8 * 1024;

/** Clients choose the names by which they reach this machine, so their number is limited. */
const MOST_ALLOWED = 100;

/** The parts of a request that its service receives. */
type AwsRequest = Pick<OutgoingRequest, 'method' | 'path' | 'headers' | 'body' | 'onGone'>;

/** Serves all of AWS on one port, and passes each request to its service. */
export class WireServer {
  private readonly server: Server;
  private readonly addresses = new ReachedAddresses();
  /** `Host` headers that have been allowed. */
  private readonly allowed = new Set<string>();
  private detach: (() => void) | undefined;
  private readonly waiting = new Map<ClientRequest, ServerResponse>();
  private dateAtMs = Number.NaN;
  private dateText = '';

  private readonly pages: Pages;
  private readonly allowHosts: readonly string[];

  constructor(
    private aws: ServedAws,
    { pages = () => false, allowHosts = [] }: WireServerOptions = {},
  ) {
    this.pages = pages;
    this.allowHosts = allowHosts;
    this.server = createServer(
      {
        headersTimeout: HEADERS_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        noDelay: true,
        requireHostHeader: false,
      },
      (request, response) => this.take(request, response),
    );
    this.server.on('clientError', (error, socket) => this.refuseBytes(error, socket));
    this.server.on('checkExpectation', (request, response) => this.refuseExpectation(request, response));
  }

  /**
   * @param port 0 for any free port
   * @returns the port it listens on
   * @throws Error with the `code` of Node.js when the port cannot be opened
   */
  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.removeListener('error', reject);
        this.server.on('error', error => this.aws.onError(error));
        const bound = (this.server.address() as AddressInfo).port;
        this.openToFunctions(host, bound);
        resolve(bound);
      });
    });
  }

  /** Passes requests to another simulation from now on. Clients that wait for an answer of AWS are disconnected. */
  replace(aws: ServedAws): void {
    this.detach?.();
    for (const [request, response] of this.waiting) if (!isControl(request)) response.destroy();
    this.aws = aws;
    this.dateAtMs = Number.NaN;
    this.attach();
  }

  /** Functions have no control over the simulation, which waits for them. */
  private openToFunctions(host: string, port: number): void {
    this.addresses.add(`${host.includes(':') ? `[${host}]` : host}:${port}`);
    this.attach();
  }

  private attach(): void {
    this.detach = this.aws.network.attachGateway({
      reaches: (hostName, at) => this.addresses.has(hostName, at),
      answer: request => this.passOn(request),
    });
  }

  /** Stops accepting requests, and disconnects clients that wait for an answer. */
  close(): Promise<void> {
    this.detach?.();
    return new Promise(resolve => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    const headers = headersOf(request);
    const refusal = this.refusalOfHost(request, headers);
    if (refusal) {
      this.refuseUnread(refusal, request, response);
      return;
    }
    if (this.pages(request, response)) return;
    response.sendDate = false;
    const maxBytes = CODE_PATH.test(request.url ?? '') ? MAX_CODE_BYTES : MAX_BODY_BYTES;
    receive(request, response, headers, maxBytes, whole => {
      if (whole) this.answerSafely(whole, response);
      else this.refuseUnread(tooLong(maxBytes), request, response);
    });
  }

  /** The host decides first, before anything else of a request is looked at. */
  private refusalOfHost({ url }: IncomingMessage, { host }: ClientRequest['headers']): AwsError | undefined {
    // Nearly every request has a header that was allowed before.
    if (host !== undefined && this.allowed.has(host) && url?.startsWith('/')) return undefined;
    const { network, place } = this.aws;
    const isEndpoint = (name: string): boolean => {
      const endpoint = awsHostIn(name, place);
      return endpoint !== undefined && network.has(endpoint);
    };
    const text = refusedHost({ host, url }, this.allowHosts, isEndpoint);
    if (text !== undefined) return new AwsError('HostNotAllowed', text, 403);
    if (host !== undefined && this.allowed.size < MOST_ALLOWED) this.allowed.add(host);
    return undefined;
  }

  /** Answers the client and continues, whatever goes wrong. */
  private answerSafely(request: ClientRequest, response: ServerResponse): void {
    try {
      const caughtUp = this.aws.driver.catchUp();
      const reply = caughtUp ? caughtUp.then(() => this.replyBetweenPieces(request)) : this.replyBetweenPieces(request);
      // Nearly every reply is available immediately and must not wait for a chain of promises.
      if (!(reply instanceof Promise)) {
        this.send(reply, it => this.write(it, response));
        return;
      }
      this.waiting.set(request, response);
      response.once('close', () => this.waiting.delete(request));
      reply
        .then(it => this.send(it, itself => this.write(itself, response)))
        .catch(error => this.fail(error, request, response));
    } catch (error) {
      this.fail(error, request, response);
    }
  }

  /**
   * Repeats a request that a client has made before. Its reply is not sent anywhere.
   *
   * @throws what the services throw: an error of the embedded AWS
   */
  repeat(request: ClientRequest): void {
    const reply = this.replyTo(request);
    const ignore = (): void => {};
    if (!(reply instanceof Promise)) this.send(reply, ignore);
    else reply.then(it => this.send(it, ignore)).catch(this.aws.onError);
  }

  private fail(error: unknown, request: ClientRequest, response: ServerResponse): void {
    try {
      this.aws.onError(error);
      const failure = new AwsError('InternalFailure', `The embedded AWS failed: ${String(error)}`, 500);
      this.write(refusalTo(request, failure, this.aws.requestId()), response);
    } catch (worse) {
      this.aws.onError(worse);
      response.destroy();
    }
  }

  /** A request that arrives while a piece of work waits for a function is answered when that piece has ended. */
  private replyBetweenPieces(request: ClientRequest): Reply | Promise<Reply> {
    return this.aws.driver.pieceUnderWay?.then(() => this.replyBetweenPieces(request)) ?? this.replyTo(request);
  }

  private replyTo(request: ClientRequest): Reply | Promise<Reply> {
    const { aws } = this;
    if (isOfForeignPage(request.headers) && !this.isForApi(request)) {
      return refusalTo(request, FOREIGN_PAGE, aws.requestId());
    }
    const change = this.changeBySafeMethod(request);
    if (change !== undefined) return this.refusalOfChange(change, request);
    const received = aws.onRequest?.(request) ?? request;
    if (isControl(request)) return aws.control.answer(received);
    const reply = this.passOn(received);
    return reply instanceof Promise ? reply.then(it => this.explained(received, it)) : this.explained(received, reply);
  }

  /** A deployed API may be for pages of other sites. */
  private isForApi(request: ClientRequest): boolean {
    const { place, apiHost } = this.aws;
    const destination = isControl(request) ? undefined : destinationOf(request, place, apiHost);
    return destination !== undefined && isDeployedApi(destination.host, place.urlSuffix);
  }

  private changeBySafeMethod(request: ClientRequest): string | undefined {
    const { place, apiHost } = this.aws;
    if (request.method === 'POST' || isControl(request)) return undefined;
    const destination = destinationOf(request, place, apiHost);
    return destination && changeBySafeMethod(request, destination, place.urlSuffix);
  }

  private refusalOfChange(action: string, request: ClientRequest): Reply {
    const text = `The embedded AWS lets ${request.method} only read, so that no link of a web page changes anything: send ${action} by POST.`;
    const reply = refusalTo(request, new AwsError('GetOnlyReads', text, 405), this.aws.requestId());
    return reply.kind === 'response' ? { ...reply, headers: { ...reply.headers, allow: 'POST' } } : reply;
  }

  /** A client sees only a dropped connection where there is no answer. If the reason is known, it gets an error instead. */
  private explained(request: AwsRequest, reply: Reply): Reply {
    if (reply.kind !== 'no-answer' || reply.reason === undefined) return reply;
    const { place, apiHost, requestId } = this.aws;
    const host = destinationOf(request, place, apiHost)?.host ?? '';
    const error = new AwsError('ForwardFailed', reply.reason, reply.code === 'ETIMEDOUT' ? 504 : 502);
    return refusalTo(request, error, requestId(), awsHostName(host, place.urlSuffix)?.service);
  }

  private passOn(request: AwsRequest): Reply | Promise<Reply> {
    const { network, place, apiHost, requestId } = this.aws;
    const destination = destinationOf(request, place, apiHost);
    if (!destination) return refusalTo(request, unsigned(request, ''), requestId());
    const { host } = request.headers;
    const { method, headers, body, onGone } = request;
    const reachedAt = host === undefined || host === destination.host ? undefined : `http://${host}`;
    if (host !== undefined && reachedAt !== undefined) this.addresses.add(host);
    return network.send({ protocol: 'https', port: 443, method, headers, body, onGone, reachedAt, ...destination });
  }

  /** Sends a reply. A reply with a latency waits for virtual time. */
  private send(reply: Reply, receive: Receive): void {
    const latencyMs = reply.kind === 'silence' ? 0 : (reply.latencyMs ?? 0);
    if (latencyMs === 0) receive(reply);
    else this.aws.timeline.after(latencyMs, () => receive(reply));
  }

  /** Writes a reply. A scripted host may use headers that are not valid HTTP, which Node.js refuses. */
  private write(reply: Reply, response: ServerResponse): void {
    try {
      this.writeAsItIs(reply, response);
    } catch (error) {
      this.aws.onError(error);
      response.destroy();
    }
  }

  private writeAsItIs(reply: Reply, response: ServerResponse): void {
    if (response.destroyed || reply.kind === 'silence') return;
    if (reply.kind === 'no-answer') {
      response.destroy();
      return;
    }
    const { status, headers, body } = reply;
    response.writeHead(status, this.headOf(headers, body));
    // Node.js sends the head and a text in one piece, but the head and bytes in two. Latin-1 has each byte.
    if (body.byteLength > LONGEST_TEXT) response.end(body);
    else response.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), 'latin1');
  }

  private refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
    response.sendDate = false;
    const { method = 'GET', url: path = '/' } = request;
    const error = this.refusalOfHost(request, headersOf(request)) ?? BAD_EXPECTATION;
    this.write(refusalTo({ headers: {}, method, path }, error, this.aws.requestId()), response);
  }

  /** Answers bytes that are not HTTP as well as possible. */
  private refuseBytes(failure: NodeJS.ErrnoException, socket: Duplex): void {
    if (failure.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const error = REFUSED_BYTES[failure.code ?? ''] ?? new AwsError('BadRequest', 'The request is not HTTP.', 400);
    const reply = refusalTo({ headers: {}, method: 'GET', path: '/' }, error, this.aws.requestId());
    if (reply.kind !== 'response') return;
    const head = ['connection', 'close', ...this.headOf(reply.headers, reply.body)];
    const lines = head.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    socket.write(`HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n${lines}\r\n`);
    socket.end(reply.body);
  }

  private refuseUnread(error: AwsError, request: IncomingMessage, response: ServerResponse): void {
    response.sendDate = false;
    const { method = 'GET', url: path = '/' } = request;
    const reply = refusalTo({ headers: {}, method, path }, error, this.aws.requestId());
    response.setHeader('connection', 'close');
    if (reply.kind !== 'response') return;
    const { status, headers, body } = reply;
    response.writeHead(status, this.headOf(headers, body));
    response.write(body);
    letDrain(request, () => response.end());
  }

  private headOf(headers: Readonly<Record<string, string>>, body: Uint8Array): string[] {
    const head = ['date', this.date(), 'content-length', String(body.byteLength)];
    for (const name in headers) if (name !== 'content-length') head.push(name, headers[name] ?? '');
    return head;
  }

  /** The virtual time in HTTP's format. */
  private date(): string {
    const second = Math.floor(this.aws.timeline.nowMs / 1000);
    if (second !== this.dateAtMs) {
      this.dateAtMs = second;
      this.dateText = new Date(second * 1000).toUTCString();
    }
    return this.dateText;
  }
}

/** Whether a request is for the simulation itself, not for a service. */
const isControl = ({ path }: Pick<ClientRequest, 'path'>): boolean => /^\/_dlo(\/|\?|$)/.test(path);

/**
 * Calls back when a client has sent its whole body, or too much of it. Closing a connection with unread bytes resets
 * it, so the client would not see its answer.
 */
function letDrain(request: IncomingMessage, drained: () => void): void {
  let bytes = 0;
  const timer = setTimeout(end, DRAIN_MS);
  function end(): void {
    clearTimeout(timer);
    request.removeAllListeners('data');
    drained();
  }
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_DRAINED_BYTES) end();
  });
  request.once('end', end).once('close', () => clearTimeout(timer));
  request.resume();
}
