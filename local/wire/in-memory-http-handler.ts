import { Readable } from 'node:stream';
import { type HttpRequest, HttpResponse } from '@smithy/core/protocols';
import type { HttpHandlerOptions, RequestHandler } from '@smithy/types';
import type { Place } from '../kernel/place';
import { credentialScopeOf } from '../kernel/request-signature';
import { TestCode } from '../kernel/test-code';
import { awsHostName } from '../network/addresses';
import type { Network, NoAnswer, Reply } from '../network/network';
import { isSimulated } from './unsimulated/other-services';

/** The error that smithy's clients throw when an `AbortSignal` ends a request. */
class AbortError extends Error {
  override readonly name = 'AbortError';
}

/** The error that node:http throws when there is no answer. */
class NoAnswerError extends Error {
  constructor(
    readonly code: NoAnswer,
    readonly hostname: string,
    reason?: string,
  ) {
    super(`${code} ${hostname}${reason === undefined ? '' : ` (${reason})`}`);
  }
}

/**
 * Lets any SDK v3 client of this process use the embedded AWS over the in-memory network: `new SQSClient({ region,
 * credentials, requestHandler: new InMemoryHttpHandler(network, place) })`.
 *
 * A signed request goes to AWS, whatever host it names, because `AWS_ENDPOINT_URL` or similar may have changed the
 * host. The scope of its signature names the service.
 */
export class InMemoryHttpHandler implements RequestHandler<HttpRequest, HttpResponse, HttpHandlerOptions> {
  readonly metadata = { handlerProtocol: 'http/1.1' };

  constructor(
    private readonly network: Network,
    private readonly place: Pick<Place, 'urlSuffix'>,
    /** Headers of each request that has none of that name. */
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  async handle(request: HttpRequest, options: HttpHandlerOptions = {}): Promise<{ response: HttpResponse }> {
    const path = pathOf(request);
    const own = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]);
    const headers: Readonly<Record<string, string>> = { ...this.headers, ...Object.fromEntries(own) };
    const whenGone: (() => void)[] = [];
    const reply = this.network.send({
      ...destinationOf(request, awsHostOf({ host: request.hostname, path, headers }, this.place)),
      method: request.method,
      path,
      headers,
      body: await bytesOf(request.body),
      onGone: listener => whenGone.push(listener),
    });
    const code = TestCode.current;
    code?.noteRequest();
    // The answer takes virtual time, which must move while a test's own code waits for it.
    const awaited = reply instanceof Promise && code ? code.waitFor(reply) : reply;
    const abandon = (): void => {
      for (const listener of whenGone) listener();
    };
    return { response: responseOf(await abortable(awaited, options, abandon), request.hostname, this.place) };
  }

  /** Does nothing: there is nothing to configure. */
  updateHttpClientConfig(): void {}

  httpHandlerConfigs(): Record<string, never> {
    return {};
  }
}

interface SignedRequest {
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns AWS's own host for a signed request that names another host; undefined for all other requests. */
function awsHostOf(
  { host, path, headers }: SignedRequest,
  { urlSuffix }: Pick<Place, 'urlSuffix'>,
): string | undefined {
  if (awsHostName(host, urlSuffix)) return undefined;
  const { region, service } = credentialScopeOf({ headers, path }) ?? {};
  return region && service ? `${service}.${region}.${urlSuffix}` : undefined;
}

function destinationOf({ protocol, hostname, port }: HttpRequest, awsHost: string | undefined) {
  if (awsHost !== undefined) return { protocol: 'https', host: awsHost, port: 443 } as const;
  const plain = protocol === 'http:';
  return { protocol: plain ? 'http' : 'https', host: hostname, port: port ?? (plain ? 80 : 443) } as const;
}

function pathOf({ path, query }: HttpRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, one ?? '');
  }
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}

async function bytesOf(body: unknown): Promise<Uint8Array> {
  if (body === undefined || body === null) return new Uint8Array();
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  if (isStream(body)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  }
  throw new TypeError(`a request body must be text, bytes or a stream, got ${typeof body}`);
}

const isStream = (value: unknown): value is AsyncIterable<Uint8Array> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

function responseOf(reply: Reply, hostname: string, { urlSuffix }: Pick<Place, 'urlSuffix'>): HttpResponse {
  if (reply.kind === 'silence') throw new NoAnswerError('ETIMEDOUT', hostname);
  if (reply.kind === 'no-answer') throw new NoAnswerError(reply.code, hostname, reply.reason);
  const { status, headers, body } = reply;
  const { service } = awsHostName(hostname, urlSuffix) ?? {};
  // Bytes are read at once. Clients of services such as S3 accept a stream only.
  const isStream = service !== undefined && !isSimulated(service);
  return new HttpResponse({
    statusCode: status,
    headers: { ...headers },
    body: isStream ? Readable.from([body]) : body,
  });
}

/** Rejects with an `AbortError` as soon as the caller aborts, and tells the service through `abandon`. */
function abortable<T>(work: T | Promise<T>, { abortSignal }: HttpHandlerOptions, abandon: () => void): Promise<T> {
  if (!abortSignal) return Promise.resolve(work);
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      abandon();
      reject(new AbortError('Request aborted'));
    };
    if (abortSignal.aborted) {
      abort();
      return;
    }
    abortSignal.onabort = abort;
    Promise.resolve(work).then(resolve, reject);
  });
}
