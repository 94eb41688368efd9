import { FUNCTIONS, type MathContext } from './functions';
import { MathError } from './math-error';
import type { BinaryOperator, Expression } from './parser';
import { isList, isSeries, isWord, join, type MathValue, mapPoints, seriesOn, type TimeSeries } from './time-series';

const OPERATORS: Readonly<Record<BinaryOperator, (a: number, b: number) => number>> = {
  OR: (a, b) => Number(a !== 0 || b !== 0),
  AND: (a, b) => Number(a !== 0 && b !== 0),
  '==': (a, b) => Number(a === b),
  '!=': (a, b) => Number(a !== b),
  '<': (a, b) => Number(a < b),
  '<=': (a, b) => Number(a <= b),
  '>': (a, b) => Number(a > b),
  '>=': (a, b) => Number(a >= b),
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '^': (a, b) => a ** b,
};

/** What the ids in an expression stand for, and what its functions may ask. */
export interface MathScope extends MathContext {
  readonly resultOf: (id: string) => MathValue;
}

/** @throws MathError when an operator or a function is given what it does not take */
export function evaluateExpression(expression: Expression, surroundings: MathScope): MathValue {
  const of = (part: Expression): MathValue => evaluateExpression(part, surroundings);
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'word':
      return { word: expression.text };
    case 'reference':
      return surroundings.resultOf(expression.id);
    case 'list':
      return expression.items.flatMap(item => listed(of(item), surroundings));
    case 'negation':
      return negated(of(expression.operand));
    case 'binary':
      return operated(expression.operator, of(expression.left), of(expression.right));
    case 'call':
      return called(expression.name, expression.arguments.map(of), surroundings);
  }
}

function listed(value: MathValue, { grid }: MathContext): readonly TimeSeries[] {
  if (typeof value === 'number') return [seriesOn(grid, () => value)];
  if (isList(value)) return value;
  if (isSeries(value)) return [value];
  throw new MathError(`Unexpected word '${value.word}' in a list`);
}

function negated(value: MathValue): MathValue {
  return operated('*', -1, value);
}

function operated(operator: BinaryOperator, left: MathValue, right: MathValue): MathValue {
  const apply = OPERATORS[operator];
  for (const operand of [left, right]) {
    if (typeof operand !== 'number' && isWord(operand))
      throw new MathError(`Unsupported operand '${operand.word}' for ${operator}`);
  }
  if (typeof left === 'number' && typeof right === 'number') return apply(left, right);
  if (isListValue(left) || isListValue(right)) return operatedLists(operator, left, right);
  return joined(apply, left, right);
}

const isListValue = (value: MathValue): value is readonly TimeSeries[] => typeof value !== 'number' && isList(value);

function operatedLists(operator: BinaryOperator, left: MathValue, right: MathValue): readonly TimeSeries[] {
  const length = isListValue(left) ? left.length : isListValue(right) ? right.length : 0;
  if (isListValue(left) && isListValue(right) && left.length !== right.length) {
    throw new MathError(
      `Unsupported operands for ${operator}: the lists have ${left.length} and ${right.length} time series`,
    );
  }
  const item = (value: MathValue, index: number): MathValue =>
    isListValue(value) ? (value[index] ?? Number.NaN) : value;
  return Array.from({ length }, (_, index) => joined(OPERATORS[operator], item(left, index), item(right, index)));
}

/** A period in which either side has no data has none in the result. */
function joined(apply: (a: number, b: number) => number, left: MathValue, right: MathValue): TimeSeries {
  if (typeof left !== 'number' && isSeries(left) && typeof right === 'number') {
    return mapPoints(left, value => apply(value, right));
  }
  const operands = [left, right].filter(it => typeof it === 'number' || isSeries(it));
  const result = join(operands, ([a, b]) => (a === undefined || b === undefined ? undefined : apply(a, b)));
  if (!result) throw new MathError('Unsupported operands: must be numbers or time series');
  return result;
}

function called(name: string, values: readonly MathValue[], context: MathContext): MathValue {
  const run = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!run) throw new MathError(`Unsupported function '${name}'`);
  return run(values, context);
}
