import type { MetricDataQuery, MetricStat } from '@aws-sdk/client-cloudwatch';
import { notImplemented } from '../../kernel/aws-error';
import { Constraints, invalidCombination, missingParameter, validationError } from '../errors';
import { ExpressionError, MathProgram } from '../math/program';
import { dimensionsOf } from './metric-series';
import { type Statistic, statisticNamed } from './statistics';

export interface MetricQuery {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly statistic: Statistic;
  readonly unit: string | undefined;
  readonly periodSeconds: number;
}

/** One entry of a list of metrics and expressions. Either `metric` or `expression` is set. */
export interface Query {
  readonly id: string;
  readonly label: string | undefined;
  /** Whether the result is returned, or only used by other expressions. */
  readonly returnData: boolean;
  readonly metric: MetricQuery | undefined;
  readonly expression: string | undefined;
  /** The period of an expression's data points. @default that of its metrics */
  readonly periodSeconds: number | undefined;
}

export interface QuerySet {
  readonly queries: readonly Query[];
  readonly program: MathProgram;
}

/** The rules of a request, and its error messages. */
interface QueryRules {
  /** The name of the list in the request: `MetricDataQueries` or `Metrics`. */
  readonly list: string;
  readonly isPeriod: (seconds: number) => boolean;
  readonly periodRule: string;
  readonly invalidStatistic: string;
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataQuery.html */
const LONGEST_EXPRESSION = 2_048;
const ID = /^[a-z][a-zA-Z0-9_]{0,254}$/;

/**
 * Validates and parses a list.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataQuery.html
 */
export function querySet(list: readonly MetricDataQuery[], rules: QueryRules): QuerySet {
  const queries = list.map((query, index) => readQuery(query, `${rules.list}.member.${index + 1}`, rules));
  const ids = queries.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw validationError(`The values for parameter Id in ${rules.list} are not unique.`);
  try {
    return { queries, program: new MathProgram(queries) };
  } catch (error) {
    throw asValidationError(error);
  }
}

export function asValidationError(error: unknown): unknown {
  return error instanceof ExpressionError ? validationError(error.message) : error;
}

function readQuery(query: MetricDataQuery, member: string, rules: QueryRules): Query {
  const { Id: id, Expression: expression, MetricStat: metricStat, Label: label, ReturnData, AccountId } = query;
  if (!id) throw missingParameter(`${member}.Id`);
  if (!ID.test(id)) {
    throw validationError(
      `The value ${id} for parameter ${member}.Id is not matching the expected pattern ^[a-z][a-zA-Z0-9_]*$.`,
    );
  }
  if (AccountId !== undefined) throw notImplemented("a metric query's AccountId");
  if (expression !== undefined && metricStat) {
    throw invalidCombination(
      'The parameters MetricDataQuery Expression and MetricStat are mutually exclusive and you have specified both.',
    );
  }
  new Constraints().length(`${member}.expression`, expression, 1, LONGEST_EXPRESSION).check();
  const period = metricStat ? metricStat.Period : query.Period;
  if (period !== undefined && !rules.isPeriod(period)) throw validationError(rules.periodRule);
  if (expression === undefined && !metricStat) throw validationError('Period must not be null');
  return {
    id,
    label,
    returnData: ReturnData ?? true,
    metric: metricStat && metricQuery(metricStat, `${member}.MetricStat`, rules),
    expression,
    periodSeconds: query.Period,
  };
}

function metricQuery({ Metric, Period, Stat, Unit }: MetricStat, member: string, rules: QueryRules): MetricQuery {
  if (!Metric?.Namespace) throw missingParameter(`${member}.Metric.Namespace`);
  if (!Metric.MetricName) throw missingParameter(`${member}.Metric.MetricName`);
  if (Period === undefined) throw validationError('Period must not be null');
  const statistic = statisticNamed(Stat ?? '');
  if (!statistic) throw validationError(rules.invalidStatistic);
  return {
    namespace: Metric.Namespace,
    name: Metric.MetricName,
    dimensions: dimensionsOf(Metric.Dimensions),
    statistic,
    unit: Unit,
    periodSeconds: Period,
  };
}

/** The longest period of the metrics, which expressions use; undefined without a metric. */
export function coarsestPeriod(queries: readonly Query[]): number | undefined {
  const periods = queries.flatMap(({ metric, periodSeconds }) => metric?.periodSeconds ?? periodSeconds ?? []);
  return periods.length === 0 ? undefined : Math.max(...periods);
}

/**
 * The label of a result without one in the request. For a metric its name, with the statistic and the period if the
 * metrics of the request differ in them (recorded from AWS); for an expression its id.
 */
export function defaultLabel({ id, metric }: Query, queries: readonly Query[]): string {
  if (!metric) return id;
  const metrics = queries.flatMap(query => query.metric ?? []);
  const namesakes = metrics.filter(({ name }) => name === metric.name);
  const differ = (of: (query: MetricQuery) => unknown): boolean => new Set(namesakes.map(of)).size > 1;
  const statistic = differ(query => query.statistic.name) ? [metric.statistic.name] : [];
  const period = differ(query => query.periodSeconds) ? [String(metric.periodSeconds)] : [];
  return [metric.name, ...statistic, ...period].join(' ');
}
