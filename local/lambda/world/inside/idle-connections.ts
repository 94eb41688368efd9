import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { VirtualTimer, VirtualTimers } from './timers';

/**
 * Connections that their host closes when nobody has sent for a while. The timers are those of the function's world: what
 * happens while it is frozen it finds out of when it has thawed, after its code has gone on.
 */
export class IdleConnections {
  private readonly closing = new WeakMap<Duplex, VirtualTimer>();
  private readonly closed = new WeakSet<Duplex>();

  constructor(private readonly timers: VirtualTimers) {}

  /** From the end of a response on, the connection stays for so long. */
  closeAfter(keepAliveMs: number, response: ServerResponse): void {
    const { socket } = response;
    if (!socket) return;
    response.on('finish', () => {
      const close = (): void => {
        this.closed.add(socket);
        socket.end();
      };
      this.closing.set(socket, this.timers.start(close, keepAliveMs).unref());
    });
  }

  /** Whether what comes on the connection comes too late. If not, it stays open. */
  isClosed(connection: Duplex): boolean {
    this.closing.get(connection)?.close();
    return this.closed.has(connection);
  }
}
