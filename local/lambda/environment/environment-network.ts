import type { Scheduler } from '../../kernel/timeline';
import type { Destination, Network, OutgoingRequest, Reply } from '../../network/network';
import type { ThreadEvent } from './protocol';

/**
 * How long Linux tries to connect: it resends the first packet six times, after 1, 2, 4, … seconds.
 *
 * @see https://man7.org/linux/man-pages/man7/tcp.7.html
 */
const CONNECT_TIMEOUT_MS = 127_000;

interface NetworkPorts {
  readonly timeline: Scheduler;
  readonly network: Network;
}

/** How the code receives the network's replies. */
interface Deliveries {
  /** Delivers a reply that is available at once, while the code waits but its work at this instant is not done. */
  readonly atOnce: (event: ThreadEvent) => void;
  /** Delivers a reply that arrives later, as due work. */
  readonly later: (event: ThreadEvent) => Promise<void>;
}

/** Sends the network requests of an execution environment, and delivers the replies to it. */
export class EnvironmentNetwork {
  private readonly abandoned = new Set<number>();

  constructor(
    private readonly ports: NetworkPorts,
    private readonly deliveries: Deliveries,
  ) {}

  resolve(query: number, hostName: string): void {
    const { addresses, latencyMs } = this.ports.network.resolve(hostName);
    this.report({ kind: 'addresses', query, addresses }, latencyMs);
  }

  connect(connection: number, destination: Destination): void {
    const met = this.ports.network.connect(destination);
    if (!met) this.report({ kind: 'connection', connection }, 0);
    else if (met.kind === 'no-answer') {
      this.report({ kind: 'connection', connection, failure: met.code }, met.latencyMs ?? 0);
    } else this.report({ kind: 'connection', connection, failure: 'ETIMEDOUT' }, CONNECT_TIMEOUT_MS);
  }

  send(exchange: number, request: OutgoingRequest): void {
    const reply = this.ports.network.send(request);
    if ('kind' in reply) {
      this.receive(exchange, reply);
      return;
    }
    this.ports.timeline.whenSettled(reply, result => {
      if (result.status === 'rejected') throw result.reason;
      this.receive(exchange, result.value);
    });
  }

  /** The code no longer waits for this reply. */
  abandon(exchange: number): void {
    this.abandoned.add(exchange);
  }

  private receive(exchange: number, reply: Reply): void {
    if (reply.kind === 'silence') return;
    this.ports.timeline.after(reply.latencyMs ?? 0, () => {
      const isWanted = !this.abandoned.delete(exchange);
      return isWanted ? this.deliveries.later({ kind: 'reply', exchange, reply }) : undefined;
    });
  }

  private report(event: ThreadEvent, latencyMs: number): void {
    const { atOnce, later } = this.deliveries;
    if (latencyMs === 0) atOnce(event);
    else this.ports.timeline.after(latencyMs, () => later(event));
  }
}
