import type { Clock } from './clock';

/** Something that happened, named `service.what`, for example `sns.attempt`. Every other member is plain JSON. */
export interface Happening {
  readonly type: string;
}

/** Where a service writes down what it did. Each service declares its own happenings. */
export interface Recorder<H extends Happening> {
  record(happening: H): void;
}

/** A happening with its place in the order of everything and the instant at which it happened. */
export type Traced<H extends Happening> = H & {
  /** 1 for the first happening of the run. */
  readonly seq: number;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
};

/** The ordered record of everything that happened. The same seed, assembly and calls write the same bytes. */
export class Trace<H extends Happening> implements Recorder<H> {
  private readonly recorded: Traced<H>[] = [];
  private readonly listeners: ((happening: Traced<H>) => void)[] = [];

  constructor(private readonly clock: Clock) {}

  /** Everything so far, oldest first. */
  get happenings(): readonly Traced<H>[] {
    return this.recorded;
  }

  record(happening: H): void {
    const traced: Traced<H> = { seq: this.recorded.length + 1, atMs: this.clock.nowMs, ...happening };
    this.recorded.push(traced);
    for (const listen of this.listeners) listen(traced);
  }

  /** Calls `listen` with each happening as it is recorded. */
  follow(listen: (happening: Traced<H>) => void): void {
    this.listeners.push(listen);
  }

  /** One JSON document a line, in the order in which things happened. */
  toJsonLines(): string {
    return this.recorded.map(happening => `${JSON.stringify(happening)}\n`).join('');
  }
}
