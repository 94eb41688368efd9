import { ownMember } from '../../policy/json-members';
import { DAY_MS, HOUR_MS } from '../../policy/time-units';
import { isObject, type JsonObject, jsonProblem } from '../kernel/json';
import type { CloudWatchState } from './cloud-watch-state';
import type { StorageResolutionSeconds } from './metrics/metric-series';
import { valueSet, valuesSet } from './metrics/statistic-set';
import { isUnit } from './metrics/units';

/** A log event, as CloudWatch receives it from CloudWatch Logs. */
export interface WrittenLogEvent {
  readonly logGroupName: string;
  readonly logStreamName: string;
  readonly message: string;
}

/**
 * The metrics by log group in which AWS counts events that are not valid JSON, and events that break a rule of the
 * format.
 */
const ERROR_METRICS = { parsing: 'EMFParsingErrors', validation: 'EMFValidationErrors' } as const;

/**
 * Stores the metrics of a log event in the embedded metric format. Malformed parts are counted in the error metrics and
 * recorded in the trace.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CloudWatch-Logs-Monitoring-CloudWatch-Metrics.html
 */
export function takeLogEvent({ metrics, context }: CloudWatchState, event: WrittenLogEvent): void {
  const { nowMs } = context.timeline;
  const found = embeddedMetrics(event.message, nowMs);
  if (!found) return;
  for (const { namespace, name, dimensions, values, unit, resolution, atMs } of found.data) {
    const set = valuesSet(values.map(value => [value, 1] as const));
    if (set) metrics.series(namespace, name, dimensions).add(nowMs, atMs, set, unit, resolution);
  }
  if (found.problems.length === 0) return;
  const { logGroupName, logStreamName } = event;
  metrics
    .series('AWS/Logs', ERROR_METRICS[found.kind], { LogGroupName: logGroupName })
    .add(nowMs, nowMs, valueSet(1), 'None', 60);
  context.trace.record({
    type: 'cloudwatch.embedded-metrics-refused',
    logGroupName,
    logStreamName,
    problems: found.problems,
  });
}

/** The values of one metric in a log event. */
interface EmbeddedDatum {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly unit: string;
  readonly resolution: StorageResolutionSeconds;
  readonly atMs: number;
  readonly values: readonly number[];
}

interface EmbeddedMetrics {
  readonly data: readonly EmbeddedDatum[];
  /** What is malformed, and therefore lost. The kind is `parsing` when the event is not valid JSON. */
  readonly problems: readonly string[];
  readonly kind: 'parsing' | 'validation';
}

const OLDEST_MS = 14 * DAY_MS;
const NEWEST_MS = 2 * HOUR_MS;
const MOST_DIMENSIONS = 30;
const MOST_METRICS = 100;
const MOST_VALUES = 100;
const LONGEST_NAME = 1_024;

/**
 * Reads the metrics of a log event. Text before the JSON is skipped, because Lambda writes the time and the request id
 * there. Malformed parts are left out. Returns undefined for an event that is not in the embedded metric format.
 *
 * @see
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function embeddedMetrics(message: string, nowMs: number): EmbeddedMetrics | undefined {
  if (!message.includes('"_aws"') || !message.includes('"CloudWatchMetrics"')) return undefined;
  const text = message.slice(message.indexOf('{'));
  const broken = jsonProblem(text);
  if (broken) {
    const problem = `${broken.reason} at line ${broken.line}, column ${broken.column}`;
    return { data: [], problems: [problem], kind: 'parsing' };
  }
  const document: unknown = JSON.parse(text);
  if (!isObject(document) || !isObject(document['_aws'])) return undefined;
  const { _aws: metadata } = document;
  if (!isObject(metadata) || metadata['CloudWatchMetrics'] === undefined) return undefined;
  return new Reader(document, nowMs).read(metadata);
}

/** Reads one document and collects its problems. */
class Reader {
  private readonly problems: string[] = [];

  constructor(
    private readonly document: JsonObject,
    private readonly nowMs: number,
  ) {}

  read({ Timestamp, CloudWatchMetrics: directives }: JsonObject): EmbeddedMetrics {
    const data: EmbeddedDatum[] = [];
    const atMs = this.timestamp(Timestamp);
    if (!Array.isArray(directives)) this.problem('_aws.CloudWatchMetrics', 'must be a list', directives);
    else if (atMs !== undefined) {
      directives.forEach((directive: unknown, index) => {
        data.push(...this.directive(directive, `_aws.CloudWatchMetrics[${index}]`, atMs));
      });
    }
    return { data, problems: this.problems, kind: 'validation' };
  }

