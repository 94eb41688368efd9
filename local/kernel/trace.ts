import { type Clock, isoInstant } from './clock';

/** Something that happened, named `service.what`, for example `sns.attempt`. Every other member is plain JSON. */
export interface TraceEvent {
  readonly type: string;
}

/** Where a service writes down what it did. Each service declares its own happenings. */
export interface Recorder<H extends TraceEvent> {
  record(happening: H): void;
}

/** A happening with its place in the order of everything and the instant at which it happened. */
export type Traced<H extends TraceEvent> = H & {
  /** 1 for the first happening of the run. */
  readonly seq: number;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
};

/** A happening as documents give it to people: with its instant in ISO 8601, too. */
export type EventDocument<H extends TraceEvent = TraceEvent> = Traced<H> & { readonly at: string };

export function eventDocument<H extends TraceEvent>(traced: Traced<H>): EventDocument<H> {
  // Its place and instant come first, for whoever reads it.
  return Object.assign({ seq: traced.seq, at: isoInstant(traced.atMs) }, traced);
}

export interface TraceOptions {
  /**
   * How many of the newest happenings are kept at least; at most twice as many are in memory. For worlds that run for
   * long: one message is about five happenings. @default all of them
   */
  readonly keep?: number;
}

/** The ordered record of everything that happened. The same seed, assembly and calls write the same bytes. */
export class Trace<H extends TraceEvent> implements Recorder<H> {
  private recorded: Traced<H>[] = [];
  private readonly listeners = new Set<(happening: Traced<H>) => void>();
  private readonly keep: number;
  private seq = 0;

  constructor(
    private readonly clock: Clock,
    { keep = Number.POSITIVE_INFINITY }: TraceOptions = {},
  ) {
    if (!(keep >= 1)) throw new RangeError(`a trace must keep 1 happening or more, got ${keep}`);
    this.keep = keep;
  }

  /** Everything so far that is kept, oldest first. */
  get events(): readonly Traced<H>[] {
    return this.recorded;
  }

  /** The number of the newest happening; 0 before the first. */
  get lastSeq(): number {
    return this.seq;
  }

  /** What is kept of the happenings after the one numbered `seq`, oldest first. */
  since(seq: number): readonly Traced<H>[] {
    const firstKept = this.seq - this.recorded.length + 1;
    return this.recorded.slice(Math.max(0, seq + 1 - firstKept));
  }

  record(happening: H): void {
    this.seq += 1;
    const traced: Traced<H> = { seq: this.seq, atMs: this.clock.nowMs, ...happening };
    this.recorded.push(traced);
    if (this.recorded.length > this.keep * 2) this.recorded = this.recorded.slice(-this.keep);
    for (const listen of this.listeners) listen(traced);
  }

  /**
   * Calls `listen` with each happening as it is recorded.
   *
   * @returns stops the calls
   */
  follow(listen: (happening: Traced<H>) => void): () => void {
    this.listeners.add(listen);
    return () => this.listeners.delete(listen);
  }

  /** One JSON document a line, in the order in which things happened. */
  toJsonLines(): string {
    return this.recorded.map(happening => `${JSON.stringify(happening)}\n`).join('');
  }
}
