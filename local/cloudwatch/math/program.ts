import { notImplemented } from '../../kernel/aws-error';
import type { Grid } from '../metrics/periods';
import { FUNCTIONS, type MathContext, REFUSED_FUNCTIONS, readsTheClock } from './functions';
import { type BinaryOperator, type Expression, MathError, parseExpression } from './parser';
import { isList, isSeries, isWord, join, type MathValue, mapPoints, seriesOn, type TimeSeries } from './time-series';

/** One line of a request: a metric, or an expression on other lines. */
export interface MathLine {
  readonly id: string;
  /** @default the line is a metric */
  readonly expression?: string | undefined;
}

/** An expression that cannot be, with the id under which it stands. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';

  constructor(id: string, problem: string) {
    super(`Error in expression '${id}' [${problem}]`);
  }
}

/** A line that is an expression, read. */
interface ExpressionLine {
  readonly id: string;
  readonly expression: Expression;
  /** The lines it refers to. */
  readonly references: readonly string[];
  /** The functions it calls. */
  readonly calls: readonly string[];
}

/** The metrics and expressions of one request, or of one alarm, read and checked against each other. */
export class MathProgram {
  /** In an order in which none refers to a later one. */
  private readonly ordered: readonly ExpressionLine[];
  private readonly metricIds: readonly string[];
  /** Whether values may change as time passes, though nobody reports anything. */
  readonly readsTheClock: boolean;

  /**
   * @throws ExpressionError for an expression that is malformed, or that names what is not there, or itself
   * @throws AwsError `NotImplemented` for what metric math has on AWS and not here
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
   * What the line comes to.
   *
   * @param readMetric the data of a metric, by its id
   * @throws ExpressionError when an operator or a function is given what it does not take
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

  /** The expressions that a line is made of, itself among them. */
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

/** Puts what is referred to before what refers to it. @throws ExpressionError for lines that refer to each other */
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

/** The ids and the functions an expression names, each once. */
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
