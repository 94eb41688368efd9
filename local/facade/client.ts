import { isoInstant } from '../kernel/clock';
import type { Place } from '../kernel/place';
import type { Network } from '../network/network';
import type { Simulation } from '../simulation';
import { InMemoryHttpHandler } from '../wire';

/** An administrator's access key, in the form AWS uses in its documentation. */
export const ADMINISTRATOR = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

/**
 * What a client would look up in environment variables and in `~/.aws/config`, at the SDK's own defaults. Whatever is
 * configured there is meant for AWS; and a client that reads no file has its first call here before time moves.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html
 */
const SETTLED = {
  authSchemePreference: [] as string[],
  defaultsMode: 'standard',
  disableClockSkewCorrection: false,
  disableRequestCompression: true,
  ignoreConfiguredEndpointUrls: true,
  maxAttempts: 3,
  requestMinCompressionSizeBytes: 10_240,
  retryMode: 'standard',
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: '',
} as const;

/** A request handler as the SDK's clients take any: what it handles is between them and the embedded AWS. */
export type SdkRequestHandler = {
  readonly metadata: { readonly handlerProtocol: string };
  handle(...request: never): Promise<{ readonly response: unknown }>;
};

/** What any AWS SDK v3 client needs to talk to the embedded AWS, and nothing else. */
export type ClientConfig = typeof SETTLED & {
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly requestHandler: SdkRequestHandler;
};

export function clientConfig(network: Network, place: Place): ClientConfig {
  const requestHandler = new InMemoryHttpHandler(network, place);
  return { ...SETTLED, region: place.region, credentials: ADMINISTRATOR, requestHandler };
}

export interface RequestOptions {
  /** Whether an administrator signs the request. @default true */
  readonly signed?: boolean;
}

/** An answer to `LocalAws.request`. */
export interface TextAnswer {
  readonly status: number;
  readonly text: string;
}

/** What a request is. */
export interface TextRequest extends RequestOptions {
  readonly method: string;
  readonly url: string;
  /** JSON */
  readonly body: string;
}

/**
 * Sends an HTTP request to a host of this world. An answer that takes time waits until virtual time has passed.
 *
 * @throws Error saying why when nobody answers
 */
export async function sendText(
  world: Simulation,
  { method, url, body, signed = true }: TextRequest,
): Promise<TextAnswer> {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const secure = protocol === 'https:';
  const reply = await world.network.send({
    protocol: secure ? 'https' : 'http',
    host: hostname,
    port: port === '' ? (secure ? 443 : 80) : Number(port),
    method,
    path: pathname + search,
    headers: {
      host: hostname,
      'content-type': 'application/json',
      ...(signed && { authorization: authorization(world) }),
    },
    body: Buffer.from(body),
  });
  const latencyMs = reply.kind === 'silence' ? 0 : (reply.latencyMs ?? 0);
  if (latencyMs > 0) await new Promise<void>(resolve => world.timeline.after(latencyMs, resolve));
  if (reply.kind !== 'response') {
    const why = reply.kind === 'silence' ? 'nothing ever comes' : reply.code;
    throw new Error(`${method} ${url}: no answer (${why})`);
  }
  return { status: reply.status, text: Buffer.from(reply.body).toString('utf8') };
}

/** As much of a signature as anybody here reads: who signed. */
function authorization({ place, timeline }: Simulation): string {
  const day = isoInstant(timeline.nowMs).slice(0, 10).replaceAll('-', '');
  const scope = `${ADMINISTRATOR.accessKeyId}/${day}/${place.region}/execute-api/aws4_request`;
  return `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
}
