import { AwsError } from './aws-error';
import { type Caller, roleCaller } from './caller';

/** One value of one metric, as a service reports it. */
export interface Measurement {
  /** `AWS/SQS`, `AWS/SNS`, … */
  readonly namespace: string;
  readonly name: string;
  /** For example `{ QueueName: 'Rental-Fulfilment-DLQ' }`. Never change it afterwards; the same object again is quicker. */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly value: number;
  /** @default 'Count' */
  readonly unit?: string;
}

/** Where services report what they measured; the time is now. */
export interface MetricSink {
  put(measurement: Measurement): void;
}

/** Where services and functions write their logs; the time is now. */
export interface LogSink {
  /**
   * Puts one event, as `caller`. A group or stream that is not there yet is created, which takes permissions of its own.
   *
   * @throws AwsError as CloudWatch Logs would answer, for want of permission or by a fault
   */
  write(caller: Caller, groupName: string, streamName: string, message: string): void;
}

/** Puts one event with the permissions of a role. Answers why it could not be written, if it could not. */
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
