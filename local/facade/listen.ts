import { checkNames, InvalidInput } from '../kernel/member-reader';
import type { Random } from '../kernel/random';
import type { Simulation } from '../simulation';
import { Control, type Journey, type Speed, TimeDriver, WireServer } from '../wire';
import { localAwsState } from './state';

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
  /**
   * Is told of what broke inside the embedded AWS, or in work a scenario has scheduled, while nobody waited for it; time
   * goes on. The trace has it too, as `wire.broke`.
   *
   * @default - the first is thrown at whoever moves time next (`advance`, `advanceTo`, `runUntilIdle`), or closes it
   */
  readonly onError?: (error: unknown) => void;
}

/** The embedded AWS, reachable by any client. */
export interface Listening {
  /** For `--endpoint-url`, for example `http://127.0.0.1:4566`. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops listening; those who wait for an answer are cut off.
   *
   * @throws what broke meanwhile, unless somebody was told of it
   */
  close(): Promise<void>;
}

/** Who moves time while it listens. Each of these throws what broke before, once, unless somebody was told of it. */
export interface DrivenListening extends Listening {
  advance(journey: Journey): Promise<number>;
  /** @param work moves time, and nobody else does meanwhile */
  jump<T>(work: () => Promise<T>): Promise<T>;
}

/** What broke while nobody was there to be told. */
class Unheard {
  private first: { readonly error: unknown } | undefined;

  readonly keep = (error: unknown): void => {
    this.first ??= { error };
  };

  /** Tells whoever asks, once. */
  raise(): void {
    const { first } = this;
    this.first = undefined;
    if (first) throw first.error;
  }
}

const isSpeed = (speed: unknown): boolean =>
  speed === 'max' || (typeof speed === 'number' && Number.isFinite(speed) && speed >= 0);

/**
 * Serves a world over HTTP.
 *
 * @param random a stream of its own: it draws the request ids of what reaches no service
 * @throws RangeError for a speed that is none, or an option nobody knows
 * @throws Error with node's `code` when the port cannot be listened on: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`
 */
export async function listenTo(
  world: Simulation,
  random: Random,
  options: ListenOptions = {},
): Promise<DrivenListening> {
  checkNames(options, 'the options', ['port', 'host', 'speed', 'onError']);
  const { port = 0, host = '127.0.0.1', speed = 0 } = options;
  if (!isSpeed(speed)) {
    throw new InvalidInput([{ property: 'speed', rule: 'must be max, or a number of 0 or more', value: speed }]);
  }
  const { network, place, timeline, trace, outside, faults } = world;
  const unheard = new Unheard();
  const tell = options.onError ?? unheard.keep;
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
    confirm: (endpoint: string) => world.sns.confirm(endpoint),
    advance: (journey: Journey) => driver.advance(journey),
    state: (reachedAt: string | undefined) => localAwsState(world, reachedAt),
  };
  const control = new Control(controlled, onError);
  const server = new WireServer({ network, place, timeline, driver, control, requestId: () => random.uuid(), onError });
  const close = async (): Promise<void> => {
    await server.close();
    await driver.stop();
    unheard.raise();
  };
  const jump = async <T>(work: () => Promise<T>): Promise<T> => {
    unheard.raise();
    return driver.jump(work);
  };
  const advance = async (journey: Journey): Promise<number> => {
    unheard.raise();
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

/** A world behind a port, for as long as somebody wants it there: one port at a time, which moves time while it is open. */
export class ServedSimulation {
  private listening: DrivenListening | undefined;
  private opening: Promise<DrivenListening> | undefined;
  private isClosed = false;

  /** @param random a stream of its own */
  constructor(
    private readonly simulation: Simulation,
    private readonly random: () => Random,
  ) {}

  /** Where it listens. @default - it does not */
  get url(): string | undefined {
    return this.listening?.url;
  }

  /**
   * @throws Error when it listens already, is about to, or is closed; with node's `code` when the port cannot be listened on
   */
  async listen(options: ListenOptions): Promise<Listening> {
    if (this.isClosed) throw new Error('it is closed');
    if (this.opening) throw new Error('it is about to listen already');
    if (this.listening) throw new Error(`it listens at ${this.listening.url} already`);
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

  /** @param untilMs is asked once nobody else moves time */
  async moveTo(untilMs: () => number): Promise<number> {
    return this.listening ? this.listening.advance({ untilMs }) : this.simulation.timeline.advanceTo(untilMs());
  }

  runUntilIdle(): Promise<number> {
    const { timeline } = this.simulation;
    return this.listening ? this.listening.jump(() => timeline.runUntilIdle()) : timeline.runUntilIdle();
  }

  /**
   * Stops listening for good. Whoever waits for a port that is about to open is refused it.
   *
   * @throws what broke while it listened, unless somebody was told of it
   */
  async close(): Promise<void> {
    this.isClosed = true;
    // Whoever asked it to listen is told how that ended.
    await Promise.allSettled([this.opening]);
    const { listening } = this;
    this.listening = undefined;
    await listening?.close();
  }

  private async open(options: ListenOptions): Promise<DrivenListening> {
    const listening = await listenTo(this.simulation, this.random(), options);
    if (this.isClosed) {
      await listening.close();
      throw new Error('it was closed while it was about to listen');
    }
    this.listening = listening;
    return listening;
  }
}
