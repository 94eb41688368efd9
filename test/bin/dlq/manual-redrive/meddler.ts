import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** One call on its way to AWS. */
export interface PassingCall {
  /** Such as `SendMessageBatch`. */
  readonly action: string;
  readonly body: string;
}

/** How the proxy changes calls and their answers. */
export interface Meddling {
  /** The body that is sent to AWS instead. @default - the original body */
  readonly asks?: (call: PassingCall) => string;
  /** What the caller gets after AWS has executed the call. @default - the whole answer */
  readonly hears?: (call: PassingCall) => 'answer' | 'nothing';
}

/** A proxy between a command and the embedded AWS that changes calls and answers. */
export class Meddler {
  private readonly server = createServer((from, to) => void this.pass(from, to));
  meddling: Meddling = {};

  private constructor(private readonly aws: string) {}

  /** Starts a proxy. */
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
