import net from 'node:net';
import type { Clock } from '../kernel/clock';
import { addressesOf, canonicalHost, defaultAddressOf, isLoopback } from './addresses';
import { instanceMetadata, METADATA_ADDRESSES, METADATA_PORT } from './instance-metadata';
import type { Destination, OutgoingRequest, Reach, Reply, Resolved, Unconnected } from './network';
import { noAnswer, OutsideEndpoint } from './outside-endpoint';
import { outsideHost } from './outside-host';

/**
 * Everything outside AWS. Every host exists, and by default answers 200.
 *
 * The host at an address is, in this order: the host that a scenario has named by the address; the host whose name the
 * client uses, if the name has ever resolved to the address; any other host whose name has. Other addresses have no
 * host: this machine refuses the connection, and elsewhere packets get no answer. Functions use IPv6 like IPv4.
 */
export class OutsideWorld implements Reach {
  private readonly endpoints = new Map<string, OutsideEndpoint>();
  /** Names that were looked up, by their default addresses. */
  private readonly namesByDefaultAddress = new Map<string, string>();

  /** @param isAws whether the embedded AWS itself answers for a host. @default - it answers for none */
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
