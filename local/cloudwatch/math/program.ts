import { notImplemented } from '../../kernel/aws-error';
import type { Grid } from '../metrics/periods';
import { evaluateExpression, type MathScope } from './evaluator';
import { FUNCTIONS, REFUSED_FUNCTIONS, readsTheClock } from './functions';
import { MathError } from './math-error';
import { type Expression, parseExpression } from './parser';
import type { MathValue, TimeSeries } from './time-series';

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
