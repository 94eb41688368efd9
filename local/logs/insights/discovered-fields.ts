import { jsonOrUndefined } from '../../kernel/json';
import { fromJson, type Value } from './values';

/** Fields a query finds in a message by itself, by name. */
export type DiscoveredFields = ReadonlyMap<string, Value>;

/** Members deeper than this are left alone; AWS discovers up to 200 fields an event. */
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
 * What a message holds: the members of a JSON document by their dotted names, elements by their position; of Lambda's own
 * lines what they report, memory in bytes; of a function's lines its request and the first JSON in it.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_AnalyzeLogData-discoverable-fields.html
 */
export function discoverFields(message: string): DiscoveredFields {
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
