import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** One call on its way to AWS. */
export interface PassingCall {
  /** Such as `SendMessageBatch`. */
  readonly action: string;
  readonly body: string;
}

/** What is done to calls, and to their answers. */
export interface Meddling {
  /** What AWS is asked instead. @default - what it was asked */
  readonly asks?: (call: PassingCall) => string;
  /** What is heard of the answer, once AWS has done what it was asked. @default - all of it */
  readonly hears?: (call: PassingCall) => 'answer' | 'nothing';
}

/** Stands between a command and the embedded AWS, and meddles with what both hear of each other. */
export class Meddler {
  private readonly server = createServer((from, to) => void this.pass(from, to));
  meddling: Meddling = {};

  private constructor(private readonly aws: string) {}

  /** One that listens. */
  static async before(aws: string): Promise<Meddler> {
    const meddler = new Meddler(aws);
    await new Promise<void>(resolve => meddler.server.listen(0, '127.0.0.1', resolve));
    return meddler;
  }

  /** Where it answers. */
  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = from;
    const action = String(headers['x-amz-target'] ?? '').replace(/^.*\./, '');
    const call = { action, body: String(await buffer(from)) };
    const { asks = ({ body }) => body, hears = () => 'answer' } = this.meddling;
    const body = asks(call);
    const sent = { ...headers, 'content-length': Buffer.byteLength(body) };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(new URL(path, this.aws), { method, headers: sent }, resolve).on('error', reject).end(body);
    });
    const text = String(await buffer(answer));
    if (hears(call) === 'nothing') return void to.destroy();
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...others } = answer.headers;
    to.writeHead(answer.statusCode ?? 500, { ...others, 'content-length': Buffer.byteLength(text) });
    to.end(text);
  }
}
