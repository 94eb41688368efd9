import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import type { Timer } from '../../mover/aws/clock';
import type { Answered, Unanswered } from '../../policy/outcome/outcome';
import {
  type Agents,
  type Connections,
  messageOf,
  nodeConnections,
  TimeoutError,
  transportFailureOf,
} from './connections';

/** How many requests were sent. */
interface Sent {
  /** 2 if the first request met a dead connection. */
  readonly requests: number;
}

/** An answer. A status code is an answer, even if its body is incomplete. */
interface Reply extends Answered {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /**
   * Why the body is incomplete: it is too long, broke off, or took too long. The connection is then closed.
   * @default - the body is complete
   */
  readonly cut?: string;
}

/** No status code came back. */
interface Silence extends Unanswered {
  readonly cause: Error;
}

export interface HttpAnswer extends Reply, Sent {}

export interface NoAnswer extends Silence, Sent {}

/** Called before a request is sent again; it is not sent if this resolves with false. */
export type Again = () => Promise<boolean>;

/**
 * Sends a body. Resolves with the outcome, also if no answer came.
 *
 * @param again by default the request is sent again without asking
 * @throws for an invalid request, such as a header with a line break, and for an error that is not a transport failure: a bug
 */
export type Send = (
  method: 'POST' | 'PUT',
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  again?: Again,
) => Promise<HttpAnswer | NoAnswer>;

/** How long one request may take, and how much of an answer is read. */
export interface SendLimits {
  /** Until the connection is established, TLS included. A kept-alive connection is established already. */
  readonly connectTimeoutMs: number;
  /** From the call to the last byte received; or from the answer of `Again`, if it was called. */
  readonly totalTimeoutMs: number;
  readonly maxBodyBytes: number;
}

/**
 * Reads an answer to its end, or to the size limit.
 * @returns a function that ends reading early, with the reason
 */
function readAnswer(
  response: http.IncomingMessage,
  maxBodyBytes: number,
  done: (answer: Reply) => void,
): (cut: string) => void {
  const { statusCode = 0, headers } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = (cut?: string) => {
    const [first] = chunks;
    const whole = first && chunks.length === 1 ? first : Buffer.concat(chunks);
    const body = whole.toString('utf8', 0, maxBodyBytes);
    done({ kind: 'answered', statusCode, headers, body, ...(cut !== undefined && { cut }) });
  };
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= maxBodyBytes) return;
    finish(`it is longer than ${maxBodyBytes} bytes`);
    response.destroy();
  });
  response.on('end', () => finish());
  return finish;
}

/** What requests are sent with. */
export interface SendPorts {
  /**
   * Resolves host names. It is not called for a host that is an address.
   * @default - Node's own
   */
  readonly lookup?: LookupFunction;
  /** @default - `nodeConnections()` */
  readonly connections?: Connections;
}

/** A request under way. */
interface Attempt {
  readonly giveUp: (what: string) => void;
  readonly isAnswering: () => boolean;
}

/** Callbacks of a request, of which exactly one is called. */
interface Ends {
  readonly ended: (result: Reply | Silence) => void;
  /** The kept-alive connection broke before a byte of an answer came. */
  readonly metDeadConnection: (result: Silence) => void;
  readonly mistaken: (error: Error) => void;
}

/** Node's options, with one that its types omit. */
interface RequestOptions extends http.RequestOptions {
  readonly autoSelectFamilyAttemptTimeout: number;
}

/** What all requests to one URL share. */
interface Target {
  readonly href: string;
  readonly protocol: keyof Agents;
  readonly host: string;
  /** The header of a URL with a user; a given header overrides it. */
  readonly authorization?: string;
  readonly options: RequestOptions;
}

/** What one request is made of. */
interface Outgoing {
  readonly target: Target;
  readonly options: RequestOptions;
  readonly body: string;
  readonly limits: SendLimits;
}

/**
 * How long to try one address of a name if there is another one. Node's default of 250 ms is too short: a lost packet delays a
 * connection by more, and so does a distant host. Half of the time for the first address leaves as much for the other.
 *
 * @see https://nodejs.org/docs/latest-v24.x/api/net.html#socketconnectoptions-connectlistener
 */
function addressTimeoutMs({ connectTimeoutMs }: SendLimits): number {
  return Math.ceil(connectTimeoutMs / 2);
}

/** Parses the URL once. Given a URL, Node would parse it for each request, which takes a seventh of the request's time. */
function targetOf(url: URL, limits: SendLimits, lookup: LookupFunction | undefined): Target {
  const { hostname, port, path, auth } = urlToHttpOptions(url);
  const protocol = url.protocol === 'http:' ? 'http:' : 'https:';
  const autoSelectFamilyAttemptTimeout = addressTimeoutMs(limits);
  return {
    href: url.href,
    protocol,
    host: url.host,
    ...(auth && { authorization: `Basic ${Buffer.from(auth).toString('base64')}` }),
    options: { protocol, hostname, port, path, autoSelectFamilyAttemptTimeout, ...(lookup && { lookup }) },
  };
}

