import type { LocatedArray, LocatedJson, Refusals } from './located-json';
import type { Condition } from './string-conditions';

/** Compares a value with the bound of an operator. */
export type Comparison = (value: number, bound: number) => boolean;

export const COMPARISONS: ReadonlyMap<string, Comparison> = new Map([
  ['=', (value, bound) => value === bound],
  ['<', (value, bound) => value < bound],
  ['<=', (value, bound) => value <= bound],
  ['>', (value, bound) => value > bound],
  ['>=', (value, bound) => value >= bound],
]);

const LOWER_BOUNDS: readonly string[] = ['>', '>='];
const UPPER_BOUNDS: readonly string[] = ['<', '<='];

const LARGEST = 5e9;

/** Reads the elements of a `numeric` list. */
class NumericReader {
  private next = 0;

  constructor(
    private readonly list: LocatedArray,
    private readonly refusals: Refusals,
  ) {}

  read(): Condition {
    const operator = this.operator('Invalid member in numeric match: ');
    const compare = COMPARISONS.get(operator);
    if (!compare) throw this.wrong(`Unrecognized numeric range operator: ${operator}`);
    const bound = this.bound(operator === '=' ? 'equals' : operator);
    const holds: Condition = value => typeof value === 'number' && compare(value, bound);
    if (this.isOver) return holds;
    if (!LOWER_BOUNDS.includes(operator)) throw this.wrong('Too many elements in numeric expression', this.peek());
    const upper = this.upperEnd(bound);
    return value => holds(value) && upper(value);
  }

  private upperEnd(lower: number): Condition {
    const operator = this.operator('Bad value in numeric range: ');
    const compare = UPPER_BOUNDS.includes(operator) ? COMPARISONS.get(operator) : undefined;
    if (!compare) throw this.wrong(`Bad numeric range operator: ${operator}`);
    const upper = this.bound(operator);
    if (!this.isOver) throw this.wrong('Too many terms in numeric range expression', this.peek());
    if (upper <= lower) throw this.refusals.at(this.list.endAt, 'Bottom must be less than top');
    return value => typeof value === 'number' && compare(value, upper);
  }

  private operator(otherwise: string): string {
    const item = this.take();
    if (item?.kind === 'string') return item.value;
    throw this.wrong(`${otherwise}${item ? written(item) : ']'}`);
  }

  private bound(name: string): number {
    const item = this.take();
    if (item?.kind !== 'number') throw this.wrong(`Value of ${name} must be numeric`);
    if (Math.abs(item.value) > LARGEST) throw this.wrong('Value must be between -5.0E9 and 5.0E9, inclusive');
    return item.value;
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

  /** The error for `item`, by default the element read last. */
  private wrong(reason: string, item = this.list.items[this.next - 1]): Error {
    return this.refusals.at(item?.endAt ?? this.list.endAt, reason);
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
export function numericCondition(list: LocatedArray, refusals: Refusals): Condition {
  return new NumericReader(list, refusals).read();
}
