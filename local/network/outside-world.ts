import net from 'node:net';
import type { Clock } from '../kernel/clock';
import { addressesOf, canonicalHost, homeOf, isLoopback } from './addresses';
import { instanceMetadata, METADATA_ADDRESSES, METADATA_PORT } from './instance-metadata';
import type { Destination, OutgoingRequest, Reach, Reply, Resolved, Unconnected } from './network';
import { noAnswer, OutsideEndpoint } from './outside-endpoint';
import { outsideHost } from './outside-host';

/**
 * Everything that is not AWS. A host nobody has scripted exists, and answers 200.
 *
 * At an address is, first of all, the host that a scenario has asked for by that address; then the host whose name the
 * client uses, if the name has ever resolved to it; then any other host whose name has. At other addresses is nobody:
 * packets get no answer, but from the machine itself, which refuses. Functions reach IPv6 as they do IPv4.
 */
export class OutsideWorld implements Reach {
  private readonly endpoints = new Map<string, OutsideEndpoint>();
  /** Names that were looked up, by the address they have while nobody says otherwise. */
  private readonly namesByHome = new Map<string, string>();

  /** @param isAws whether the embedded AWS itself answers for a host. @default nowhere */
  constructor(
    private readonly clock: Clock,
    private readonly isAws: (hostName: string) => boolean = () => false,
  ) {}

  /** Whether the endpoint was asked for, or has been reached, before. */
  has(hostName: string): boolean {
    return this.endpoints.has(canonicalHost(hostName));
  }

  /** Every endpoint that was asked for, or has been reached, in that order. */
  get all(): readonly OutsideEndpoint[] {
    return [...this.endpoints.values()];
  }

  /**
   * The name of a host that can be spoken for here, in lower case.
   *
   * @throws InvalidInput when it is no host name, or AWS's own
   */
  hostFor(hostName: unknown): string {
    return outsideHost(hostName, this.isAws);
  }

  /** The endpoint behind a host name, in any case, or at an address. */
  endpoint(hostName: string): OutsideEndpoint {
    const name = canonicalHost(hostName);
    const known = this.endpoints.get(name);
    if (known) return known;
    const nature = METADATA_ADDRESSES.includes(name) ? { answer: instanceMetadata, port: METADATA_PORT } : undefined;
    const endpoint = new OutsideEndpoint(name, this.clock, nature);
    this.endpoints.set(name, endpoint);
    return endpoint;
  }

  /** A host nobody has scripted, or reached, is not made one by a question. */
  resolve(hostName: string): Resolved {
    const name = canonicalHost(hostName);
    const home = homeOf(name);
    if (home !== undefined && !this.namesByHome.has(home)) this.namesByHome.set(home, name);
    return this.endpoints.get(name)?.resolve() ?? { addresses: addressesOf(name), latencyMs: 0 };
  }

  connect(destination: Destination): Unconnected | undefined {
    const { host, serverName, port } = destination;
    const address = canonicalHost(destination.address ?? addressesOf(host)[0] ?? host);
    const listener = this.listenerAt(address, [host, serverName]);
    if (listener === undefined) return nobodyAt(address);
    // Who has not been spoken of lets everybody in.
    if (METADATA_ADDRESSES.includes(listener)) return this.endpoint(listener).connect({ address, port });
    return this.endpoints.get(listener)?.connect({ address, port });
  }

  readonly answer = (request: OutgoingRequest): Reply => {
    const { host, headers } = request;
    const to = request.address ?? this.addressFor(host);
    if (to === undefined) return noAnswer('ENOTFOUND');
    const address = canonicalHost(to);
    const listener = this.listenerAt(address, [host, headers['host']?.replace(/:\d+$/, '')]);
    return listener === undefined ? nobodyAt(address) : this.endpoint(listener).answer({ ...request, address });
  };

  /** Where a client goes that only sends. */
  private addressFor(host: string): string | undefined {
    const name = canonicalHost(host);
    return (this.endpoints.get(name)?.resolveName().addresses ?? addressesOf(name))[0];
  }

  /** @param names by which the client calls it, if it does */
  private listenerAt(address: string, names: readonly (string | undefined)[]): string | undefined {
    if (METADATA_ADDRESSES.includes(address) || this.endpoints.has(address)) return address;
    for (const given of names) {
      const name = given === undefined ? '' : canonicalHost(given);
      if (name !== '' && !net.isIP(name) && this.listens(name, address)) return name;
    }
    return this.all.find(endpoint => endpoint.listensAt(address))?.hostName ?? this.namesByHome.get(address);
  }

  private listens(name: string, address: string): boolean {
    return this.endpoints.get(name)?.listensAt(address) ?? homeOf(name) === address;
  }
}

/** The machine itself refuses what nobody listens for; elsewhere, not even the first packet is answered. */
function nobodyAt(address: string): Unconnected {
  return isLoopback(address) ? noAnswer('ECONNREFUSED') : { kind: 'silence', unreachable: true };
}
