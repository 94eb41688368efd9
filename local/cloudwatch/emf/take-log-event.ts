import type { CloudWatchState } from '../cloud-watch-state';
import { valueSet, valuesSet } from '../metrics/statistic-set';
import { embeddedMetrics } from './embedded-metrics';

/** A log event, as CloudWatch Logs shows it to CloudWatch. */
export interface WrittenLogEvent {
  readonly logGroupName: string;
  readonly logStreamName: string;
  readonly message: string;
}

/** What AWS counts by log group when an event that says it carries metrics cannot be read, or not all of it. */
const ERROR_METRICS = { parsing: 'EMFParsingErrors', validation: 'EMFValidationErrors' } as const;

/**
 * Takes the metrics out of a log event in the embedded metric format. What is malformed is counted, and written into the
 * trace.
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
