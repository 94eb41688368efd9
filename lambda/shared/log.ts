export interface LogLine {
  readonly level: 'INFO' | 'WARN' | 'ERROR';
  readonly message: string;
  readonly [detail: string]: unknown;
}

export type Log = (line: LogLine) => void;

/** Prints a line. Lambda makes a log event of each. */
export const log: Log = line => console.log(JSON.stringify(line));

export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** A line about a call that failed. */
export function failureLine(level: 'WARN' | 'ERROR', message: string, thrown: unknown, more: object = {}): object {
  const { name: error, message: problem } = errorOf(thrown);
  return { level, message, ...more, error, problem };
}

/** Calls back after the current turn of the event loop. */
export type AfterThisTurn = (then: () => void) => void;

/**
 * Collects log lines and writes those of one turn of the event loop together: each write is a system call, and a batch's answers
 * arrive together. Lambda still makes a log event of each line.
 */
export class LineBuffer {
  private text = '';

  /** @param write must be synchronous */
  constructor(
    private readonly write: (text: string) => void,
    private readonly soon: AfterThisTurn,
  ) {}

  add(line: string): void {
    if (this.text === '') this.soon(() => this.flush());
    this.text += `${line}\n`;
  }

  /** Writes the collected lines. Called before the execution environment is frozen or ends. */
  flush(): void {
    if (this.text === '') return;
    const { text } = this;
    this.text = '';
    this.write(text);
  }
}

/** Writes a handler's log lines before it returns or throws, because Lambda may then freeze the execution environment. */
export function flushingLog<Event, Context, Answer>(
  lines: LineBuffer,
  handler: (event: Event, context: Context) => Promise<Answer>,
): (event: Event, context: Context) => Promise<Answer> {
  return async (event, context) => {
    try {
      return await handler(event, context);
    } finally {
      lines.flush();
    }
  };
}

/** The CloudWatch units that are in use. */
type MetricUnit = 'Count' | 'Milliseconds' | 'Seconds' | 'None';

export interface MetricValues {
  /** Without values the metric is omitted. */
  readonly values: readonly number[];
  /** @default 'None' */
  readonly unit?: MetricUnit;
}

export interface MetricEvent {
  readonly namespace: string;
  /** The only set of dimensions of the metrics. */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly nowMs: number;
  readonly metrics: Readonly<Record<string, MetricValues>>;
}

/**
 * CloudWatch's limit of values for a metric in one line.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const MAX_METRIC_VALUES = 100;

/**
 * Returns metrics as a log line in the embedded metric format.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function emfLine({ namespace, dimensions, nowMs, metrics }: MetricEvent): string {
  const present = Object.entries(metrics).filter(([, { values }]) => values.length > 0);
  const long = present.filter(([, { values }]) => values.length > MAX_METRIC_VALUES).map(([name]) => name);
  if (long.length > 0)
    throw new RangeError(`${long.join(', ')} must have at most ${MAX_METRIC_VALUES} values in a line`);
  return JSON.stringify({
    _aws: {
      Timestamp: nowMs,
      CloudWatchMetrics: [
        {
          Namespace: namespace,
          Dimensions: [Object.keys(dimensions)],
          Metrics: present.map(([Name, { unit: Unit = 'None' }]) => ({ Name, Unit })),
        },
      ],
    },
    ...dimensions,
    ...Object.fromEntries(present.map(([name, { values }]) => [name, values.length === 1 ? values[0] : values])),
  });
}

/** Returns as many lines as the metric with the most values needs: usually one; none without values. */
export function emfLines(event: MetricEvent): string[] {
  const entries = Object.entries(event.metrics);
  const longest = Math.max(0, ...entries.map(([, { values }]) => values.length));
  const lines = Math.ceil(longest / MAX_METRIC_VALUES);
  if (lines === 1) return [emfLine(event)];
  return Array.from({ length: lines }, (_, line) => {
    const from = line * MAX_METRIC_VALUES;
    const part = entries.map(([name, { values, ...rest }]) => [
      name,
      { ...rest, values: values.slice(from, from + MAX_METRIC_VALUES) },
    ]);
    return emfLine({ ...event, metrics: Object.fromEntries(part) });
  });
}
