import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { jsonOrUndefined } from '../../kernel/json';
import { asBoolean, asNumber, asText, fromJson, Timestamp, type Value } from './values';

export interface QueryTimes {
  readonly startedAtMs: number;
  /** The queried time range. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** A function of values. A value of the wrong type counts as missing. */
export interface ScalarFunction {
  readonly least: number;
  /** @default the value of `least` */
  readonly most?: number;
  readonly call: (args: readonly Value[], times: QueryTimes) => Value;
}

const MANY = Number.POSITIVE_INFINITY;

/** Makes a function of numbers. Its result is undefined if an argument is not a number. */
function ofNumbers(call: (...numbers: number[]) => number, least: number, most?: number): ScalarFunction {
  const checked = (args: readonly Value[]): Value => {
    const numbers = args.map(asNumber);
    const known = numbers.filter(number => number !== undefined);
    const result = known.length === numbers.length ? call(...known) : Number.NaN;
    return Number.isFinite(result) ? result : undefined;
  };
  return { least, ...(most !== undefined && { most }), call: checked };
}

/** Makes a function of texts. Its result is undefined if an argument is not text. */
function ofTexts(call: (...texts: string[]) => Value, least: number, most?: number): ScalarFunction {
  const checked = (args: readonly Value[]): Value => {
    const texts = args.map(asText);
    const known = texts.filter(text => text !== undefined);
    return known.length === texts.length ? call(...known) : undefined;
  };
  return { least, ...(most !== undefined && { most }), call: checked };
}

function round(value: number, digits = 0): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}

/** Removes the given characters, or white space, from the ends of a text. */
function trimmed(text: string, characters: string | undefined, left: boolean, right: boolean): string {
  const isTrimmed = (character: string): boolean =>
    characters === undefined ? /\s/.test(character) : characters.includes(character);
  const points = [...text];
  let [from, to] = [0, points.length];
  while (left && from < to && isTrimmed(points[from] ?? '')) from += 1;
  while (right && from < to && isTrimmed(points[to - 1] ?? '')) to -= 1;
  return points.slice(from, to).join('');
}

function isInSubnet(address: string, subnet: string, family: 0 | 4 | 6): boolean {
  const [network = '', bits] = subnet.split('/');
  const version = isIP(address);
  if (version === 0 || version !== isIP(network) || (family !== 0 && version !== family)) return false;
  if (!/^\d+$/.test(bits ?? '') || Number(bits) > (version === 4 ? 32 : 128)) return false;
  const type = version === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(address, type);
}

/** Returns the value after the first condition that holds. A last value without a condition is the default. */
function firstCase(args: readonly Value[]): Value {
  for (let i = 0; i + 1 < args.length; i += 2) if (asBoolean(args[i])) return args[i + 1];
  return args.length % 2 === 1 ? args.at(-1) : undefined;
}

const number: ScalarFunction = { least: 1, call: ([value]) => asNumber(value) };

/**
 * All functions of values, by name in lower case.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax-operations-functions.html
 */
export const SCALAR_FUNCTIONS: ReadonlyMap<string, ScalarFunction> = new Map(
  Object.entries<ScalarFunction>({
    abs: ofNumbers(Math.abs, 1),
    ceil: ofNumbers(Math.ceil, 1),
    floor: ofNumbers(Math.floor, 1),
    greatest: ofNumbers(Math.max, 1, MANY),
    least: ofNumbers(Math.min, 1, MANY),
    log: ofNumbers(Math.log, 1),
    round: ofNumbers(round, 1, 2),
    sqrt: ofNumbers(Math.sqrt, 1),
    tonumber: number,
    todouble: number,
    toint: ofNumbers(Math.trunc, 1),
    tolong: ofNumbers(Math.trunc, 1),

    ispresent: { least: 1, call: ([value]) => value !== undefined },
    coalesce: { least: 1, most: MANY, call: args => args.find(value => value !== undefined) },
    if: { least: 3, call: ([condition, yes, no]) => (asBoolean(condition) ? yes : no) },
    case: { least: 2, most: 21, call: firstCase },
    isnumeric: { least: 1, call: ([value]) => asNumber(value) !== undefined },
    messagesize: ofTexts(text => Buffer.byteLength(text), 1),
    querystarttime: { least: 0, call: (_, { fromMs }) => fromMs },
    queryendtime: { least: 0, call: (_, { toMs }) => toMs },
    querytimerange: { least: 0, call: (_, { fromMs, toMs }) => toMs - fromMs },

    isempty: { least: 1, call: ([value]) => value === undefined || value === '' },
    isblank: { least: 1, call: ([value]) => value === undefined || asText(value)?.trim() === '' },
    concat: ofTexts((...texts) => texts.join(''), 1, MANY),
    ltrim: ofTexts((text, characters) => trimmed(text, characters, true, false), 1, 2),
    rtrim: ofTexts((text, characters) => trimmed(text, characters, false, true), 1, 2),
    trim: ofTexts((text, characters) => trimmed(text, characters, true, true), 1, 2),
    strlen: ofTexts(text => [...text].length, 1),
    toupper: ofTexts(text => text.toUpperCase(), 1),
    tolower: ofTexts(text => text.toLowerCase(), 1),
    substr: ofTexts(
      (text, from, length = String(MANY)) => {
        const points = [...text];
        return points.slice(Number(from), Number(from) + Number(length)).join('');
      },
      2,
      3,
    ),
    replace: ofTexts((text, search, replacement) => text.replaceAll(search, () => replacement), 3),
    strcontains: ofTexts((text, search) => text.includes(search), 2),

    frommillis: {
      least: 1,
      call: ([value]) => {
        const atMs = asNumber(value);
        return atMs === undefined ? undefined : new Timestamp(atMs);
      },
    },
    tomillis: number,
    now: { least: 0, call: (_, { startedAtMs }) => Math.floor(startedAtMs / 1000) },

    jsonparse: ofTexts(text => {
      const value = fromJson(jsonOrUndefined(text));
      return typeof value === 'object' ? value : undefined;
    }, 1),
    jsonstringify: { least: 1, call: ([value]) => (typeof value === 'object' ? JSON.stringify(value) : undefined) },

    isvalidip: ofTexts(text => isIP(text) !== 0, 1),
    isvalidipv4: ofTexts(text => isIPv4(text), 1),
    isvalidipv6: ofTexts(text => isIPv6(text), 1),
    isipinsubnet: ofTexts((text, subnet) => isInSubnet(text, subnet, 0), 2),
    isipv4insubnet: ofTexts((text, subnet) => isInSubnet(text, subnet, 4), 2),
    isipv6insubnet: ofTexts((text, subnet) => isInSubnet(text, subnet, 6), 2),
  }),
);
