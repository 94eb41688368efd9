import { isMembers } from '../../kernel/json';
import { eventId, type LogEvent } from '../log-event';
import { type DiscoveredFields, discoverFields } from './discovered-fields';
import type { Path } from './lexer';
import { nameOf } from './syntax';
import { fromJson, Timestamp, type Value } from './values';

/** A log event, and the group it is in as `@log` names it: `123456789012:/rental`. */
export interface FoundEvent {
  readonly event: LogEvent;
  readonly log: string;
}

/** What `@ptr` says: where an event is. */
export function pointerTo({ event, log }: FoundEvent): string {
  return Buffer.from(`${eventId(event)} ${log}`).toString('base64');
}

const SYSTEM_FIELDS: ReadonlyMap<string, (found: FoundEvent) => Value> = new Map(
  Object.entries({
    '@timestamp': ({ event }: FoundEvent): Value => new Timestamp(event.atMs),
    '@ingestionTime': ({ event }: FoundEvent): Value => new Timestamp(event.ingestedAtMs),
    '@message': ({ event }: FoundEvent): Value => event.message,
    '@logStream': ({ event }: FoundEvent): Value => event.streamName,
    '@log': ({ log }: FoundEvent): Value => log,
    '@ptr': pointerTo,
  }),
);

/** One record on its way through a query: a log event, or a group that `stats` has made. */
export class Row {
  /** Fields the query itself has made. */
  private readonly made = new Map<string, Value>();
  private discovered: DiscoveredFields | undefined;

  constructor(
    /** Undefined for a group. */
    readonly found: FoundEvent | undefined,
  ) {}

  set(name: string, value: Value): void {
    this.made.set(name, value);
  }

  /** The value of a field; a member of a map or an element of a list, too. */
  get(path: Path): Value {
    const name = nameOf(path);
    const own = this.field(name);
    if (own !== undefined || path.length === 1) return own;
    // A message's own elements are discovered as `items.0`.
    return this.field(path.join('.')) ?? this.inside(path);
  }

  /** Every field of the event. */
  all(): ReadonlyMap<string, Value> {
    const { found } = this;
    const system = found ? [...SYSTEM_FIELDS].map(([name, read]) => [name, read(found)] as const) : [];
    return new Map([...system, ...this.discover(), ...this.made]);
  }

  private field(name: string): Value {
    if (this.made.has(name)) return this.made.get(name);
    if (!this.found) return undefined;
    return SYSTEM_FIELDS.get(name)?.(this.found) ?? this.discover().get(name);
  }

  private discover(): DiscoveredFields {
    this.discovered ??= discoverFields(this.found?.event.message ?? '');
    return this.discovered;
  }

  /** Follows the path from the map or list that its first step names. */
  private inside([first, ...rest]: Path): Value {
    let value: unknown = this.made.get(String(first));
    for (const step of rest) {
      if (Array.isArray(value)) value = value[Number(step)];
      else value = isMembers(value) ? value[String(step)] : undefined;
    }
    return fromJson(value);
  }
}
