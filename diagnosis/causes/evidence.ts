import type { DecodedMessage } from '../../policy/messages/decode-message';
import type { StatusRecord } from '../../policy/messages/delivery-status';
import type { Inventory } from '../inventory/inventory';

/** A letter that was looked at. */
export interface SeenMessage {
  readonly decoded: DecodedMessage;
  /** Of its body, as SQS tells it: a delivery-status record has it too. */
  readonly bodyMd5: string;
}

/** A line of a log. */
export interface LogLine {
  readonly atMs: number;
  readonly message: string;
}

/** A delivery that SNS logged. */
export interface LoggedDelivery {
  readonly atMs: number;
  readonly record: StatusRecord;
}

/** What a topic's delivery-status log said. */
export interface TopicLog {
  readonly topicArn: string;
  /** Of failures. */
  readonly logGroupName: string;
  readonly deliveries: readonly LoggedDelivery[];
  /** Why it could not be read: it completes a sentence that begins with the log group. @default - it was */
  readonly unread?: string;
}

/** How a function fared within the window. */
export interface FunctionEvidence {
  readonly functionArn: string;
  readonly logGroupName: string;
  /** Those that tell of failures. */
  readonly lines: readonly LogLine[];
  /** Why the log could not be read: it completes a sentence that begins with the log group. @default - it was */
  readonly unread?: string;
  /** Of CloudWatch. @default - nobody tells */
  readonly errors?: number;
  /** Of CloudWatch. @default - nobody tells */
  readonly throttles?: number;
}

/** How an event source mapping is, beyond what the inventory says. */
export interface MappingEvidence {
  readonly uuid: string;
  readonly sourceArn: string;
  readonly functionArn: string;
  /** `Enabled`, `Disabled`, `Disabling`. */
  readonly state: string;
  /** In Lambda's words: `PROBLEM: Function call failed`. @default - it says nothing */
  readonly lastProcessingResult?: string;
}

/** All that was gathered of a dead-letter queue. */
export interface Evidence {
  readonly queueArn: string;
  /** From when on logs and metrics were read. */
  readonly fromMs: number;
  readonly messages: readonly SeenMessage[];
  readonly inventory: Inventory;
  /** Those of topics that feed it. */
  readonly topicLogs: readonly TopicLog[];
  readonly functions: readonly FunctionEvidence[];
  /** Those of the queues SQS moved letters from. */
  readonly mappings: readonly MappingEvidence[];
}
