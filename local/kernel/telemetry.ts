/** One value of one metric, as a service reports it. */
export interface Measurement {
  /** `AWS/SQS`, `AWS/SNS`, … */
  readonly namespace: string;
  readonly name: string;
  /** For example `{ QueueName: 'Rental-Fulfilment-DLQ' }`. */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly value: number;
  /** @default 'Count' */
  readonly unit?: string;
}

/** Where services report what they measured; the time is now. */
export interface MetricSink {
  put(measurement: Measurement): void;
}

/** Where services and functions write their logs; the time is now. A group that does not exist yet is created. */
export interface LogSink {
  write(groupName: string, streamName: string, message: string): void;
}
