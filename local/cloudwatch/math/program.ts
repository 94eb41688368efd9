import { notImplemented } from '../../kernel/aws-error';
import type { Grid } from '../metrics/periods';
import { FUNCTIONS, type MathContext, REFUSED_FUNCTIONS, readsTheClock } from './functions';
import { type BinaryOperator, type Expression, MathError, parseExpression } from './parser';
import { isList, isSeries, isWord, joinPair, type MathValue, seriesOn, type TimeSeries } from './time-series';

/** One query of a request: a metric, or an expression that refers to other queries. */
interface MathLine {
  readonly id: string;
  /** @default the line is a metric */
  readonly expression?: string | undefined;
}

/** An invalid expression, with its id. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';

  constructor(id: string, problem: string) {
    super(`Error in expression '${id}' [${problem}]`);
  }
}

interface ExpressionLine {
  readonly id: string;
  readonly expression: Expression;
  /** The ids that it refers to. */
  readonly references: readonly string[];
  /** The functions it calls. */
  readonly calls: readonly string[];
}

/** The metrics and expressions of one request or of one alarm, parsed and validated together. */
export class MathProgram {
  /** Sorted so that no expression refers to a later one. */
  private readonly ordered: readonly ExpressionLine[];
  private readonly metricIds: readonly string[];
  /** Whether values can change as time passes, without new data. */
  readonly readsTheClock: boolean;

  /**
   * @throws ExpressionError for an expression that is malformed, or that refers to an unknown id or to itself
   * @throws AwsError `NotImplemented` for features of metric math that the embedded AWS does not implement
   */
  constructor(lines: readonly MathLine[]) {
    const ids = new Set(lines.map(({ id }) => id));
    this.metricIds = lines.flatMap(({ id, expression }) => (expression === undefined ? [id] : []));
    const expressions = lines.flatMap(({ id, expression }) => (expression === undefined ? [] : [read(id, expression)]));
    for (const line of expressions) check(line, ids);
    this.ordered = inOrder(expressions);
    this.readsTheClock = expressions.some(({ calls }) => calls.some(readsTheClock));
  }

  /**
   * Evaluates one query.
   *
   * @param readMetric returns the data of the metric with this id
   * @throws ExpressionError when an operator or a function cannot accept its arguments
   */
  evaluate(id: string, grid: Grid, readMetric: (id: string) => TimeSeries): MathValue {
    const results = new Map<string, MathValue>();
    const read = new Map<string, TimeSeries>();
    const seriesOf = (metricId: string): TimeSeries => {
      const series = read.get(metricId) ?? readMetric(metricId);
      read.set(metricId, series);
      return series;
    };
    const metrics = () => this.metricIds.map(metricId => ({ id: metricId, series: seriesOf(metricId) }));
    const resultOf = (lineId: string): MathValue => results.get(lineId) ?? seriesOf(lineId);
    for (const line of this.neededFor(id)) results.set(line.id, evaluateLine(line, { grid, metrics, resultOf }));
    return resultOf(id);
  }

  private neededFor(id: string): readonly ExpressionLine[] {
    const needed = new Set([id]);
    for (const line of this.ordered.toReversed()) {
      if (needed.has(line.id)) for (const reference of line.references) needed.add(reference);
    }
    return this.ordered.filter(line => needed.has(line.id));
  }
}

function evaluateLine({ id, expression }: ExpressionLine, surroundings: MathScope): MathValue {
  try {
    return evaluateExpression(expression, surroundings);
  } catch (error) {
    throw error instanceof MathError ? new ExpressionError(id, error.message) : error;
  }
}

function read(id: string, text: string): ExpressionLine {
  if (/^\s*SELECT\s/i.test(text)) throw notImplemented('Metrics Insights queries');
  try {
    const expression = parseExpression(text);
    return { id, expression, ...named(expression) };
  } catch (error) {
    throw error instanceof MathError ? new ExpressionError(id, error.message) : error;
  }
}

function check({ id, references, calls }: ExpressionLine, ids: ReadonlySet<string>): void {
  const unknown = references.find(reference => !ids.has(reference));
  if (unknown !== undefined) throw new ExpressionError(id, `Unknown id '${unknown}'`);
  for (const name of calls) {
    if (REFUSED_FUNCTIONS.includes(name)) throw notImplemented(`metric math's ${name}`);
    if (!Object.hasOwn(FUNCTIONS, name)) throw new ExpressionError(id, `Unsupported function '${name}'`);
  }
}

/** Sorts expressions so that each comes after those it refers to. */
function inOrder(lines: readonly ExpressionLine[]): readonly ExpressionLine[] {
  const byId = new Map(lines.map(line => [line.id, line]));
  const ordered = new Set<ExpressionLine>();
  const place = (line: ExpressionLine, from: readonly string[]): void => {
    if (from.includes(line.id)) {
      throw new ExpressionError(line.id, `It refers to itself by way of ${[...from, line.id].join(', ')}`);
    }
    if (ordered.has(line)) return;
    for (const reference of line.references) {
      const next = byId.get(reference);
      if (next) place(next, [...from, line.id]);
    }
    ordered.add(line);
  };
  for (const line of lines) place(line, []);
  return [...ordered];
}

/** Returns the ids and the functions that an expression names, without repetitions. */
function named(whole: Expression): Pick<ExpressionLine, 'references' | 'calls'> {
  const references = new Set<string>();
  const calls = new Set<string>();
  const open = [whole];
  for (let part = open.pop(); part; part = open.pop()) {
    if (part.kind === 'reference') references.add(part.id);
    if (part.kind === 'call') calls.add(part.name);
    open.push(...partsOf(part));
  }
  return { references: [...references].reverse(), calls: [...calls].reverse() };
}

function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'list':
      return expression.items;
    case 'call':
      return expression.arguments;
    case 'negation':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
    default:
      return [];
  }
}

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

/** The values of the ids in an expression, and the data its functions can read. */
interface MathScope extends MathContext {
  readonly resultOf: (id: string) => MathValue;
}

/** @throws MathError when an operator or a function cannot accept its arguments */
function evaluateExpression(expression: Expression, surroundings: MathScope): MathValue {
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

/** Combines two values period by period. */
function joined(apply: (a: number, b: number) => number, left: MathValue, right: MathValue): TimeSeries {
  const result = isOperand(left) && isOperand(right) ? joinPair(left, right, apply) : undefined;
  if (!result) throw new MathError('Unsupported operands: must be numbers or time series');
  return result;
}

const isOperand = (value: MathValue): value is number | TimeSeries => typeof value === 'number' || isSeries(value);

function called(name: string, values: readonly MathValue[], context: MathContext): MathValue {
  const run = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!run) throw new MathError(`Unsupported function '${name}'`);
  return run(values, context);
}
