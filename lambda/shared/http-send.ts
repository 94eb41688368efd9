import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import type { Answered, TransportFailure, Unanswered } from '../../lib/policy/outcome/outcome';
import type { Timer } from './clock';

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

/** Sends a body. What came of it is data; it throws only for what is no request, such as a header with a line break. */
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

/** @see https://nodejs.org/docs/latest-v24.x/api/errors.html#common-system-errors */
const FAILURES: Readonly<Record<string, TransportFailure>> = {
  ECONNREFUSED: 'connection-refused',
  ECONNRESET: 'connection-reset',
  EPIPE: 'connection-reset',
  ENOTFOUND: 'name-not-resolved',
  EAI_AGAIN: 'name-not-resolved',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
};

/** @see https://nodejs.org/docs/latest-v24.x/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE = /CERT|_SIGNATURE|SELF_SIGNED|^CRL_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH/;

/** Time was over. */
class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

function failureOf(error: Error): TransportFailure {
  if (error instanceof TimeoutError) return 'timeout';
  const { code = '' } = error as NodeJS.ErrnoException;
  if (CERTIFICATE.test(code)) return 'bad-certificate';
  // What is left is an answer that is no HTTP: a connection that came to nothing.
  return FAILURES[code] ?? 'connection-reset';
}

function noAnswer(cause: Error, response: http.IncomingMessage | undefined): NoAnswer {
  const failure = failureOf(cause);
  return { kind: 'unanswered', failure, cause, ...(response && { statusCode: response.statusCode ?? 0 }) };
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

function onceConnected(request: http.ClientRequest, secure: boolean, then: () => void): void {
  request.on('socket', (socket: Socket) => {
    if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', then);
    else then();
  });
}

/** Sends over node's own client: connections kept alive between invocations, redirects never followed. */
export function httpSend({ connectTimeoutMs, totalTimeoutMs, maxBodyBytes }: SendLimits, timer: Timer): Send {
  const clients = {
    'http:': { open: http.request, agent: new http.Agent({ keepAlive: true }) },
    'https:': { open: https.request, agent: new https.Agent({ keepAlive: true }) },
  };
  return (method, url, headers, body) => {
    const secure = url.protocol !== 'http:';
    const { open, agent } = clients[secure ? 'https:' : 'http:'];
    const request = open(url, { method, agent, headers: { ...headers, 'Content-Length': Buffer.byteLength(body) } });
    let response: http.IncomingMessage | undefined;
    const giveUp = (what: string) => request.destroy(new TimeoutError(what));
    const stopTotal = timer(totalTimeoutMs, () => {
      giveUp(`${response ? 'no end of the answer' : 'nothing'} within ${totalTimeoutMs} ms`);
    });
    const stopConnect = timer(connectTimeoutMs, () => giveUp(`no connection within ${connectTimeoutMs} ms`));
    const result = new Promise<HttpAnswer | NoAnswer>(resolve => {
      const fail = (error: Error) => resolve(noAnswer(error, response));
      onceConnected(request, secure, stopConnect);
      request.on('error', fail);
      request.on('response', answer => {
        response = answer;
        answer.on('error', fail);
        readAnswer(answer, maxBodyBytes, resolve);
      });
    });
    request.end(body);
    return result.finally(() => {
      stopTotal();
      stopConnect();
    });
  };
}
