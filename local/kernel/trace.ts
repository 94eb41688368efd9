import { nameInArn } from '../../policy/arn';
import { type Clock, isoInstant } from './clock';
import type { Place } from './place';

/** Most types of events fit into it. */
const TYPE_WIDTH = 24;

/** An event in the trace, named `service.what`, for example `sns.attempt`. All other members are plain JSON. */
export interface TraceEvent {
  readonly type: string;
}

/** A text for people who follow a run. The trace does not keep it: bodies can be large or secret. */
export interface TraceNote {
  /** A line that a function printed, or the body of a message. */
  readonly kind: 'console' | 'body';
  /** The function's ARN, or the message's id. */
  readonly of: string;
  readonly text: string;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** Records what a service did. Each service declares its own trace events. */
export interface Recorder<H extends TraceEvent> {
  record(event: H): void;
  /** @param text is called only if someone follows the notes */
  note(kind: TraceNote['kind'], of: string, text: () => string): void;
}

/** A trace event with its position in the trace and its instant. */
export type Traced<H extends TraceEvent> = H & {
  /** 1 for the first event of the run. */
  readonly seq: number;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** The account, if it is not the default account. */
  readonly account?: string;
  /** The Region, if it is not the default Region. */
  readonly region?: string;
};

/** A trace event as documents show it: with its instant in ISO 8601. */
export type EventDocument<H extends TraceEvent = TraceEvent> = Traced<H> & { readonly at: string };

export function eventDocument<H extends TraceEvent>(traced: Traced<H>): EventDocument<H> {
  // Position and instant come first, for readability.
  return Object.assign({ seq: traced.seq, at: isoInstant(traced.atMs) }, traced);
}

/**
 * Returns a recorder that adds account and Region to events outside the default place.
 *
 * @internal
 */
export function placeRecorder<H extends TraceEvent>(
  trace: Recorder<H>,
  { account, region }: Place,
  home: Place,
): Recorder<H> {
  if (account === home.account && region === home.region) return trace;
  const where = { ...(account !== home.account && { account }), ...(region !== home.region && { region }) };
  return {
    record: event => trace.record({ ...event, ...where }),
    note: (kind, of, text) => trace.note(kind, of, text),
  };
}

export interface TraceOptions {
  /**
   * How many of the newest events the trace keeps. It drops older ones once it has twice as many. Set it for long
   * simulations: one message causes about five events. @default - all events
   */
  readonly keep?: number;
}

/** The ordered record of all events. The same seed, assembly and calls give the same bytes. */
export class Trace<H extends TraceEvent> implements Recorder<H> {
  private recorded: Traced<H>[] = [];
  private readonly listeners = new Set<(event: Traced<H>) => void>();
  private readonly noteListeners = new Set<(note: TraceNote) => void>();
  private readonly keep: number;
  private seq = 0;

  constructor(
    private readonly clock: Clock,
    { keep = Number.POSITIVE_INFINITY }: TraceOptions = {},
  ) {
    if (!(keep >= 1)) throw new RangeError(`trace.keep must be 1 or more, got ${keep}`);
    this.keep = keep;
  }

  /** All events that are kept, oldest first. */
  get events(): readonly Traced<H>[] {
    return this.recorded;
  }

  /** The number of the newest event; 0 before the first. */
  get lastSeq(): number {
    return this.seq;
  }

  /** The kept events after the one numbered `seq`, oldest first. */
  since(seq: number): readonly Traced<H>[] {
    const firstKept = this.seq - this.recorded.length + 1;
    return this.recorded.slice(Math.max(0, seq + 1 - firstKept));
  }

  record(event: H): void {
    this.seq += 1;
    const traced: Traced<H> = { seq: this.seq, atMs: this.clock.nowMs, ...event };
    this.recorded.push(traced);
    if (this.recorded.length > this.keep * 2) this.recorded = this.recorded.slice(-this.keep);
    for (const listen of this.listeners) listen(traced);
  }

  note(kind: TraceNote['kind'], of: string, text: () => string): void {
    if (this.noteListeners.size === 0) return;
    const note = { kind, of, text: text(), atMs: this.clock.nowMs };
    for (const listen of this.noteListeners) listen(note);
  }

  /**
   * Calls `listen` with each line that a function prints and each body of a message that is published or sent, right
   * after the event they belong to.
   *
   * @returns a function that stops the calls
   */
  followNotes(listen: (note: TraceNote) => void): () => void {
    this.noteListeners.add(listen);
    return () => this.noteListeners.delete(listen);
  }

  /**
   * Calls `listen` with each event as it is recorded.
   *
   * @returns a function that stops the calls
   */
  follow(listen: (event: Traced<H>) => void): () => void {
    this.listeners.add(listen);
    return () => this.listeners.delete(listen);
  }

  /** The events as JSON, one document a line, in order. */
  toJsonLines(): string {
    return this.recorded.map(event => `${JSON.stringify(event)}\n`).join('');
  }

  /**
   * The events as text for people, one a line: names and short ids instead of ARNs.
   *
   * @param wanted which events. @default - all
   */
  toText(wanted: (event: Traced<H>) => boolean = () => true): string {
    const lines = this.recorded.filter(wanted).map(event => {
      const { at, type, facts } = eventText(event);
      return `${at}  ${type.padEnd(TYPE_WIDTH)}  ${facts}`.trimEnd();
    });
    return lines.map(line => `${line}\n`).join('');
  }
}

/** A trace event in parts for people: names and short ids instead of ARNs. */
export interface EventText {
  /** For example `2026-01-01 00:00:00.000`. */
  readonly at: string;
  readonly type: string;
  /** The members of the event: `queue=Orders message=1b9d6bcd`. */
  readonly facts: string;
}

/** Long enough to distinguish ids. */
const ID_LENGTH = 8;
const LONGEST_VALUE = 120;

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-/;
const PLAIN = /^[^\s"=]+$/;

/** @param event a traced event */
export function eventText(event: { readonly type: string; readonly atMs: number; readonly seq: number }): EventText {
  const { atMs, type, seq: _, ...about } = event;
  const facts = Object.entries(about).flatMap(([name, value]) => (isInArn(name, about) ? [] : fact(name, value)));
  return { at: isoInstant(atMs).slice(0, -1).replace('T', ' '), type, facts: facts.join(' ') };
}

/** Whether the event also has the name in an ARN, as `alarmName` in `alarmArn`. */
function isInArn(name: string, about: object): boolean {
  return name.endsWith('Name') && name.replace(/Name$/, 'Arn') in about;
}

function fact(name: string, value: unknown): readonly string[] {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([member, inner]) => fact(member, inner));
  }
  const values = Array.isArray(value) ? value.map(shown).join(',') : shown(value);
  return [`${name.replace(/(?:Arn|Id)(s?)$/, '$1')}=${values}`];
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const name = text.startsWith('arn:') ? nameInArn(text) : text;
  if (ID.test(name)) return name.slice(0, ID_LENGTH);
  if (name !== text) return name;
  const short = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
  return PLAIN.test(short) ? short : JSON.stringify(short);
}
