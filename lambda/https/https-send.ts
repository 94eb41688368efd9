import * as http from 'node:http';
import * as https from 'node:https';

/** What came back. */
export interface HttpAnswer {
  readonly statusCode: number;
  readonly body: string;
}

/** Sends a body and returns the answer, or rejects when there is none in time. */
export type Send = (
  method: 'POST' | 'PUT',
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<HttpAnswer>;

/** How long one request may take, and how much of an answer is read. */
export interface SendLimits {
  /** From the first byte sent to the last received. */
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
}

/** Calls `then` after a while, unless what it returns is called before. */
export type Timer = (milliseconds: number, then: () => void) => () => void;

function readAnswer(response: http.IncomingMessage, { maxBodyBytes }: SendLimits): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      if (size < maxBodyBytes) chunks.push(chunk);
      size += chunk.length;
    });
    response.on('error', reject);
    response.on('end', () => {
      resolve({ statusCode: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') });
    });
  });
}

/** Sends over node's own client: one connection kept alive between invocations, redirects never followed. */
export function httpsSend(limits: SendLimits, timer: Timer): Send {
  const clients = {
    'http:': { request: http.request, agent: new http.Agent({ keepAlive: true }) },
    'https:': { request: https.request, agent: new https.Agent({ keepAlive: true }) },
  };
  return (method, url, headers, body) => {
    const { request: open, agent } = clients[url.protocol === 'http:' ? 'http:' : 'https:'];
    const request = open(url, { method, agent, headers: { ...headers, 'Content-Length': Buffer.byteLength(body) } });
    const stopTimer = timer(limits.timeoutMs, () => {
      request.destroy(new Error(`nothing within ${limits.timeoutMs} ms`));
    });
    const answer = new Promise<HttpAnswer>((resolve, reject) => {
      request.on('error', reject);
      request.on('response', response => readAnswer(response, limits).then(resolve, reject));
    });
    request.end(body);
    return answer.finally(stopTimer);
  };
}
