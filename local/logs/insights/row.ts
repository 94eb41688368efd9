import { ownMember } from '../../../policy/json-members';
import { isObject, jsonOrUndefined } from '../../kernel/json';
import { eventId, type LogEvent } from '../log-events';
import type { Path } from './lexer';
import { nameOf } from './syntax';
import { fromJson, Timestamp, type Value } from './values';

/** A log event, with its log group in the form of `@log`: `123456789012:/rental`. */
export interface FoundEvent {
  readonly event: LogEvent;
  readonly log: string;
}

/** Returns the value of `@ptr`, which identifies an event. */
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

/** One record of a query: a log event, or a group computed by `stats`. */
export class Row {
  /** The fields that the query itself computed. */
  private readonly computed = new Map<string, Value>();
  private discovered: DiscoveredFields | undefined;

  constructor(
    /** Undefined for a group. */
    readonly found: FoundEvent | undefined,
  ) {}

  set(name: string, value: Value): void {
    this.computed.set(name, value);
  }

  /** Returns the value of a field, of a member of a map, or of an element of a list. */
  get(path: Path): Value {
    const name = nameOf(path);
    const own = this.field(name);
    if (own !== undefined || path.length === 1) return own;
    // Array elements in a message are discovered under names such as `items.0`.
    return this.field(path.join('.')) ?? this.inside(path);
  }

  /** Returns all fields of the event. */
  all(): ReadonlyMap<string, Value> {
    const { found } = this;
    const system = found ? [...SYSTEM_FIELDS].map(([name, read]) => [name, read(found)] as const) : [];
    return new Map([...system, ...this.discover(), ...this.computed]);
  }

  private field(name: string): Value {
    if (this.computed.has(name)) return this.computed.get(name);
    if (!this.found) return undefined;
    return SYSTEM_FIELDS.get(name)?.(this.found) ?? this.discover().get(name);
  }

  private discover(): DiscoveredFields {
    this.discovered ??= discoverFields(this.found?.event.message ?? '');
    return this.discovered;
  }

  /** Follows a path into the map or list that its first step names. */
  private inside([first, ...rest]: Path): Value {
    let value: unknown = this.computed.get(String(first));
    for (const step of rest) {
      if (Array.isArray(value)) value = value[Number(step)];
      else value = isObject(value) ? ownMember(value, String(step)) : undefined;
    }
    return fromJson(value);
  }
}

/** The fields that queries discover in a message, by name. */
type DiscoveredFields = ReadonlyMap<string, Value>;

/** AWS discovers up to 200 fields in an event. Further members are ignored. */
const MAX_FIELDS = 200;

const PLATFORM_LINE = /^(START|END|REPORT) RequestId: ([0-9a-f-]{36})/;
const FUNCTION_LINE = /^\S+\t([0-9a-f-]{36})\t/;
const MEASURE = /(Billed Duration|Init Duration|Duration|Max Memory Used|Memory Size): ([\d.]+) (ms|MB)/g;

const MEASURES: Readonly<Record<string, string>> = {
  Duration: '@duration',
  'Billed Duration': '@billedDuration',
  'Init Duration': '@initDuration',
  'Memory Size': '@memorySize',
  'Max Memory Used': '@maxMemoryUsed',
};

/**
 * Discovers the fields of a message. JSON: the members by dotted name, array elements by position. Lambda's platform
 * lines: the values they report, with memory in bytes. Lines of a function: the request id, and the first JSON
 * document.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_AnalyzeLogData-discoverable-fields.html
 */
function discoverFields(message: string): DiscoveredFields {
  const fields = new Map<string, Value>();
  const [, type, platformRequest] = PLATFORM_LINE.exec(message) ?? [];
  if (type !== undefined) {
    fields.set('@type', type).set('@requestId', platformRequest);
    for (const [, name = '', amount, unit] of message.matchAll(MEASURE)) {
      fields.set(MEASURES[name] ?? name, Number(amount) * (unit === 'MB' ? 1_000_000 : 1));
    }
    return fields;
  }
  const [, request] = FUNCTION_LINE.exec(message) ?? [];
  if (request !== undefined) fields.set('@requestId', request);
  const json = request === undefined ? message : message.slice(message.indexOf('{'));
  flatten(jsonOrUndefined(json), '', fields);
  return fields;
}

function flatten(value: unknown, prefix: string, fields: Map<string, Value>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (fields.size >= MAX_FIELDS) return;
    const name = `${prefix}${key}`;
    if (typeof member === 'object' && member !== null) flatten(member, `${name}.`, fields);
    else fields.set(name, fromJson(member));
  }
}
