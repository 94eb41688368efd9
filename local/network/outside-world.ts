import net from 'node:net';
import type { Clock } from '../kernel/clock';
import { InvalidInput } from '../kernel/member-reader';
import { addressesOf, canonicalHost, defaultAddressOf, isLoopback } from './addresses';
import type { Destination, OutgoingRequest, Reach, Reply, Resolved, Unconnected } from './network';
import { noAnswer, OutsideEndpoint, response } from './outside-endpoint';

/**
 * Everything outside AWS. Every host exists, and by default answers 200.
 *
 * The host at an address is, in this order: the host that a scenario has named by the address; the host whose name the
 * client uses, if the name has ever resolved to the address; any other host whose name has. Other addresses have no
 * host: a connection to a loopback address is refused, and one to any other address gets no answer. Functions use IPv6
 * like IPv4.
 */
export class OutsideWorld implements Reach {
  private readonly endpoints = new Map<string, OutsideEndpoint>();
  /** Names that were looked up, by their default addresses. */
  private readonly namesByDefaultAddress = new Map<string, string>();

  /** @param isAws whether the embedded AWS itself answers for a host. @default - the embedded AWS answers for no host */
  constructor(
    private readonly clock: Clock,
    private readonly isAws: (hostName: string) => boolean = () => false,
  ) {}

  /** Whether the endpoint was scripted or reached before. */
  has(hostName: string): boolean {
    return this.endpoints.has(canonicalHost(hostName));
  }

  /** Every endpoint that was scripted or reached, in that order. */
  get all(): readonly OutsideEndpoint[] {
    return [...this.endpoints.values()];
  }

  /**
   * Normalizes the host name of an outside endpoint.
   *
   * @throws InvalidInput for an invalid host name, and for a host of AWS
   */
  hostFor(hostName: unknown): string {
    return outsideHost(hostName, this.isAws);
  }

  /** The endpoint with a host name, in any case, or an address. */
  endpoint(hostName: string): OutsideEndpoint {
    const name = canonicalHost(hostName);
    const known = this.endpoints.get(name);
    if (known) return known;
    const nature = METADATA_ADDRESSES.includes(name) ? { answer: instanceMetadata, port: METADATA_PORT } : undefined;
    const endpoint = new OutsideEndpoint(name, this.clock, nature);
    this.endpoints.set(name, endpoint);
    return endpoint;
  }

  /** Resolving a host that was never scripted or reached must not create it. */
  resolve(hostName: string): Resolved {
    const name = canonicalHost(hostName);
    const home = defaultAddressOf(name);
    if (home !== undefined && !this.namesByDefaultAddress.has(home)) this.namesByDefaultAddress.set(home, name);
    return this.endpoints.get(name)?.resolve() ?? { addresses: addressesOf(name), latencyMs: 0 };
  }

  connect(destination: Destination): Unconnected | undefined {
    const { host, serverName, port } = destination;
    const address = canonicalHost(destination.address ?? addressesOf(host)[0] ?? host);
    const listener = this.listenerAt(address, [host, serverName]);
    if (listener === undefined) return noHostAt(address);
    // A host without a scripted behavior accepts all connections.
    if (METADATA_ADDRESSES.includes(listener)) return this.endpoint(listener).connect({ address, port });
    return this.endpoints.get(listener)?.connect({ address, port });
  }

  readonly answer = (request: OutgoingRequest): Reply => {
    const { host, headers } = request;
    const to = request.address ?? this.addressFor(host);
    if (to === undefined) return noAnswer('ENOTFOUND');
    const address = canonicalHost(to);
    const listener = this.listenerAt(address, [host, headers['host']?.replace(/:\d+$/, '')]);
    return listener === undefined ? noHostAt(address) : this.endpoint(listener).answer({ ...request, address });
  };

  /** The address of a client that only sends. */
  private addressFor(host: string): string | undefined {
    const name = canonicalHost(host);
    return (this.endpoints.get(name)?.resolveName().addresses ?? addressesOf(name))[0];
  }

  /** @param names the names by which the client calls the host, if any */
  private listenerAt(address: string, names: readonly (string | undefined)[]): string | undefined {
    if (METADATA_ADDRESSES.includes(address) || this.endpoints.has(address)) return address;
    for (const given of names) {
      const name = given === undefined ? '' : canonicalHost(given);
      if (name !== '' && !net.isIP(name) && this.listens(name, address)) return name;
    }
    return this.all.find(endpoint => endpoint.listensAt(address))?.hostName ?? this.namesByDefaultAddress.get(address);
  }

  private listens(name: string, address: string): boolean {
    return this.endpoints.get(name)?.listensAt(address) ?? defaultAddressOf(name) === address;
  }
}

/** An address without a host: this machine refuses the connection; elsewhere, even the first packet gets no answer. */
function noHostAt(address: string): Unconnected {
  return isLoopback(address) ? noAnswer('ECONNREFUSED') : { kind: 'silence', unreachable: true };
}

const HOST_NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

/**
 * Normalizes the host name or address of an outside endpoint.
 *
 * @param isAws whether the embedded AWS itself answers for the name
 */
function outsideHost(hostName: unknown, isAws: (name: string) => boolean): string {
  const property = 'the host';
  const name = typeof hostName === 'string' ? canonicalHost(hostName) : '';
  if (typeof hostName !== 'string' || !(HOST_NAME.test(hostName) || net.isIP(name))) {
    const rule = 'must be a name such as billing.example.com, or an address, without scheme, port or path';
    throw new InvalidInput([{ property, rule, value: hostName }]);
  }
  if (!isAws(name)) return name;
  const rule = 'must be outside AWS: use faults to make an AWS service fail';
  throw new InvalidInput([{ property, rule, value: hostName }]);
}

/**
 * The addresses of the instance metadata service, from which an EC2 instance gets its credentials. Attackers try to
 * make servers connect there.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
 */
const METADATA_ADDRESSES: readonly string[] = ['169.254.169.254', 'fd00:ec2::254'];

/** The service speaks only HTTP. */
const METADATA_PORT = 80;

const TOKEN_PATH = '/latest/api/token';
const MAX_TTL_SECONDS = 21_600;

/** One token for all clients, which never expires, so that runs stay reproducible. */
const TOKEN = Buffer.from('the token of the embedded instance metadata').toString('base64url');

const text = (status: number, body = ''): Reply =>
  response(status, body, { 'content-type': 'text/plain', server: 'EC2ws' });

/**
 * Answers like an instance metadata service that requires a token (IMDSv2): 401 without one, and a token for a `PUT`
 * with a time to live. There is no instance, so a request with a token is answered 404.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-v2-how-it-works.html
 */
function instanceMetadata({ method, path, headers }: OutgoingRequest): Reply {
  if (path !== TOKEN_PATH) return text(headers['x-aws-ec2-metadata-token'] === TOKEN ? 404 : 401);
  if (method !== 'PUT') return text(405);
  // A request through a proxy does not come from the instance itself.
  if (headers['x-forwarded-for'] !== undefined) return text(403);
  const ttlSeconds = Number(headers['x-aws-ec2-metadata-token-ttl-seconds']);
  const isValid = Number.isInteger(ttlSeconds) && ttlSeconds >= 1 && ttlSeconds <= MAX_TTL_SECONDS;
  return isValid ? text(200, TOKEN) : text(400);
}
