import { AwsError } from './aws-error';
import { type Caller, roleCaller } from './caller';

/** One value of a metric, as a service reports it. */
export interface Measurement {
  /** `AWS/SQS`, `AWS/SNS`, … */
  readonly namespace: string;
  readonly name: string;
  /**
   * For example `{ QueueName: 'Rental-Fulfilment-DLQ' }`. It must never change afterwards; passing the same object
   * again is faster.
   */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly value: number;
  /** @default 'Count' */
  readonly unit?: string;
}

/** Receives the metrics of services, at the current time. */
export interface MetricSink {
  put(measurement: Measurement): void;
}

/** Receives the log events of services and functions, at the current time. */
export interface LogSink {
  /**
   * Writes one log event as `caller`. A missing log group or stream is created, which needs permissions of its own.
   *
   * @throws AwsError with the code and message that CloudWatch Logs returns, if a permission is missing or a fault is set
   */
  write(caller: Caller, groupName: string, streamName: string, message: string): void;
}

/** Writes one log event with the permissions of a role. Returns why it could not be written, or undefined. */
export function writeWithRole(
  logs: LogSink,
  roleArn: string,
  groupName: string,
  streamName: string,
  message: string,
): string | undefined {
  try {
    logs.write(roleCaller(roleArn), groupName, streamName, message);
    return undefined;
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return error.reason;
  }
}
