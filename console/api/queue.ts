/** A look receives messages and gives them back. The server keeps what it saw, so that the page can search in it. */
export interface QueueCalls {
  /** Receives messages of a queue once, gives them back, and says why they are there. */
  readonly 'queue/look': { readonly input: LookInput; readonly output: LookDocument };
  readonly 'queue/messages': { readonly input: MessageSearch; readonly output: MessagePage };
  /** What a search finds, as a file that `dlo dlq import` reads. */
  readonly 'queue/export': { readonly input: MessageChoice; readonly output: ExportDocument };
  /** Applies the fix of a cause, if it would be the same now. */
  readonly 'queue/fix': {
    readonly input: { readonly look: string; readonly cause: string };
    readonly output: Record<string, never>;
  };
  readonly 'queue/message': {
    readonly input: { readonly look: string; readonly id: string };
    readonly output: MessageDetail;
  };
}

export interface LookInput {
  readonly queue: string;
  readonly messages: number;
  /** How far back logs are read. */
  readonly sinceHours: number;
  /** Receive although that brings messages nearer to another dead-letter queue. */
  readonly isForced: boolean;
}

export interface LookDocument {
  readonly look: string;
  readonly queue: string;
  readonly arn: string;
  readonly atMs: number;
  readonly seen: number;
  /** Why the look ended before it had seen all, in words; `null` if it did not. */
  readonly cutShort: string | null;
  /** How many other messages SQS counts in the queue. */
  readonly unseen: number;
  /** How many requests the look took. */
  readonly requests: number;
  readonly causes: readonly CauseRow[];
  readonly unexplained: readonly UnexplainedRow[];
  readonly notes: readonly { readonly says: string; readonly fix: FixRow | null }[];
  readonly timeline: Timeline;
  readonly warnings: readonly string[];
  /** What could not be read, in sentences. */
  readonly unread: readonly string[];
}

export interface CauseRow {
  /** `0` is the cause of most messages. */
  readonly id: string;
  readonly says: string;
  readonly isInferred: boolean;
  readonly messages: number;
  /** Of the messages seen, from 0 to 1. */
  readonly share: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly example: {
    readonly messageId: string;
    readonly answer: string;
    readonly logGroup: string | null;
    readonly logLines: readonly string[];
  };
  /** Each message failed because of one of these. Empty if there is only one. */
  readonly oneOf: readonly { readonly code: string; readonly times: number }[];
  readonly details: readonly string[];
  readonly fix: FixRow | null;
  /** Commands that send its messages again once it is fixed. Empty if a redrive does. */
  readonly replays: readonly string[];
}

interface UnexplainedRow {
  readonly says: string;
  readonly messages: number;
}

export interface FixRow {
  readonly says: string;
  /** Commands to copy. Empty if only a person can decide how. */
  readonly commands: readonly string[];
  readonly isApplicable: boolean;
}

/** When the messages were first sent, by cause. */
export interface Timeline {
  readonly fromMs: number;
  readonly intervalMs: number;
  /** By cause; `null` for messages without a known one. Each has a value an interval. */
  readonly series: readonly { readonly cause: string | null; readonly counts: readonly number[] }[];
}

export interface MessageChoice {
  readonly look: string;
  /** A JMESPath expression, as `dlo dlq redrive --filter` takes it. Empty for all. */
  readonly filter: string;
  /** The id of a cause; empty for all; `none` for messages without one. */
  readonly cause: string;
}

export interface MessageSearch extends MessageChoice {
  readonly from: number;
  readonly count: number;
}

export interface ExportDocument {
  readonly fileName: string;
  readonly text: string;
}

export interface MessagePage {
  /** How many match. */
  readonly total: number;
  readonly messages: readonly MessageRow[];
}

export interface MessageRow {
  readonly id: string;
  readonly sentAtMs: number;
  readonly receiveCount: number;
  /** What wrote it: `SNS`, `Lambda`, `EventBridge`; empty for a plain message. */
  readonly writer: string;
  readonly cause: string | null;
  readonly beginning: string;
}

export interface MessageDetail extends MessageRow {
  readonly expiresAtMs: number;
  readonly mayExpireLater: boolean;
  readonly groupId: string | null;
  readonly movedFromArn: string | null;
  /** What those that wrote it say, the latest first. */
  readonly reports: readonly string[];
  /** What was to be delivered, formatted if it is JSON. */
  readonly payload: string;
  readonly body: string;
  /** The values of binary ones are in base64. */
  readonly attributes: readonly { readonly name: string; readonly type: string; readonly value: string }[];
}
