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
import { literalsOf } from './string-conditions';

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

/**
 * The number of beginnings of wildcards that one value may match at once. **Assumption EVENTS-12:** it is 10. Public
 * reports place the limit between 8, which AWS accepts (two wildcards like `*-datasync-*.bif`), and 11, which it refuses
 * (`*:*:*:*:*:event-bus/*`, recorded on AWS).
 */
const LIMIT = 10;

/** Sets of beginnings to look at. Patterns that have more count as simple enough. */
const MOST_SETS = 10_000;

/** A byte of a wildcard, as a character of Latin-1. Undefined for an asterisk. */
type Token = string | undefined;

/** Returns the bytes of a wildcard between its quotation marks, which the matcher reads too. */
function tokensOf(wildcard: string): readonly Token[] {
  const literals = literalsOf(wildcard).map(text => [...Buffer.from(text).toString('latin1')]);
  return ['"', ...literals.flatMap((bytes, i): Token[] => (i === 0 ? bytes : [undefined, ...bytes])), '"'];
}

/** A beginning of a wildcard: its first `length` tokens. */
interface Beginning {
  readonly id: number;
  readonly tokens: readonly Token[];
  readonly length: number;
}

/** The beginnings of several wildcards, and those that a value can match at once. */
class Beginnings {
  private readonly all: readonly (readonly Beginning[])[];

  constructor(wildcards: Iterable<string>) {
    let id = 0;
    this.all = [...wildcards].map(wildcard => {
      const tokens = tokensOf(wildcard);
      return tokens.map((_, i) => ({ id: id++, tokens, length: i + 1 }));
    });
  }

  /** Whether some value matches more beginnings at once than the limit. */
  exceed(): boolean {
    const first = new Set<Beginning>();
    for (const ofWildcard of this.all) this.add(first, ofWildcard, 1);
    const waiting = [first];
    const seen = new Set<string>();
    for (let matched = waiting.pop(); matched && seen.size < MOST_SETS; matched = waiting.pop()) {
      if (matched.size > LIMIT) return true;
      const key = [...matched]
        .map(({ id }) => id)
        .sort((a, b) => a - b)
        .join(' ');
      if (seen.has(key)) continue;
      seen.add(key);
      const bytes = new Set([...matched].map(({ tokens, length }) => tokens[length] ?? ''));
      for (const byte of bytes.add('')) waiting.push(this.after(matched, byte));
    }
    return false;
  }

  /** @param byte the next byte of the value. Empty for one that is in no wildcard */
  private after(matched: ReadonlySet<Beginning>, byte: string): Set<Beginning> {
    const next = new Set<Beginning>();
    for (const beginning of matched) {
      const { tokens, length } = beginning;
      if (tokens[length - 1] === undefined) next.add(beginning);
      if (tokens[length] === byte) this.add(next, this.ofSame(beginning), length + 1);
    }
    return next;
  }

  /** Adds a beginning. A value that matches `a` matches `a*` too. */
  private add(matched: Set<Beginning>, ofWildcard: readonly Beginning[], length: number): void {
    const beginning = ofWildcard[length - 1];
    const followed = ofWildcard[length];
    if (beginning) matched.add(beginning);
    if (followed && followed.tokens[length] === undefined) matched.add(followed);
  }

  private ofSame({ tokens }: Beginning): readonly Beginning[] {
    return this.all.find(([first]) => first?.tokens === tokens) ?? [];
  }
}

/** What the matcher of AWS keeps of a field: the wildcards of its rules, and what follows each list of rules. */
interface Field {
  readonly wildcards: Set<string>;
  readonly next: Map<readonly Rule[], Fields>;
}

type Fields = Map<string, Field>;

function fieldOf(fields: Fields, path: string): Field {
  const field = fields.get(path) ?? { wildcards: new Set(), next: new Map() };
  fields.set(path, field);
  return field;
}

/**
 * Whether a pattern has too many wildcards, or too many repeated texts in them, for the matcher of AWS. It counts the
 * beginnings of wildcards that one value can match at once, for each field.
 * @see
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#eb-filtering-wildcard-matching-complexity
 * @see https://github.com/aws/event-ruler, MachineComplexityEvaluator
 */
function isTooComplex(alternatives: readonly Wanted[]): boolean {
  const fields: Field[] = [];
  const root: Fields = new Map();
  for (const wanted of alternatives) {
    let at = root;
    for (const [path, rules] of wanted) {
      const field = fieldOf(at, path);
      fields.push(field);
      for (const rule of rules) {
        if (rule.kind === 'value') for (const wildcard of rule.wildcards ?? []) field.wildcards.add(wildcard);
      }
      const next = field.next.get(rules) ?? new Map();
      field.next.set(rules, next);
      at = next;
    }
  }
  return [...new Set(fields)].some(({ wildcards }) => wildcards.size > 0 && new Beginnings(wildcards).exceed());
}
