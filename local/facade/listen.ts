import { checkNames, InvalidInput } from '../kernel/member-reader';
import type { Random } from '../kernel/random';
import type { Simulation } from '../simulation';
import { Control, type Speed, type TimeAdvance, TimeDriver, WireServer } from '../wire';
import { localAwsState } from './state';

export interface ListenOptions {
  /** 0 for any free port. @default 0 */
  readonly port?: number;
  /** The address to listen on. @default '127.0.0.1', which only this machine can reach */
  readonly host?: string;
  /**
   * How fast virtual time moves: 1 for real time, 60 for one hour a minute, `max` for as fast as work runs.
   *
   * @default 0: time stands still until `advance` is called
   */
  readonly speed?: Speed;
  /**
   * Receives errors of the embedded AWS, or of work that a scenario has scheduled, when no caller waits for that work.
   * Time continues. The trace also records them, as `wire.broke`.
   *
   * @default - the next call that moves time (`advance`, `advanceTo`, `runUntilIdle`) or `close` throws the first error
   */
  readonly onError?: (error: unknown) => void;
}

/** The embedded AWS, listening for clients. */
export interface Listening {
  /** The URL for `--endpoint-url`, for example `http://127.0.0.1:4566`. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops listening. Clients that wait for an answer are disconnected.
   *
   * @throws the first error that no `onError` received
   */
  close(): Promise<void>;
}

/** A `Listening` that also moves time. Each method throws an earlier error once, unless `onError` received it. */
interface DrivenListening extends Listening {
  advance(journey: TimeAdvance): Promise<number>;
  /** @param work moves time, while nothing else does */
  jump<T>(work: () => Promise<T>): Promise<T>;
}

/** Errors that no caller has received yet. */
class UnreportedErrors {
  private first: { readonly error: unknown } | undefined;

  readonly keep = (error: unknown): void => {
    this.first ??= { error };
  };

  /** Throws the first error, once. */
  throwFirst(): void {
    const { first } = this;
    this.first = undefined;
    if (first) throw first.error;
  }
}

const isSpeed = (speed: unknown): boolean =>
  speed === 'max' || (typeof speed === 'number' && Number.isFinite(speed) && speed >= 0);

/** Confirms the pending subscriptions of an endpoint, in every account and Region. Returns their number. */
export function confirmAll({ all }: Simulation, endpoint: string): number {
  return all.reduce((sum, { sns }) => sum + sns.confirm(endpoint), 0);
}

/**
 * Serves a simulation over HTTP.
 *
 * @param random a stream of its own for the request ids of requests that reach no service
 * @throws RangeError for an invalid speed or an unknown option
 * @throws Error with the `code` of Node.js when the port cannot be opened: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`
 */
async function listenTo(simulation: Simulation, random: Random, options: ListenOptions = {}): Promise<DrivenListening> {
  checkNames(options, 'the options', ['port', 'host', 'speed', 'onError']);
  const { port = 0, host = '127.0.0.1', speed = 0 } = options;
  if (!isSpeed(speed)) {
    throw new InvalidInput([{ property: 'speed', rule: 'must be max, or a number of 0 or more', value: speed }]);
  }
  const { network, place, timeline, trace, outside, faults, otherServices } = simulation;
  const unreported = new UnreportedErrors();
  const tell = options.onError ?? unreported.keep;
  const onError = (error: unknown): void => {
    trace.record({ type: 'wire.broke', error: String(error) });
    tell(error);
  };
  const driver = new TimeDriver(timeline, { speed, onError });
  const controlled = {
    clock: timeline,
    trace,
    outside,
    faults,
    services: otherServices,
    confirm: (endpoint: string) => confirmAll(simulation, endpoint),
    advance: (journey: TimeAdvance) => driver.advance(journey),
    state: (reachedAt: string | undefined) => localAwsState(simulation, reachedAt),
  };
  const control = new Control(controlled, onError);
  const server = new WireServer({ network, place, timeline, driver, control, requestId: () => random.uuid(), onError });
  const close = async (): Promise<void> => {
    await server.close();
    await driver.stop();
    unreported.throwFirst();
  };
  const jump = async <T>(work: () => Promise<T>): Promise<T> => {
    unreported.throwFirst();
    return driver.jump(work);
  };
  const advance = async (journey: TimeAdvance): Promise<number> => {
    unreported.throwFirst();
    return driver.advance(journey);
  };
  try {
    const bound = await server.listen(port, host);
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
    return { url, port: bound, close, advance, jump };
  } catch (error) {
    await driver.stop();
    throw error;
  }
}

/** A simulation that can listen on one port at a time. While it listens, the port's driver moves time. */
export class ServedSimulation {
  private listening: DrivenListening | undefined;
  private opening: Promise<DrivenListening> | undefined;
  private isClosed = false;

  /** @param random a stream of its own */
  constructor(
    private readonly simulation: Simulation,
    private readonly random: () => Random,
  ) {}

  /** The URL it listens on. @default - the server does not listen */
  get url(): string | undefined {
    return this.listening?.url;
  }

  /**
   * @throws Error when it already listens, is opening a port, or is closed; with the `code` of Node.js when the port
   *   cannot be opened
   */
  async listen(options: ListenOptions): Promise<Listening> {
    if (this.isClosed) throw new Error('cannot listen: this LocalAws is closed');
    if (this.opening) throw new Error('cannot listen: another listen() is still opening its port');
    if (this.listening) throw new Error(`cannot listen: it already listens at ${this.listening.url}`);
    this.opening = this.open(options);
    const listening = await this.opening.finally(() => {
      this.opening = undefined;
    });
    const close = async (): Promise<void> => {
      if (this.listening === listening) this.listening = undefined;
      await listening.close();
    };
    return { url: listening.url, port: listening.port, close };
  }

  /** @param untilMs is evaluated when nothing else moves time */
  async moveTo(untilMs: () => number): Promise<number> {
    return this.listening ? this.listening.advance({ untilMs }) : this.simulation.timeline.advanceTo(untilMs());
  }

  runUntilIdle(): Promise<number> {
    const { timeline } = this.simulation;
    return this.listening ? this.listening.jump(() => timeline.runUntilIdle()) : timeline.runUntilIdle();
  }

  /**
   * Stops listening for good. A `listen` that is still opening its port fails.
   *
   * @throws the first error that no `onError` received
   */
  async close(): Promise<void> {
    this.isClosed = true;
    // The caller of an unfinished listen() receives its result first.
    await Promise.allSettled([this.opening]);
    const { listening } = this;
    this.listening = undefined;
    await listening?.close();
  }

  private async open(options: ListenOptions): Promise<DrivenListening> {
    const listening = await listenTo(this.simulation, this.random(), options);
    if (this.isClosed) {
      await listening.close();
      throw new Error('cannot listen: this LocalAws was closed while its port was opening');
    }
    this.listening = listening;
    return listening;
  }
}
