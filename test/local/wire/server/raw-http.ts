import { Agent, request } from 'node:http';
import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A client that sends whatever it is given, over connections it keeps. */
export class RawClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(readonly port: number) {}

  send({ method = 'POST', path = '/', headers = {}, body = '' }: RawRequest): Promise<RawAnswer> {
    const { port, agent } = this;
    // Node.js sends the body of a GET without its length.
    const isFramed = body.length === 0 || 'transfer-encoding' in headers;
    const framed = isFramed ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, agent, method, path, headers: framed }, incoming => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
        });
        incoming.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  /** Sends bytes that need not be HTTP, and answers all that comes back until the server hangs up. */
  bytes(given: string | Uint8Array): Promise<string> {
    return new Promise(resolve => {
      const socket = connect(this.port, '127.0.0.1');
      const chunks: Buffer[] = [];
      socket.on('data', chunk => chunks.push(chunk));
      // A server that closes while bytes are still being sent resets the connection. That counts as an answer.
      socket.on('error', () => {});
      socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
      socket.end(given);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** As much of a signature as says for which service it is. */
export function signedFor(service: string, region = 'us-east-1'): Record<string, string> {
  const scope = `AKIAIOSFODNN7EXAMPLE/20260101/${region}/${service}/aws4_request`;
  return { authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=${'0'.repeat(64)}` };
}
