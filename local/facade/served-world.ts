import type { Random } from '../kernel/random';
import type { Simulation } from '../world/world';
import { type DrivenListening, type Listening, type ListenOptions, listenTo } from './listen';

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
