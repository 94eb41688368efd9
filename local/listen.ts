import type { Random } from './kernel/random';
import { Control, type Speed, TimeDriver, WireServer } from './wire';
import type { World } from './world';
import { worldState } from './world-state';

export interface ListenOptions {
  /** 0 for any that is free. @default 0 */
  readonly port?: number;
  /** The address to listen on. @default '127.0.0.1', which nobody but this machine reaches */
  readonly host?: string;
  /**
   * How fast virtual time goes: 1 for the wall clock's pace, 60 for an hour a minute, `max` for as fast as work gets done.
   *
   * @default 0: it stands still until it is told to advance
   */
  readonly speed?: Speed;
  /** Is told of what broke inside the embedded AWS; it goes on. @default - it is written to the trace, and that is all */
  readonly onError?: (error: unknown) => void;
}

/** The embedded AWS, reachable by any client. */
export interface Listening {
  /** For `--endpoint-url`, for example `http://127.0.0.1:4566`. */
  readonly url: string;
  readonly port: number;
  /** Who moves time from now on. */
  readonly driver: TimeDriver;
  /** Stops listening; those who wait for an answer are cut off. */
  close(): Promise<void>;
}

/**
 * Serves a world over HTTP.
 *
 * @param random a stream of its own: it draws the request ids of what reaches no service
 * @throws Error with node's `code` when the port cannot be listened on: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`
 */
export async function listenTo(world: World, random: Random, options: ListenOptions = {}): Promise<Listening> {
  const { port = 0, host = '127.0.0.1', speed = 0, onError = () => {} } = options;
  const { network, place, timeline, trace, outside, faults } = world;
  const driver = new TimeDriver(timeline, { speed, onError });
  const control = new Control({
    clock: timeline,
    trace,
    outside,
    faults,
    advanceTo: (untilMs, isWanted) => driver.advanceTo(untilMs, isWanted),
    state: reachedAt => worldState(world, reachedAt),
  });
  const server = new WireServer({ network, place, timeline, driver, control, requestId: () => random.uuid(), onError });
  const close = async (): Promise<void> => {
    await server.close();
    await driver.stop();
  };
  try {
    const bound = await server.listen(port, host);
    return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, port: bound, driver, close };
  } catch (error) {
    await driver.stop();
    throw error;
  }
}
