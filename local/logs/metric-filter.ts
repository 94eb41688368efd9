import type { MetricTransformation } from '@aws-sdk/client-cloudwatch-logs';
import { notImplemented } from '../kernel/aws-error';
import type { Measurement } from '../kernel/telemetry';
import { invalidParameter } from './errors';
import { type LogFilter, parsed, parseFilterPattern } from './filter/filter-pattern';
import { parseSelector, select } from './filter/json-filter';

/** Turns log events into values of a metric. */
export class MetricFilter {
  private readonly matches: LogFilter;

  /**
   * @throws AwsError when the pattern or the transformation is malformed or not implemented
   * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutMetricFilter.html
   */
  constructor(
    readonly filterName: string,
    filterPattern: string,
    private readonly transformation: MetricTransformation,
  ) {
    this.matches = parseFilterPattern(filterPattern);
    const { metricName, metricNamespace, metricValue, defaultValue, dimensions } = transformation;
    if (!metricName || !metricNamespace || !metricValue) {
      throw invalidParameter('A metric transformation needs metricName, metricNamespace and metricValue');
    }
    if (defaultValue !== undefined) throw notImplemented("a metric filter's defaultValue");
    const selectors = [metricValue, ...Object.values(dimensions ?? {})].filter(text => text.startsWith('$'));
    const malformed = selectors.filter(text => !parseSelector(text));
    if (malformed.length > 0) throw invalidParameter(`Invalid metric transformation: ${malformed.join(', ')}`);
    if (!metricValue.startsWith('$') && !Number.isFinite(Number(metricValue))) {
      throw invalidParameter(`Invalid metric transformation: metricValue ${metricValue} is not a number`);
    }
  }

  /** The value the event stands for, if it matches and holds one. */
  measure(message: string): Measurement | undefined {
    if (!this.matches(message)) return undefined;
    const { metricName = '', metricNamespace = '', metricValue = '', dimensions, unit } = this.transformation;
    const document = parsed(message);
    const value = Number(resolve(document, metricValue));
    if (!Number.isFinite(value)) return undefined;
    const named = Object.entries(dimensions ?? {}).map(([name, selector]) => [name, resolve(document, selector)]);
    if (named.some(([, dimension]) => dimension === undefined)) return undefined;
    return {
      namespace: metricNamespace,
      name: metricName,
      dimensions: Object.fromEntries(named.map(([name, dimension]) => [name, String(dimension)])),
      value,
      unit: unit ?? 'None',
    };
  }
}

/** A selector's value in the document, or the text itself. */
function resolve(document: unknown, text: string): unknown {
  const selector = parseSelector(text);
  return selector ? select(document, selector) : text;
}
