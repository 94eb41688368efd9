import type { Iam } from '../iam';
import { isoInstant } from '../kernel/clock';
import type { Place } from '../kernel/place';
import type { Network } from '../network/network';
import type { PlaceServices } from '../place-services';
import type { Simulation } from '../simulation';
import { InMemoryHttpHandler } from '../wire';
import { type AccountAndRegion, type ActingAs, accountAndRegion, actingAs } from './options';

/** The access key of an administrator, as in AWS's documentation. */
const ADMINISTRATOR = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

/**
 * The SDK's defaults for settings that a client would otherwise read from environment variables and `~/.aws/config`.
 * Settings configured there are meant for AWS. A client that reads no file also sends its first call before time moves.
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

/** A request handler as the SDK's clients accept it. Its details are internal. */
export type SdkRequestHandler = {
  readonly metadata: { readonly handlerProtocol: string };
  handle(...request: never): Promise<{ readonly response: unknown }>;
};

/** The configuration that connects any AWS SDK v3 client to the embedded AWS. */
export type ClientConfig = typeof SETTLED & {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  readonly requestHandler: SdkRequestHandler;
};

/** Who calls, and from where. */
interface ClientIdentity {
  readonly credentials: ClientConfig['credentials'];
  /** Headers of each request that has none of that name. @default - none */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An administrator. @param isDefault whether it is the default account. The access key of any other account is its number. */
const administratorOf = ({ account }: Place, isDefault: boolean): ClientIdentity => ({
  credentials: isDefault ? ADMINISTRATOR : { ...ADMINISTRATOR, accessKeyId: account },
});

/**
 * A program on an instance or in a container. The service that runs it renews its credentials, so they do not expire.
 *
 * @throws Error when the role does not exist, or its trust policy does not let the service assume it
 */
function programWith(iam: Iam, role: string, service = 'ec2.amazonaws.com'): ClientIdentity {
  const { allowed, reason } = iam.decideAssumeRole(service, role);
  if (!allowed) throw new Error(`${service} cannot give a program the role ${role}: ${reason}`);
  return { credentials: iam.credentials.issue(role, 'program') };
}

/** The services of an account in a Region. @throws Error when the simulation does not have it */
export function servicesIn(simulation: Simulation, where: AccountAndRegion): PlaceServices {
  const { account = simulation.place.account, region = simulation.place.region } = accountAndRegion(where, 'where');
  return simulation.in(account, region);
}

/** The configuration of a client that acts as an administrator, or as a role. */
export function clientConfigOf(simulation: Simulation, where: ActingAs): ClientConfig {
  const { role, service, ...rest } = actingAs(where, 'where');
  const { iam, place } = servicesIn(simulation, rest);
  const isDefault = place.account === simulation.place.account;
  const identity = role === undefined ? administratorOf(place, isDefault) : programWith(iam, role, service);
  return clientConfig(simulation.network, place, identity);
}

/** @param identity @default - an administrator of the default account */
export function clientConfig(
  network: Network,
  place: Place,
  { credentials, headers }: ClientIdentity = { credentials: ADMINISTRATOR },
): ClientConfig {
  const requestHandler = new InMemoryHttpHandler(network, place, headers);
  return { ...SETTLED, region: place.region, credentials, requestHandler };
}

export interface RequestOptions {
  /** Whether the request is signed by an administrator. @default true */
  readonly signed?: boolean;
}

/** An answer to `LocalAws.request`. */
export interface TextAnswer {
  readonly status: number;
  readonly text: string;
}

/** A request to send. */
interface TextRequest extends RequestOptions {
  readonly method: string;
  readonly url: string;
  /** JSON. */
  readonly body: string;
}

/**
 * Sends an HTTP request to a host of the simulation. If the answer takes time, the promise waits for virtual time.
 *
 * @throws Error with the reason when there is no answer
 */
export async function sendText(
  simulation: Simulation,
  { method, url, body, signed = true }: TextRequest,
): Promise<TextAnswer> {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const secure = protocol === 'https:';
  const reply = await simulation.network.send({
    protocol: secure ? 'https' : 'http',
    host: hostname,
    port: port === '' ? (secure ? 443 : 80) : Number(port),
    method,
    path: pathname + search,
    headers: {
      host: hostname,
      'content-type': 'application/json',
      ...(signed && { authorization: authorization(simulation) }),
    },
    body: Buffer.from(body),
  });
  const latencyMs = reply.kind === 'silence' ? 0 : (reply.latencyMs ?? 0);
  if (latencyMs > 0) await new Promise<void>(resolve => simulation.timeline.after(latencyMs, resolve));
  if (reply.kind !== 'response') {
    const why = reply.kind === 'silence' ? 'nothing is ever received' : reply.code;
    throw new Error(`${method} ${url}: no answer (${why})`);
  }
  return { status: reply.status, text: Buffer.from(reply.body).toString('utf8') };
}

/** The part of a signature that the embedded AWS reads: who signed. */
function authorization({ place, timeline }: Simulation): string {
  const day = isoInstant(timeline.nowMs).slice(0, 10).replaceAll('-', '');
  const scope = `${ADMINISTRATOR.accessKeyId}/${day}/${place.region}/execute-api/aws4_request`;
  return `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
}
