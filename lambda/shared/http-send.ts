import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import type { Answered, Unanswered } from '../../lib/policy/outcome/outcome';
import { type Agents, type Connections, nodeConnections } from './agents';
import type { Timer } from './clock';
import { TimeoutError, transportFailureOf } from './transport-error';

/** What came back: an outcome, and what it looked like. */
export interface HttpAnswer extends Answered {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** Whether the body had more than `maxBodyBytes`. The rest was not waited for, and the connection is closed. */
  readonly cut: boolean;
}

/** Nothing came back, or not all of it: an outcome, and why. */
export interface NoAnswer extends Unanswered {
  readonly cause: Error;
  /** The status of an answer whose body broke off, or took too long. */
  readonly statusCode?: number;
}

/**
 * Sends a body. What came of it is data.
 * @throws for what is no request, such as a header with a line break, and for what is no failure of a transport: a mistake
 */
export type Send = (
  method: 'POST' | 'PUT',
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<HttpAnswer | NoAnswer>;

/** How long one request may take, and how much of an answer is read. */
export interface SendLimits {
  /** Until the connection stands, TLS included; one that is kept alive stands already. */
  readonly connectTimeoutMs: number;
  /** From the call to the last byte received. */
  readonly totalTimeoutMs: number;
  readonly maxBodyBytes: number;
}

/** Reads to the end, or to the limit and no further. */
function readAnswer(response: http.IncomingMessage, maxBodyBytes: number, done: (answer: HttpAnswer) => void): void {
  const { statusCode = 0, headers } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = (cut: boolean) => {
    const [first] = chunks;
    const whole = first && chunks.length === 1 ? first : Buffer.concat(chunks);
    done({ kind: 'answered', statusCode, headers, body: whole.toString('utf8', 0, maxBodyBytes), cut });
  };
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= maxBodyBytes) return;
    finish(true);
    response.destroy();
  });
  response.on('end', () => finish(false));
}

/** What carries requests. */
export interface SendPorts {
  /**
   * Resolves the names of hosts. It is never asked for a host that is an address.
   * @default - node's own, which asks the machine
   */
  readonly lookup?: LookupFunction;
  /** @default - `nodeConnections()` */
  readonly connections?: Connections;
}

/** One request under way. */
interface Attempt {
  readonly giveUp: (what: string) => void;
  readonly isAnswering: () => boolean;
}

/** What is told, once, of how a request ends. */
interface Ends {
  readonly ended: (result: HttpAnswer | NoAnswer) => void;
  /** The connection it went over had been kept alive, and broke before a byte of an answer came. */
  readonly metDeadConnection: () => void;
  readonly mistaken: (error: Error) => void;
}

/** What requests to one URL have in common. */
interface Target {
  readonly href: string;
  readonly protocol: keyof Agents;
  readonly host: string;
  /** Of a URL with a user: its header, unless another is given. */
  readonly authorization?: string;
  readonly options: http.RequestOptions;
}

/** What one request is made of. */
interface Outgoing {
  readonly target: Target;
  readonly options: http.RequestOptions;
  readonly body: string;
  readonly limits: SendLimits;
}

/** Node reads a URL anew for each request it is given one for, which takes a seventh of the request's whole time. */
function targetOf(url: URL, lookup: LookupFunction | undefined): Target {
  const { hostname, port, path, auth } = urlToHttpOptions(url);
  const protocol = url.protocol === 'http:' ? 'http:' : 'https:';
  return {
    href: url.href,
    protocol,
    host: url.host,
    ...(auth && { authorization: `Basic ${Buffer.from(auth).toString('base64')}` }),
    options: { protocol, hostname, port, path, ...(lookup && { lookup }) },
  };
}

/**
 * Headers as they go over the wire, with those node adds, in its order. Node checks a list, and writes it as it is; of an
 * object it makes another one first, which takes a twentieth of the request's whole time.
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

/** An answer that asks for another protocol: all there is to it is its status. */
function switching({ statusCode = 0, headers }: http.IncomingMessage): HttpAnswer {
  return { kind: 'answered', statusCode, headers, body: '', cut: false };
}

/** Tells how it ended by a call, not by a promise: several of those for each request take their time. */
function attempt({ target, options, body, limits }: Outgoing, timer: Timer, ends: Ends): Attempt {
  const { connectTimeoutMs, maxBodyBytes } = limits;
  const secure = target.protocol === 'https:';
  const request = (secure ? https : http).request(options);
  let response: http.IncomingMessage | undefined;
  let isOver = false;
  let bytesBefore = 0;
  const giveUp = (what: string) => request.destroy(new TimeoutError(what));
  // One that is kept alive stands already.
  const stopConnect = request.reusedSocket
    ? undefined
    : timer(connectTimeoutMs, () => giveUp(`no connection within ${connectTimeoutMs} ms`));
  const end = (result: HttpAnswer | NoAnswer) => {
    if (!isOver) ends.ended(result);
    isOver = true;
  };
  const isOfDeadConnection = () => request.reusedSocket && !response && (request.socket?.bytesRead ?? 0) <= bytesBefore;
  const fail = (cause: Error) => {
    stopConnect?.();
    if (isOver) return;
    const failure = transportFailureOf(cause);
    if (failure && (failure !== 'connection-reset' || !isOfDeadConnection())) {
      const statusCode = response?.statusCode;
      return end({ kind: 'unanswered', failure, cause, ...(statusCode !== undefined && { statusCode }) });
    }
    isOver = true;
    if (failure) ends.metDeadConnection();
    else ends.mistaken(cause);
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
    response = answer;
    answer.on('error', fail);
    readAnswer(answer, maxBodyBytes, end);
  });
  request.end(body);
  return { giveUp, isAnswering: () => response !== undefined };
}

/**
 * Sends over node's own client: connections kept alive between invocations, redirects never followed.
 *
 * A connection that was kept alive may be dead without our knowing, above all where the function was frozen in between: a
 * request that finds it so, before a byte of an answer came, is sent once more, over a connection made for it and within
 * the same total time. Whoever receives it may then have had it before, as with every retry.
 */
export function httpSend(limits: SendLimits, timer: Timer, ports: SendPorts = {}): Send {
  const { totalTimeoutMs } = limits;
  const { lookup, connections = nodeConnections() } = ports;
  let lastTarget: Target | undefined;
  return (method, url, headers, body) =>
    new Promise((resolve, reject) => {
      const target = lastTarget?.href === url.href ? lastTarget : targetOf(url, lookup);
      lastTarget = target;
      const raw = rawHeaders(headers, body, target);
      const begin = (agents: Agents): Attempt => {
        const options = { ...target.options, method, agent: agents[target.protocol], headers: raw };
        return attempt({ target, options, body, limits }, timer, ends);
      };
      const ends: Ends = {
        ended: result => {
          stopTotal();
          resolve(result);
        },
        metDeadConnection: () => {
          current = begin(connections.fresh);
        },
        mistaken: error => {
          stopTotal();
          reject(error);
        },
      };
      let current = begin(connections.kept);
      const stopTotal = timer(totalTimeoutMs, () => {
        current.giveUp(`${current.isAnswering() ? 'no end of the answer' : 'nothing'} within ${totalTimeoutMs} ms`);
      });
    });
}
