import type { MetricDataQuery, MetricStat } from '@aws-sdk/client-cloudwatch';
import { notImplemented } from '../../kernel/aws-error';
import { Constraints, invalidCombination, missingParameter, validationError } from '../errors';
import { ExpressionError, MathProgram } from '../math/program';
import { dimensionsOf } from './metric-series';
import { type Statistic, statisticNamed } from './statistics';

/** A metric, read by one statistic and period. */
export interface MetricQuery {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly statistic: Statistic;
  readonly unit: string | undefined;
  readonly periodSeconds: number;
}

/** One member of a list of metrics and expressions; either `metric` or `expression` is there. */
export interface Query {
  readonly id: string;
  readonly label: string | undefined;
  /** Whether the result is wanted, and not only what is made of it. */
  readonly returnData: boolean;
  readonly metric: MetricQuery | undefined;
  readonly expression: string | undefined;
  /** Of an expression: how far apart its data points are. @default as its metrics */
  readonly periodSeconds: number | undefined;
}

/** A list of metrics and expressions that fit together. */
export interface QuerySet {
  readonly queries: readonly Query[];
  readonly program: MathProgram;
}

/** What a request allows, and how it words what it does not. */
export interface QueryRules {
  /** The list's name in the request: `MetricDataQueries`, `Metrics`. */
  readonly list: string;
  readonly isPeriod: (seconds: number) => boolean;
  readonly periodRule: string;
  readonly invalidStatistic: string;
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataQuery.html */
const LONGEST_EXPRESSION = 2_048;
const ID = /^[a-z][a-zA-Z0-9_]{0,254}$/;

/**
 * @throws AwsError for whatever the list may not be
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

/** What is wrong with an expression is the caller's doing. */
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

/** The coarsest period of the metrics, which is the one expressions are reckoned in; undefined without a metric. */
export function coarsestPeriod(queries: readonly Query[]): number | undefined {
  const periods = queries.flatMap(({ metric, periodSeconds }) => metric?.periodSeconds ?? periodSeconds ?? []);
  return periods.length === 0 ? undefined : Math.max(...periods);
}

/**
 * What a result is called when nobody named it: a metric by its name, with its statistic and period where the metrics of the
 * request differ in them (recorded); an expression by its id.
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
