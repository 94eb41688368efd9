import { notImplemented } from '../../kernel/aws-error';
import type { Grid } from '../metrics/periods';
import { evaluateExpression } from './evaluator';
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

/** The metrics and expressions of one request, or of one alarm, read and checked against each other. */
export class MathProgram {
  private readonly expressions = new Map<string, Expression>();
  private readonly metricIds: readonly string[];
  /** Whether values may change as time passes, though nobody reports anything. */
  readonly readsTheClock: boolean;

  /**
   * @throws ExpressionError for an expression that is malformed, or that names what is not there, or itself
   * @throws AwsError `NotImplemented` for what metric math has on AWS and not here
   */
  constructor(private readonly lines: readonly MathLine[]) {
    this.metricIds = lines.flatMap(({ id, expression }) => (expression === undefined ? [id] : []));
    for (const { id, expression } of lines) {
      if (expression !== undefined) this.expressions.set(id, parse(id, expression));
    }
    for (const [id, expression] of this.expressions) this.check(id, expression);
    const sound = new Set<string>();
    for (const id of this.expressions.keys()) this.checkForCycle(id, [], sound);
    this.readsTheClock = [...this.expressions.values()].some(expression =>
      [...parts(expression)].some(part => part.kind === 'call' && readsTheClock(part.name)),
    );
  }

  /**
   * What the line comes to.
   *
   * @param readMetric the data of a metric, by its id
   * @throws ExpressionError when an operator or a function is given what it does not take
   */
  evaluate(id: string, grid: Grid, readMetric: (id: string) => TimeSeries): MathValue {
    const known = new Map<string, MathValue>();
    const read = new Map<string, TimeSeries>();
    const seriesOf = (metricId: string): TimeSeries => {
      const series = read.get(metricId) ?? readMetric(metricId);
      read.set(metricId, series);
      return series;
    };
    const metrics = () => this.metricIds.map(metricId => ({ id: metricId, series: seriesOf(metricId) }));
    const resultOf = (lineId: string): MathValue => {
      const expression = this.expressions.get(lineId);
      if (!expression) return seriesOf(lineId);
      const value = known.get(lineId) ?? this.evaluateLine(lineId, expression, { grid, metrics, resultOf });
      known.set(lineId, value);
      return value;
    };
    return resultOf(id);
  }

  private evaluateLine(
    id: string,
    expression: Expression,
    surroundings: Parameters<typeof evaluateExpression>[1],
  ): MathValue {
    try {
      return evaluateExpression(expression, surroundings);
    } catch (error) {
      throw error instanceof MathError ? new ExpressionError(id, error.message) : error;
    }
  }

  private check(id: string, expression: Expression): void {
    for (const part of parts(expression)) {
      if (part.kind === 'reference' && !this.lines.some(line => line.id === part.id)) {
        throw new ExpressionError(id, `Unknown id '${part.id}'`);
      }
      if (part.kind !== 'call') continue;
      if (REFUSED_FUNCTIONS.includes(part.name)) throw notImplemented(`metric math's ${part.name}`);
      if (!Object.hasOwn(FUNCTIONS, part.name)) throw new ExpressionError(id, `Unsupported function '${part.name}'`);
    }
  }

  /** @param sound ids of which it is known already that they lead to no cycle */
  private checkForCycle(id: string, from: readonly string[], sound: Set<string>): void {
    if (from.includes(id)) throw new ExpressionError(id, `It refers to itself by way of ${[...from, id].join(', ')}`);
    const expression = this.expressions.get(id);
    if (!expression || sound.has(id)) return;
    for (const part of parts(expression)) {
      if (part.kind === 'reference') this.checkForCycle(part.id, [...from, id], sound);
    }
    sound.add(id);
  }
}

function parse(id: string, text: string): Expression {
  if (/^\s*SELECT\s/i.test(text)) throw notImplemented('Metrics Insights queries');
  try {
    return parseExpression(text);
  } catch (error) {
    throw error instanceof MathError ? new ExpressionError(id, error.message) : error;
  }
}

/** An expression and everything in it. */
function* parts(expression: Expression): Generator<Expression> {
  yield expression;
  switch (expression.kind) {
    case 'list':
      for (const item of expression.items) yield* parts(item);
      break;
    case 'call':
      for (const item of expression.arguments) yield* parts(item);
      break;
    case 'negation':
      yield* parts(expression.operand);
      break;
    case 'binary':
      yield* parts(expression.left);
      yield* parts(expression.right);
      break;
  }
}
