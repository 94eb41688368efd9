import { createHash, createHmac, type Hmac, type Hash as NodeHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Checksum, SourceData } from '@smithy/types';
import { credentialScopeOf } from '../../kernel/request-signature';
import type { Scheduler } from '../../kernel/timeline';
import type { OutgoingRequest, Reply } from '../../network/network';

/** An emulator that the user runs. */
export interface ForwardOptions {
  /**
   * The credentials that sign the forwarded requests. All functions share them, because some emulators have different
   * data for each access key.
   *
   * @default - the access key `local`
   */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** How long the emulator may take, in milliseconds of real time. @default 30,000 */
  readonly timeoutMs?: number;
}

export interface ForwardTarget extends ForwardOptions {
  readonly url: URL;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const LOCAL = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The header that tells the emulator which function calls. */
const FUNCTION_HEADER = 'x-dlo-function';

/** Headers of the client's own connection and signature. */
const REPLACED: readonly string[] = ['authorization', 'connection', 'content-length', 'host', 'transfer-encoding'];
const OF_SIGNATURE = /^x-amz-(date|security-token|content-sha256)$/;
/** A body with its checksum at the end, which has no signature of its own. */
const TRAILER = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
const PRESIGNED = /^x-amz-(algorithm|credential|date|expires|signature|signedheaders|security-token)$/i;

export interface Forwarded {
  readonly request: OutgoingRequest;
  /** The service as in host names. */
  readonly service: string;
  readonly region: string;
  readonly functionName: string | undefined;
}

/** An error of the connection to an emulator. */
export interface ForwardFailure {
  /** The error code of Node.js. */
  readonly code: string;
  readonly reason: string;
}

/**
 * Sends requests to emulators, over the real network. Virtual time stands still meanwhile. Requests are sent one after
 * the other, so that an emulator receives them in the same order in every run.
 */
export class Forwarder {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly timeline: Pick<Scheduler, 'hold'>) {}

  send(forwarded: Forwarded, target: ForwardTarget): Promise<Extract<Reply, { kind: 'response' }> | ForwardFailure> {
    const release = this.timeline.hold();
    const sent = this.last.then(() => exchange(forwarded, target)).finally(release);
    this.last = sent;
    return sent;
  }
}

async function exchange(
  forwarded: Forwarded,
  target: ForwardTarget,
): Promise<Extract<Reply, { kind: 'response' }> | ForwardFailure> {
  const { request } = forwarded;
  const { method, path, headers } = await signed(forwarded, target);
  const { url, timeoutMs = DEFAULT_TIMEOUT_MS } = target;
  const { request: connect } = url.protocol === 'https:' ? https : http;
  return new Promise(resolve => {
    const failed = (error: NodeJS.ErrnoException): void =>
      resolve({ code: error.code ?? 'ECONNRESET', reason: error.message });
    const options = { method, path, headers, agent: false, signal: AbortSignal.timeout(timeoutMs) };
    const sending = connect(url.origin, options, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', failed);
      response.on('end', () => {
        const { statusCode: status = 500, headers: received } = response;
        resolve({ kind: 'response', status, headers: answerHeaders(received), body: Buffer.concat(chunks) });
      });
    });
    sending.on('error', error => failed(timedOut(error, timeoutMs)));
    sending.end(request.body);
  });
}

function timedOut(error: NodeJS.ErrnoException, timeoutMs: number): NodeJS.ErrnoException {
  if (error.name !== 'AbortError' && error.name !== 'TimeoutError') return error;
  return Object.assign(new Error(`no answer within ${timeoutMs} ms`), { code: 'ETIMEDOUT' });
}

function answerHeaders(headers: http.IncomingHttpHeaders): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).filter(
    ([name]) => !['connection', 'keep-alive', 'transfer-encoding', 'date'].includes(name),
  );
  return Object.fromEntries(
    kept.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

/** Signs a request again, because it goes to another host. An unsigned request stays unsigned. */
async function signed(forwarded: Forwarded, { url, credentials = LOCAL }: ForwardTarget): Promise<HttpRequest> {
  const { request, functionName, region } = forwarded;
  const scope = credentialScopeOf(request);
  const [where = '/', search = ''] = pathAtEmulator(forwarded).split('?');
  const query = [...new URLSearchParams(search)].filter(([name]) => scope === undefined || !PRESIGNED.test(name));
  const isStreaming = request.headers['x-amz-content-sha256'] === TRAILER;
  const kept = Object.entries(request.headers).filter(
    ([name]) => !REPLACED.includes(name) && (!OF_SIGNATURE.test(name) || (isStreaming && name.endsWith('sha256'))),
  );
  const http = new HttpRequest({
    protocol: url.protocol,
    hostname: url.hostname,
    method: request.method,
    path: url.pathname.replace(/\/$/, '') + where,
    query: Object.fromEntries(
      query.map(([name]) => [name, query.filter(([it]) => it === name).map(([, value]) => value)]),
    ),
    headers: {
      ...Object.fromEntries(kept),
      host: url.host,
      ...(request.body.byteLength > 0 && { 'content-length': String(request.body.byteLength) }),
      ...(functionName !== undefined && { [FUNCTION_HEADER]: functionName }),
    },
    body: request.body,
  });
  const service = scope?.service ?? forwarded.service;
  const signer = new SignatureV4({
    credentials,
    region: scope?.region ?? region,
    service,
    sha256: Sha256,
    uriEscapePath: service !== 's3',
  });
  const sent = scope === undefined ? http : await signer.sign(http);
  const text = new URLSearchParams(query).toString();
  return new HttpRequest({ ...sent, path: text === '' ? sent.path : `${sent.path}?${text}` });
}

const BUCKET = /^(.+)\.s3[.-]/;

/** An emulator has one host name, so the bucket in a host name goes into the path. */
function pathAtEmulator({ request: { host, path }, service }: Forwarded): string {
  const bucket = service === 's3' ? BUCKET.exec(host)?.[1] : undefined;
  return bucket === undefined ? path : `/${bucket}${path}`;
}

/** SHA-256 of Node.js, as the SDK's signer calls it. */
class Sha256 implements Checksum {
  private readonly hash: NodeHash | Hmac;

  constructor(private readonly secret?: SourceData) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(chunk: SourceData): void {
    this.hash.update(bytesOf(chunk));
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }

  reset(): void {
    throw new Error(`a hash is used once${this.secret === undefined ? '' : ', with its secret'}`);
  }
}

function bytesOf(data: SourceData): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
