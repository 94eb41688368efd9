import type { JsonObject } from '../json-members';
import { eventFields, isSatisfied, type Wanted } from './field-search';
import {
  EventPatternError,
  type LocatedArray,
  type LocatedJson,
  type LocatedObject,
  Refusals,
  readLocated,
} from './located-json';
import { compileRule, type Rule } from './operators';
import { isTooComplex } from './wildcard-complexity';

/** Whether an event, as `JSON.parse` returns it, matches. */
export type EventPattern = (event: unknown) => boolean;

/** One way to match a pattern: the rules for each named field. */
type Combination = ReadonlyMap<string, readonly Rule[]>;

const OR = '$or';

/** The maximum number of combinations on AWS, after every `$or` is expanded. */
const MAX_COMBINATIONS = 1000;

/** Names that cannot be fields inside an `$or`: operators, and names that AWS reserves. */
const RESERVED_NAMES: readonly string[] = [
  'exactly',
  'equals-ignore-case',
  'prefix',
  'suffix',
  'anything-but',
  'exists',
  'wildcard',
  'numeric',
  'cidr',
  '=',
  '<',
  '<=',
  '>',
  '>=',
  'regex',
  'not-wildcard',
  'not-equals-ignore-case',
  'date-after',
  'date-on-or-after',
  'date-before',
  'date-on-or-before',
  'in-date-range',
  'ip-address-in-range',
  'ip-address-not-in-range',
];

const TOO_COMPLEX =
  'Rule is too complex - try using fewer wildcard characters or fewer repeating character sequences after a wildcard character';

class Compiler {
  constructor(private readonly refusals: Refusals) {}

  compile(pattern: LocatedJson): readonly Combination[] {
    if (pattern.kind !== 'object') throw this.refusals.at(pattern.metAt, 'Filter is not an object');
    return this.object(pattern, '', false, [new Map()]);
  }

  /** Adds the rules of an object, for the fields below `path`, to each combination. */
  private object(
    object: LocatedObject,
    path: string,
    insideOr: boolean,
    before: readonly Combination[],
  ): readonly Combination[] {
    if (object.members.length === 0) throw this.refusals.at(object.endAt, 'Empty objects are not allowed');
    return object.members.reduce(
      (combinations, { name, value }) => this.member(name, value, path, insideOr, combinations),
      before,
    );
  }

  private member(
    name: string,
    value: LocatedJson,
    path: string,
    insideOr: boolean,
    before: readonly Combination[],
  ): readonly Combination[] {
    if (name === OR) return this.or(value, path, before);
    if (insideOr && RESERVED_NAMES.includes(name)) {
      const reason = `${name} is Ruler reserved fieldName which cannot be used inside ${OR}.`;
      throw this.refusals.at(value.metAt, reason);
    }
    const here = path === '' ? name : `${path}.${name}`;
    if (value.kind === 'object') return this.object(value, here, insideOr, before);
    if (value.kind !== 'array') throw this.refusals.at(value.metAt, `"${name}" must be an object or an array`);
    const rules = this.rules(value);
    return before.map(combination => new Map([...combination, [here, rules]]));
  }

  private rules(list: LocatedArray): readonly Rule[] {
    const rules = list.items.map(item => compileRule(item, this.refusals));
    if (rules.length === 0) throw this.refusals.at(list.endAt, 'Empty arrays are not allowed');
    return rules;
  }

  private or(list: LocatedJson, path: string, before: readonly Combination[]): readonly Combination[] {
    if (list.kind !== 'array') throw this.refusals.at(list.metAt, `It must be an Array followed with ${OR}.`);
    const combinations = list.items.flatMap(item => {
      if (item.kind === 'object') return this.object(item, path, true, before);
      throw this.refusals.at(item.metAt, `Only JSON object is allowed in array of ${OR} relationship.`);
    });
    if (list.items.length < 2) {
      throw this.refusals.at(list.endAt, `There must have at least 2 Objects in ${OR} relationship.`);
    }
    if (combinations.length > MAX_COMBINATIONS) {
      throw new EventPatternError(`Rule is too complex - ${OR} makes more than ${MAX_COMBINATIONS} combinations`);
    }
    return combinations;
  }
}

/**
 * Compiles an event pattern of an EventBridge rule or a Lambda event filter.
 * @param pattern JSON text or parsed JSON
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html
 */
export function compileEventPattern(pattern: string | JsonObject): EventPattern {
  const text = typeof pattern === 'string' ? pattern : JSON.stringify(pattern);
  const refusals = new Refusals(text);
  const combinations = new Compiler(refusals).compile(readLocated(text, refusals));
  const wanted: readonly Wanted[] = combinations.map(combination =>
    [...combination].sort(([a], [b]) => (a < b ? -1 : Number(a > b))),
  );
  if (isTooComplex(wanted)) throw new EventPatternError(TOO_COMPLEX);
  return event => {
    const fields = eventFields(event);
    return wanted.some(fieldsWanted => isSatisfied(fieldsWanted, fields));
  };
}
