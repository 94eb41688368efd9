import type { DecodedMessage } from '../../policy/messages/decode-message';
import type { StatusRecord } from '../../policy/messages/delivery-status';
import type { Inventory } from '../inventory/inventory';

export interface SampledMessage {
  readonly decoded: DecodedMessage;
  /** The MD5 of the body, as SQS reports it. A delivery-status record contains it too. */
  readonly bodyMd5: string;
}

export interface LogLine {
  readonly atMs: number;
  readonly message: string;
}

export interface LoggedDelivery {
  readonly atMs: number;
  readonly record: StatusRecord;
}

export interface TopicLog {
  readonly topicArn: string;
  readonly logGroupName: string;
  readonly deliveries: readonly LoggedDelivery[];
  /** Why it could not be read. It completes a sentence that begins with the log group. @default - the log was read */
  readonly unread?: string;
}

/** The log and metrics of a function in the period. */
export interface FunctionEvidence {
  readonly functionArn: string;
  readonly logGroupName: string;
  readonly lines: readonly LogLine[];
  /** Why the log could not be read. It completes a sentence that begins with the log group. @default - the log was read */
  readonly unread?: string;
  /** From CloudWatch. @default - unknown */
  readonly errors?: number;
  /** From CloudWatch. @default - unknown */
  readonly throttles?: number;
}

/** The state of an event source mapping, in addition to what the inventory contains. */
export interface MappingEvidence {
  readonly uuid: string;
  readonly sourceArn: string;
  readonly functionArn: string;
  /** `Enabled`, `Disabled`, `Disabling`. */
  readonly state: string;
  /** Lambda's text: `PROBLEM: Function call failed`. @default - none */
  readonly lastProcessingResult?: string;
}

/** Everything that was collected about a dead-letter queue. */
export interface Evidence {
  readonly queueArn: string;
  /** The start of the period for logs and metrics. */
  readonly fromMs: number;
  readonly messages: readonly SampledMessage[];
  readonly inventory: Inventory;
  readonly topicLogs: readonly TopicLog[];
  readonly functions: readonly FunctionEvidence[];
  /** The mappings of the queues from which SQS moved messages. */
  readonly mappings: readonly MappingEvidence[];
}
