import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import type { Timer } from '../../mover/clock';
import type { Answered, Unanswered } from '../../policy/outcome/outcome';
import {
  type Agents,
  type Connections,
  messageOf,
  nodeConnections,
  TimeoutError,
  transportFailureOf,
} from './connections';

/** How often something was sent. */
interface Sent {
  /** 2 where the first met a connection that was dead. */
  readonly requests: number;
}

/** What came back: an outcome, and what it looked like. A status is an answer, whatever becomes of the body behind it. */
interface Reply extends Answered {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /**
   * Why the body is not whole: it is too long, broke off, or took too long. The connection is closed.
   * @default - it is whole
   */
  readonly cut?: string;
}

/** No status came back: an outcome, and why. */
interface Silence extends Unanswered {
  readonly cause: Error;
}

export interface HttpAnswer extends Reply, Sent {}

export interface NoAnswer extends Silence, Sent {}

/** Asked before something is sent once more; where it answers false, it is not. */
export type Again = () => Promise<boolean>;

/**
 * Sends a body. What came of it is data.
 *
 * @param again where it is left out, nobody is asked
 * @throws for what is no request, such as a header with a line break, and for what is no failure of a transport: a mistake
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
  /** Until the connection stands, TLS included; one that is kept alive stands already. */
  readonly connectTimeoutMs: number;
  /** From the call to the last byte received; from the answer of `Again`, where somebody was asked. */
  readonly totalTimeoutMs: number;
  readonly maxBodyBytes: number;
}

/**
 * Reads to the end, or to the limit and no further.
 * @returns ends it before, and is told why
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
  readonly ended: (result: Reply | Silence) => void;
  /** The connection it went over had been kept alive, and broke before a byte of an answer came. */
  readonly metDeadConnection: (result: Silence) => void;
  readonly mistaken: (error: Error) => void;
}

/** Node's own, with one that its types leave out. */
interface RequestOptions extends http.RequestOptions {
  readonly autoSelectFamilyAttemptTimeout: number;
}

/** What requests to one URL have in common. */
interface Target {
  readonly href: string;
  readonly protocol: keyof Agents;
  readonly host: string;
  /** Of a URL with a user: its header, unless another is given. */
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
 * How long an address of a name may take, if there is another one to try. Node's own quarter of a second is less than one lost
 * packet costs, and than some healthy hosts are away. Our choice: half of the time, so that the other one has as long.
 *
 * @see https://nodejs.org/docs/latest-v24.x/api/net.html#socketconnectoptions-connectlistener
 */
function addressTimeoutMs({ connectTimeoutMs }: SendLimits): number {
  return Math.ceil(connectTimeoutMs / 2);
}

/** Node reads a URL anew for each request it is given one for, which takes a seventh of the request's whole time. */
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
function switching({ statusCode = 0, headers }: http.IncomingMessage): Reply {
  return { kind: 'answered', statusCode, headers, body: '' };
}

function cutBy(cause: Error): string {
  return cause instanceof TimeoutError ? cause.message : `it broke off: ${messageOf(cause)}`;
}

/** Tells how it ended by a call, not by a promise: several of those for each request take their time. */
function attempt({ target, options, body, limits }: Outgoing, timer: Timer, ends: Ends): Attempt {
  const { connectTimeoutMs, maxBodyBytes } = limits;
  const secure = target.protocol === 'https:';
  const request = (secure ? https : http).request(options);
  let cutAnswer: ((cut: string) => void) | undefined;
  let isOver = false;
  let bytesBefore = 0;
  const giveUp = (what: string) => request.destroy(new TimeoutError(what));
  // One that is kept alive stands already.
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
 * Sends over node's own client: connections kept alive between invocations, redirects never followed.
 *
 * A connection that was kept alive may be dead without our knowing, above all where the function was frozen in between: a
 * request that finds it so, before a byte of an answer came, is sent once more, over a connection made for it: at once and
 * within the same total time, or when and if `Again` says so, with all of the time. Whoever receives it may then have had it
 * before, as with every retry.
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
