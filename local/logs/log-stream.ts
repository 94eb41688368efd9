import { EventList } from './event-list';

/** The events of one source. */
export class LogStream {
  readonly events = new EventList();
  /** Undefined for one that never got any. */
  lastIngestedAtMs: number | undefined;

  constructor(
    readonly name: string,
    readonly createdAtMs: number,
  ) {}
}
