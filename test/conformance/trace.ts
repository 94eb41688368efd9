import type { Target } from './target';

/** Something that happened, as `GET /_dlo/trace` tells it. */
export interface Happening {
  readonly type: string;
  readonly atMs: number;
  readonly [member: string]: unknown;
}

interface Page {
  readonly events: readonly Happening[];
  /** The number of the last of them. */
  readonly next: number;
}

/** More than any row makes happen. */
const LIMIT = 1_000_000;

/** What happened in the embedded AWS of a type, to whatever has these members. */
export async function happened(aws: Target, type: string, members: object = {}): Promise<readonly Happening[]> {
  const { events } = (await aws.control('GET', `trace?limit=${LIMIT}`)) as Page;
  const wanted = Object.entries({ type, ...members });
  return events.filter(event => wanted.every(([name, value]) => event[name] === value));
}