/**
 * Returns the headers as a list, with those that Node adds, in its order. Node writes a list as it is. From an object it makes
 * another one first, which takes a twentieth of the request's time.
 */
function rawHeaders(headers: Readonly<Record<string, string>>, body: string, target: Target): string[] {
  const { host, authorization } = target;
  const raw: string[] = [];
  for (const [name, value] of Object.entries(headers)) raw.push(name, value);
  raw.push('Content-Length', String(Buffer.byteLength(body)), 'Host', host);
  const isGiven = () => Object.keys(headers).some(name => name.toLowerCase() === 'authorization');
  if (authorization !== undefined && !isGiven()) raw.push('Authorization', authorization);
  return raw;
}

function onceConnected(socket: Socket, secure: boolean, then: () => void): void {
  if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', then);
  else then();
}

/** An answer that switches protocols: only its status counts. */
function switching({ statusCode = 0, headers }: http.IncomingMessage): Reply {
  return { kind: 'answered', statusCode, headers, body: '' };
}

function cutBy(cause: Error): string {
  return cause instanceof TimeoutError ? cause.message : `it broke off: ${messageOf(cause)}`;
}

/** Uses callbacks: several promises per request would cost time. */
function attempt({ target, options, body, limits }: Outgoing, timer: Timer, ends: Ends): Attempt {
  const { connectTimeoutMs, maxBodyBytes } = limits;
  const secure = target.protocol === 'https:';
  const request = (secure ? https : http).request(options);
  let cutAnswer: ((cut: string) => void) | undefined;
  let isOver = false;
  let bytesBefore = 0;
  const giveUp = (what: string) => request.destroy(new TimeoutError(what));
  // A kept-alive connection is established already.
  const stopConnect = request.reusedSocket
    ? undefined
    : timer(connectTimeoutMs, () => giveUp(`no connection within ${connectTimeoutMs} ms`));
  const end = (result: Reply | Silence) => {
    if (!isOver) ends.ended(result);
    isOver = true;
  };
  const isOfDeadConnection = () => request.reusedSocket && (request.socket?.bytesRead ?? 0) <= bytesBefore;
  const fail = (cause: Error) => {
    stopConnect?.();
    if (isOver) return;
    const failure = transportFailureOf(cause);
    if (failure && cutAnswer) return cutAnswer(cutBy(cause));
    isOver = true;
    if (!failure) return ends.mistaken(cause);
    const silence: Silence = { kind: 'unanswered', failure, cause };
    if (failure === 'connection-reset' && isOfDeadConnection()) ends.metDeadConnection(silence);
    else ends.ended(silence);
  };
  request.on('socket', socket => {
    bytesBefore = socket.bytesRead;
    if (stopConnect) onceConnected(socket, secure, stopConnect);
  });
  request.on('error', fail);
  request.on('upgrade', (answer, socket) => {
    socket.destroy();
    end(switching(answer));
  });
  request.on('response', answer => {
    cutAnswer = readAnswer(answer, maxBodyBytes, end);
    answer.on('error', fail);
  });
  request.end(body);
  return { giveUp, isAnswering: () => cutAnswer !== undefined };
}

/**
 * Sends over Node's HTTP client. Connections are kept alive between invocations, and redirects are not followed.
 *
 * A kept-alive connection may be dead, above all after the function was frozen. If it breaks before a byte of an answer came, the
 * request is sent once more over a new connection: at once and within the same total time; or, with `Again`, when that allows it
 * and with the whole time. The endpoint may then get the request twice, as with every retry.
 */
export function httpSend(limits: SendLimits, timer: Timer, ports: SendPorts = {}): Send {
  const { totalTimeoutMs } = limits;
  const { lookup, connections = nodeConnections() } = ports;
  let lastTarget: Target | undefined;
  return (method, url, headers, body, again) =>
    new Promise((resolve, reject) => {
      const target = lastTarget?.href === url.href ? lastTarget : targetOf(url, limits, lookup);
      lastTarget = target;
      const raw = rawHeaders(headers, body, target);
      const begin = (agents: Agents): Attempt => {
        const options = { ...target.options, method, agent: agents[target.protocol], headers: raw };
        return attempt({ target, options, body, limits }, timer, ends);
      };
      let requests = 1;
      const resend = () => {
        requests += 1;
        current = begin(connections.fresh);
      };
      const askAgain = async (ask: Again, result: Silence) => {
        stopTotal();
        if (!(await ask())) return resolve({ ...result, requests });
        stopTotal = startTotal();
        resend();
      };
      const ends: Ends = {
        ended: result => {
          stopTotal();
          resolve({ ...result, requests });
        },
        metDeadConnection: result => {
          if (again) askAgain(again, result).catch(reject);
          else resend();
        },
        mistaken: error => {
          stopTotal();
          reject(error);
        },
      };
      const startTotal = () =>
        timer(totalTimeoutMs, () => {
          current.giveUp(`${current.isAnswering() ? 'no end of the answer' : 'nothing'} within ${totalTimeoutMs} ms`);
        });
      let current = begin(connections.kept);
      let stopTotal = startTotal();
    });
}