  private timestamp(value: unknown): number | undefined {
    if (!Number.isInteger(value))
      return this.problem('_aws.Timestamp', 'must be a whole number of milliseconds', value);
    const atMs = Number(value);
    return atMs >= this.nowMs - OLDEST_MS && atMs <= this.nowMs + NEWEST_MS
      ? atMs
      : this.problem('_aws.Timestamp', 'must be within the last two weeks or the next two hours', value);
  }

  private directive(directive: unknown, path: string, atMs: number): readonly EmbeddedDatum[] {
    if (!isObject(directive)) return this.problem(path, 'must be an object', directive) ?? [];
    const { Namespace: namespace, Dimensions: dimensions, Metrics: metrics } = directive;
    if (!isName(namespace)) return this.problem(`${path}.Namespace`, NAME_RULE, namespace) ?? [];
    if (!Array.isArray(metrics)) return this.problem(`${path}.Metrics`, 'must be a list', metrics) ?? [];
    if (metrics.length > MOST_METRICS) {
      return this.problem(`${path}.Metrics`, `must have at most ${MOST_METRICS} metrics`, metrics.length) ?? [];
    }
    const sets = this.dimensionSets(dimensions, `${path}.Dimensions`);
    return metrics.flatMap((metric: unknown, index) => {
      const found = this.metric(metric, `${path}.Metrics[${index}]`);
      return found ? sets.map(set => ({ ...found, namespace, dimensions: set, atMs })) : [];
    });
  }

  /** Each set of dimensions defines a separate metric. Without any set, there is one metric without dimensions. */
  private dimensionSets(sets: unknown, path: string): readonly Readonly<Record<string, string>>[] {
    if (sets === undefined) return [{}];
    if (!Array.isArray(sets)) return this.problem(path, 'must be a list of lists', sets) ?? [];
    if (sets.length === 0) return [{}];
    const read = sets.map((set: unknown, index) => this.dimensionSet(set, `${path}[${index}]`));
    return read.filter(set => set !== undefined);
  }

  private dimensionSet(names: unknown, path: string): Readonly<Record<string, string>> | undefined {
    if (!Array.isArray(names) || !names.every(isName)) return this.problem(path, 'must be a list of names', names);
    if (names.length > MOST_DIMENSIONS) {
      return this.problem(path, `must have at most ${MOST_DIMENSIONS} dimensions`, names.length);
    }
    const dimensions: Record<string, string> = {};
    for (const name of names) {
      const value = ownMember(this.document, name);
      if (!isName(value)) return this.problem(`${path}: ${name}`, `names a member that ${NAME_RULE}`, value);
      dimensions[name] = value;
    }
    return dimensions;
  }

  /** Skips a metric whose member is missing from the document, as the specification requires. */
  private metric(metric: unknown, path: string): Omit<EmbeddedDatum, 'namespace' | 'dimensions' | 'atMs'> | undefined {
    if (!isObject(metric)) return this.problem(path, 'must be an object', metric);
    const { Name: name, Unit: unit = 'None', StorageResolution: resolution = 60 } = metric;
    if (!isName(name)) return this.problem(`${path}.Name`, NAME_RULE, name);
    if (typeof unit !== 'string' || !isUnit(unit)) return this.problem(`${path}.Unit`, 'must be a unit', unit);
    if (resolution !== 1 && resolution !== 60) {
      return this.problem(`${path}.StorageResolution`, 'must be 1 or 60', resolution);
    }
    const target = ownMember(this.document, name);
    if (target === undefined) return undefined;
    const values = this.values(target, name);
    return values && { name, unit, resolution, values };
  }

  private values(target: unknown, name: string): readonly number[] | undefined {
    const values: readonly unknown[] = Array.isArray(target) ? target : [target];
    const numbers = values.filter(value => typeof value === 'number');
    if (numbers.length !== values.length) return this.problem(name, 'must be a number or a list of numbers', target);
    if (numbers.length > MOST_VALUES) {
      return this.problem(name, `must have at most ${MOST_VALUES} values`, numbers.length);
    }
    return numbers.length === 0 ? undefined : numbers;
  }

  private problem(path: string, rule: string, got: unknown): undefined {
    this.problems.push(`${path} ${rule}, got ${JSON.stringify(got)?.slice(0, LONGEST_NAME)}`);
    return undefined;
  }
}

const NAME_RULE = `must be a text of 1 to ${LONGEST_NAME} characters`;

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_NAME;
