import type { LocatedArray, LocatedJson, Refusals } from './located-json';
import type { Condition } from './string-conditions';

type Comparison = (value: number, bound: number) => boolean;

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map([
  ['=', (value, bound) => value === bound],
  ['<', (value, bound) => value < bound],
  ['<=', (value, bound) => value <= bound],
  ['>', (value, bound) => value > bound],
  ['>=', (value, bound) => value >= bound],
]);

const LOWER_BOUNDS: readonly string[] = ['>', '>='];
const UPPER_BOUNDS: readonly string[] = ['<', '<='];

/** How a service compares numbers. */
export interface NumberRules {
  /** The largest bound, positive or negative, that a pattern may have. */
  readonly largest: number;
  /** The range of bounds in the error text of AWS. */
  readonly range: string;
  readonly rounded: (value: number) => number;
}

export const EVENT_NUMBERS: NumberRules = { largest: 5e9, range: '-5.0E9 and 5.0E9', rounded: value => value };

/** Reads the elements of a `numeric` list. */
class NumericReader {
  private next = 0;

  constructor(
    private readonly list: LocatedArray,
    private readonly refusals: Refusals,
    private readonly rules: NumberRules,
  ) {}

  read(): Condition {
    const operator = this.operator('Invalid member in numeric match: ');
    const compare = COMPARISONS.get(operator);
    // The parser of AWS has read the next token before it looks at the operator.
    if (!compare) throw this.wrong(`Unrecognized numeric range operator: ${operator}`, this.peek());
    const bound = this.bound(operator === '=' ? 'equals' : operator);
    const holds = this.condition(compare, bound);
    if (this.isOver) return holds;
    if (!LOWER_BOUNDS.includes(operator)) throw this.wrong('Too many elements in numeric expression', this.peek());
    const upper = this.upperEnd(bound);
    return value => holds(value) && upper(value);
  }

  private upperEnd(lower: number): Condition {
    const operator = this.operator('Bad value in numeric range: ');
    const compare = UPPER_BOUNDS.includes(operator) ? COMPARISONS.get(operator) : undefined;
    if (!compare) {
      const read = this.list.items[this.next - 1] ?? this.list;
      throw this.refusals.at(read.endAt, `Bad numeric range operator: ${operator}`);
    }
    const upper = this.bound(operator);
    if (!this.isOver) throw this.wrong('Too many terms in numeric range expression', this.peek());
    if (upper <= lower) throw this.refusals.at(this.list.endAt, 'Bottom must be less than top');
    return this.condition(compare, upper);
  }

  private condition(compare: Comparison, bound: number): Condition {
    const { largest, rounded } = this.rules;
    return value => typeof value === 'number' && Math.abs(value) <= largest && compare(rounded(value), bound);
  }

  private operator(otherwise: string): string {
    const item = this.take();
    if (item?.kind === 'string') return item.value;
    throw this.wrong(`${otherwise}${item ? written(item) : ']'}`, item);
  }

  private bound(name: string): number {
    const item = this.take();
    if (item?.kind !== 'number') throw this.wrong(`Value of ${name} must be numeric`, item);
    const { largest, range, rounded } = this.rules;
    if (Math.abs(item.value) > largest) throw this.wrong(`Value must be between ${range}, inclusive`, item);
    return rounded(item.value);
  }

  private get isOver(): boolean {
    return this.next >= this.list.items.length;
  }

  private peek(): LocatedJson | undefined {
    return this.list.items[this.next];
  }

  private take(): LocatedJson | undefined {
    const item = this.peek();
    this.next += 1;
    return item;
  }

  /** The error at an element, or at the end of the list. */
  private wrong(reason: string, item: LocatedJson | undefined): Error {
    return this.refusals.at(item?.metAt ?? this.list.endAt, reason);
  }
}

function written(item: LocatedJson): string {
  if (item.kind === 'object') return '{';
  return item.kind === 'array' ? '[' : String(item.value);
}

/**
 * Compiles `{"numeric": ["=", 5]}`, `{"numeric": [">", 0]}` or a range such as `{"numeric": [">", 0, "<=", 150]}`.
 * @see
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#filtering-numeric-matching
 * @throws EventPatternError
 */
export function numericCondition(list: LocatedArray, refusals: Refusals, rules: NumberRules): Condition {
  return new NumericReader(list, refusals, rules).read();
}
