import type { Target } from './target';

/** A trace event, as `GET /_dlo/trace` returns it. */
export interface TraceEvent {
  readonly type: string;
  readonly atMs: number;
  readonly [member: string]: unknown;
}

interface Page {
  readonly events: readonly TraceEvent[];
  /** The number of the last event. */
  readonly next: number;
}

/** More than any row makes happen. */
const LIMIT = 1_000_000;

/** The trace events of a type that have these members. */
export async function happened(aws: Target, type: string, members: object = {}): Promise<readonly TraceEvent[]> {
  const { events } = (await aws.control('GET', `trace?limit=${LIMIT}`)) as Page;
  const wanted = Object.entries({ type, ...members });
  return events.filter(event => wanted.every(([name, value]) => event[name] === value));
}
