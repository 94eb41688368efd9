/** One line of a function's log, as JSON. */
export interface LogLine {
  readonly level: 'INFO' | 'WARN' | 'ERROR';
  readonly message: string;
  readonly [detail: string]: unknown;
}

export type Log = (line: LogLine) => void;

/** Lambda keeps what a function prints, a line an event of the log. */
export const log: Log = line => console.log(JSON.stringify(line));

/** Whatever was thrown, as an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Calls back once the event loop has taken its turn. */
export type AfterThisTurn = (then: () => void) => void;

/**
 * Lines of a log, of which those that come within one turn of the event loop are one write: each is a call of the system,
 * and a batch's answers come together. Lambda makes an event of each line all the same.
 */
export class LineBuffer {
  private text = '';

  /** @param write must have written before it returns */
  constructor(
    private readonly write: (text: string) => void,
    private readonly soon: AfterThisTurn,
  ) {}

  add(line: string): void {
    if (this.text === '') this.soon(() => this.flush());
    this.text += `${line}\n`;
  }

  /** Writes what waits. Nothing may: an environment is frozen, or at its end. */
  flush(): void {
    if (this.text === '') return;
    const { text } = this;
    this.text = '';
    this.write(text);
  }
}

/** Has all a handler printed written before Lambda gets its answer, or its error, and may freeze the environment. */
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

/** The units our metrics have, of those CloudWatch knows. */
export type MetricUnit = 'Count' | 'Milliseconds' | 'Seconds' | 'None';

/** What was counted or measured under one name. */
export interface MetricValues {
  /** None: the metric is left out. */
  readonly values: readonly number[];
  /** @default 'None' */
  readonly unit?: MetricUnit;
}

/** Metrics of one instant. */
export interface MetricEvent {
  readonly namespace: string;
  /** All of them together are the one set of dimensions the metrics have. */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly nowMs: number;
  /** By name. */
  readonly metrics: Readonly<Record<string, MetricValues>>;
}

/**
 * The most values one metric has in one line.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const MAX_METRIC_VALUES = 100;

/**
 * Metrics as a line of a log from which CloudWatch takes them.
 *
 * @throws RangeError for a metric with more than `MAX_METRIC_VALUES` values, which CloudWatch would not take: see `emfLines`
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

/** As many lines as the metric with the most values needs: one, as a rule; none where nothing was counted. */
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
