import type { MetricTransformation } from '@aws-sdk/client-cloudwatch-logs';
import { MINUTE_MS } from '../../policy/time-units';
import { jsonOrUndefined } from '../kernel/json';
import type { Measurement, MetricSink } from '../kernel/telemetry';
import type { Scheduler } from '../kernel/timeline';
import { invalidParameter } from './errors';
import { type FilterPattern, parseFilterPattern } from './filter/filter-pattern';
import { parseSelector, select } from './filter/selector';

const MAX_DIMENSIONS = 3;

/** Converts matching log events into values of a metric. */
export class MetricFilter {
  readonly pattern: FilterPattern;
  /** The minute for which `defaultValue` is still due, unless an event in it matches. */
  private openMinute: { readonly endsAtMs: number; matched: boolean } | undefined;

  /** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutMetricFilter.html */
  constructor(
    readonly filterName: string,
    readonly filterPattern: string,
    readonly transformation: MetricTransformation,
    readonly createdAtMs: number,
  ) {
    this.pattern = parseFilterPattern(filterPattern);
    const { metricName, metricNamespace, metricValue, defaultValue, dimensions = {} } = transformation;
    if (!metricName || !metricNamespace || !metricValue) {
      throw invalidParameter('A metric transformation needs metricName, metricNamespace and metricValue');
    }
    const count = Object.keys(dimensions).length;
    if (count > MAX_DIMENSIONS)
      throw invalidParameter(`A metric filter has at most ${MAX_DIMENSIONS} dimensions, got ${count}`);
    if (count > 0 && defaultValue !== undefined) {
      throw invalidParameter('A metric transformation with dimensions has no defaultValue');
    }
    const malformed = [metricValue, ...Object.values(dimensions)].filter(
      text => text.startsWith('$.') && !parseSelector(text),
    );
    if (malformed.length > 0) throw invalidParameter(`Invalid metric transformation: ${malformed.join(', ')}`);
    if (!metricValue.startsWith('$') && !Number.isFinite(Number(metricValue))) {
      throw invalidParameter(`Invalid metric transformation: metricValue ${metricValue} is not a number`);
    }
  }

  /**
   * Evaluates an event that has arrived. `defaultValue` is reported at the end of a minute in which events arrived and
   * none matched, as AWS documents it.
   *
   * **Assumption LOGS-4:** AWS does not publish the minute in which a late event counts. Here both the value and the
   * default count in the minute the event arrives, so a minute that alarms have already evaluated never changes.
   */
  take(message: string, timeline: Scheduler, metrics: MetricSink): void {
    const matched = this.pattern.matches(message);
    const measurement = matched ? this.measure(message) : undefined;
    if (measurement) metrics.put(measurement);
    if (this.transformation.defaultValue !== undefined) this.countMinute(matched, timeline, metrics);
  }

  private countMinute(matched: boolean, timeline: Scheduler, metrics: MetricSink): void {
    const endsAtMs = (Math.floor(timeline.nowMs / MINUTE_MS) + 1) * MINUTE_MS;
    if (this.openMinute?.endsAtMs === endsAtMs) {
      this.openMinute.matched ||= matched;
      return;
    }
    const minute = { endsAtMs, matched };
    this.openMinute = minute;
    timeline.inBackground(endsAtMs - 1, () => {
      if (!minute.matched) metrics.put(this.measurement(this.transformation.defaultValue ?? 0, {}));
    });
  }

  /** Returns the metric value of the event; undefined when it has none. */
  private measure(message: string): Measurement | undefined {
    const { metricValue = '', dimensions = {} } = this.transformation;
    const read = readerOf(message, this.pattern);
    const value = Number(read(metricValue));
    if (!Number.isFinite(value)) return undefined;
    const named = Object.entries(dimensions).map(([name, selector]) => [name, read(selector)]);
    if (named.some(([, dimension]) => dimension === undefined)) return undefined;
    return this.measurement(value, Object.fromEntries(named.map(([name, dimension]) => [name, String(dimension)])));
  }

  private measurement(value: number, dimensions: Readonly<Record<string, string>>): Measurement {
    const { metricName = '', metricNamespace = '', unit = 'None' } = this.transformation;
    return { namespace: metricNamespace, name: metricName, dimensions, value, unit };
  }
}

/**
 * Returns a reader of values: a `$.selector` reads from JSON, `$name` reads a column of the pattern, any other text is
 * a constant.
 */
function readerOf(message: string, pattern: FilterPattern): (text: string) => unknown {
  return text => {
    if (!text.startsWith('$')) return text;
    const selector = parseSelector(text);
    return selector ? select(jsonOrUndefined(message), selector) : pattern.extract(message)[text];
  };
}
