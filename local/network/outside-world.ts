import type { Clock } from '../kernel/clock';
import { addressesOf } from './addresses';
import type { Destination, OutgoingRequest, Reach, Reply, Resolved, Unconnected } from './network';
import { OutsideEndpoint } from './outside-endpoint';
import { outsideHost } from './outside-host';

/** Everything that is not AWS. A host nobody has scripted exists, and answers 200. */
export class OutsideWorld implements Reach {
  private readonly endpoints = new Map<string, OutsideEndpoint>();

  /** @param isAws whether the embedded AWS itself answers for a host. @default nowhere */
  constructor(
    private readonly clock: Clock,
    private readonly isAws: (hostName: string) => boolean = () => false,
  ) {}

  /** Whether the endpoint was asked for, or has been reached, before. */
  has(hostName: string): boolean {
    return this.endpoints.has(hostName.toLowerCase());
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

  /** The endpoint behind a host name, in any case. */
  endpoint(hostName: string): OutsideEndpoint {
    const name = hostName.toLowerCase();
    const known = this.endpoints.get(name);
    if (known) return known;
    const endpoint = new OutsideEndpoint(name, this.clock);
    this.endpoints.set(name, endpoint);
    return endpoint;
  }

  /** A host nobody has scripted, or reached, is not made one by a question. */
  resolve(hostName: string): Resolved {
    if (!this.has(hostName)) return { addresses: addressesOf(hostName), latencyMs: 0 };
    return this.endpoint(hostName).resolve();
  }

  connect({ host }: Destination): Unconnected | undefined {
    return this.has(host) ? this.endpoint(host).connect() : undefined;
  }

  readonly answer = (request: OutgoingRequest): Reply => this.endpoint(request.host).answer(request);
}
