import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
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
    const body = Buffer.concat(chunks).subarray(0, maxBodyBytes).toString('utf8');
    done({ kind: 'answered', statusCode, headers, body, cut });
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
  readonly result: Promise<HttpAnswer | NoAnswer>;
  readonly giveUp: (what: string) => void;
  readonly isAnswering: () => boolean;
  /** Whether the connection it went over had been kept alive, and broke before a byte of an answer came. */
  readonly metDeadConnection: () => boolean;
}

/** What one request is made of. */
interface Outgoing {
  readonly url: URL;
  readonly options: http.RequestOptions;
  readonly body: string;
  readonly connectTimeoutMs: number;
  readonly maxBodyBytes: number;
}

function onceConnected(socket: Socket, secure: boolean, then: () => void): void {
  if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', then);
  else then();
}

/** An answer that asks for another protocol: all there is to it is its status. */
function switching({ statusCode = 0, headers }: http.IncomingMessage): HttpAnswer {
  return { kind: 'answered', statusCode, headers, body: '', cut: false };
}

function attempt({ url, options, body, connectTimeoutMs, maxBodyBytes }: Outgoing, timer: Timer): Attempt {
  const secure = url.protocol !== 'http:';
  const request = (secure ? https : http).request(url, options);
  let response: http.IncomingMessage | undefined;
  let broke = false;
  const giveUp = (what: string) => request.destroy(new TimeoutError(what));
  const stopConnect = timer(connectTimeoutMs, () => giveUp(`no connection within ${connectTimeoutMs} ms`));
  let bytesBefore = 0;
  const hasReceived = () => (request.socket?.bytesRead ?? 0) > bytesBefore;
  const result = new Promise<HttpAnswer | NoAnswer>((resolve, reject) => {
    const fail = (cause: Error) => {
      stopConnect();
      const failure = transportFailureOf(cause);
      if (!failure) return reject(cause);
      broke = failure === 'connection-reset';
      const statusCode = response?.statusCode;
      resolve({ kind: 'unanswered', failure, cause, ...(statusCode !== undefined && { statusCode }) });
    };
    request.on('socket', socket => {
      bytesBefore = socket.bytesRead;
      onceConnected(socket, secure, stopConnect);
    });
    request.on('error', fail);
    request.on('upgrade', (answer, socket) => {
      socket.destroy();
      resolve(switching(answer));
    });
    request.on('response', answer => {
      response = answer;
      answer.on('error', fail);
      readAnswer(answer, maxBodyBytes, resolve);
    });
  });
  request.end(body);
  return {
    result,
    giveUp,
    isAnswering: () => response !== undefined,
    metDeadConnection: () => broke && request.reusedSocket && !response && !hasReceived(),
  };
}

/**
 * Sends over node's own client: connections kept alive between invocations, redirects never followed.
 *
 * A connection that was kept alive may be dead without our knowing, above all where the function was frozen in between: a
 * request that finds it so, before a byte of an answer came, is sent once more, over a connection made for it and within
 * the same total time. Whoever receives it may then have had it before, as with every retry.
 */
export function httpSend(limits: SendLimits, timer: Timer, ports: SendPorts = {}): Send {
  const { connectTimeoutMs, totalTimeoutMs, maxBodyBytes } = limits;
  const { lookup, connections = nodeConnections() } = ports;
  return async (method, url, headers, body) => {
    const protocol = url.protocol === 'http:' ? 'http:' : 'https:';
    const begin = (agents: Agents) => {
      const sent = { ...headers, 'Content-Length': Buffer.byteLength(body) };
      const options = { method, agent: agents[protocol], headers: sent, ...(lookup && { lookup }) };
      return attempt({ url, options, body, connectTimeoutMs, maxBodyBytes }, timer);
    };
    let current = begin(connections.kept);
    const stopTotal = timer(totalTimeoutMs, () => {
      current.giveUp(`${current.isAnswering() ? 'no end of the answer' : 'nothing'} within ${totalTimeoutMs} ms`);
    });
    try {
      const result = await current.result;
      if (!current.metDeadConnection()) return result;
      current = begin(connections.fresh);
      return await current.result;
    } finally {
      stopTotal();
    }
  };
}
