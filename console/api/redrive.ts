import type { Depths, Problem } from './common';

export interface RedriveFeeds {
  /** `redrive:orders-dlq`: what moves messages out of a queue now, and did before. */
  readonly redrive: QueueRedriveDocument;
  /** The `Redrive` constructs of the Region. */
  readonly redrives: RedrivesDocument;
}

export interface RedriveCalls {
  /** Plans a redrive. Nothing moves. */
  readonly 'redrive/plan': { readonly input: RedriveRequest; readonly output: PlanDocument };
  /** Carries out a plan, if nothing has changed since it was made. */
  readonly 'redrive/execute': { readonly input: ExecuteRequest; readonly output: Record<string, never> };
  /** Ends the redrive that this console runs. Messages that moved stay moved. */
  readonly 'redrive/stop': { readonly input: StopRequest; readonly output: Record<string, never> };
  /** Cancels the move task of the queue, which another program started. */
  readonly 'redrive/cancel-task': { readonly input: TaskRequest; readonly output: Record<string, never> };
}

/** What to move, with the options of `dlo dlq redrive`. */
export interface RedriveRequest {
  /** Its name, ARN or URL. */
  readonly queue: string;
  /** The ARN of a queue or a function. @default - where the messages were sent first */
  readonly to?: string;
  readonly subscription?: string;
  /** Messages a second. @default 50 */
  readonly rate?: number;
  /** How many messages go first. @default 10 */
  readonly canary?: number;
  /** JMESPath. @default - all messages move */
  readonly filter?: string;
  readonly force?: boolean;
}

export interface ExecuteRequest extends RedriveRequest {
  readonly plan: string;
  /** Whether to take over the lease of another command. @default false */
  readonly steal?: boolean;
}

interface StopRequest {
  readonly queue: string;
  /** Whether the user will continue: then the page offers a plan for the rest. */
  readonly isPause: boolean;
}

export interface TaskRequest {
  readonly queue: string;
  /** Which task: when it began. */
  readonly startedAtMs: number;
}

interface PlanRisk {
  /** `blocks`: nothing moves until it is resolved. `danger`: messages may be lost, or circulate. */
  readonly weight: 'blocks' | 'danger' | 'note';
  readonly says: string;
}

/** A plan, as `dlo dlq redrive` prints it. */
export interface PlanDocument {
  readonly id: string;
  readonly queue: string;
  /** `Move 12 messages from orders-dlq to queue orders.` */
  readonly says: string;
  readonly rows: readonly (readonly [about: string, text: string])[];
  readonly risks: readonly PlanRisk[];
  /** What could not be read for it, in sentences. */
  readonly unknowns: readonly string[];
  readonly messages: number;
  readonly command: string;
}

export interface RunDocument {
  readonly plan: PlanDocument;
  readonly request: RedriveRequest;
  readonly startedAtMs: number;
  readonly step: 'starting' | 'canary' | 'watching' | 'rest' | 'ended';
  /** What the user asked for. */
  readonly stopping: 'pause' | 'cancel' | null;
  readonly moved: number;
  /** How many messages should move. Null if it depends on their content. */
  readonly total: number | null;
  /** Whether the count is SQS's, which lags by some seconds. */
  readonly isCountLate: boolean;
  /** Messages a second in the last seconds. */
  readonly rate: number | null;
  readonly secondsLeft: number | null;
  readonly watchUntilMs: number | null;
  readonly events: readonly { readonly atMs: number; readonly says: string }[];
  readonly outcome: OutcomeDocument | null;
  /** Why it failed, if nothing moved. */
  readonly problem: Problem | null;
}

export interface OutcomeDocument {
  readonly kind: 'moved' | 'partly' | 'returned' | 'not-consumed' | 'interrupted' | 'failed' | 'unseen';
  readonly reason: string;
  readonly moved: number;
  /** They were sent without an answer: they may have moved, and are still in the dead-letter queue. */
  readonly unsure: number;
  /** They moved, and are still in the dead-letter queue. */
  readonly undeleted: number;
  readonly inQueue: number | null;
  /** What became of the messages. Null if none moved. */
  readonly became: string | null;
  /** More that the operator should know. */
  readonly notes: readonly string[];
  readonly left: readonly StayingDocument[];
  /** The command that continues. */
  readonly next: string | null;
}

interface StayingDocument {
  readonly messages: number;
  /** The id of one of them. */
  readonly example: string;
  readonly reason: string;
  /** Whether they should have moved. */
  readonly isMeant: boolean;
}

export interface TaskDocument {
  readonly startedAtMs: number;
  readonly status: string;
  readonly moved: number;
  readonly toMove: number | null;
  /** Messages a second. Null if SQS chooses. */
  readonly rate: number | null;
  /** The name of a queue. Null if each message goes to its source queue. */
  readonly to: string | null;
  readonly failure: string | null;
  readonly isRunning: boolean;
}

/** Another program that changes the queue. */
export interface LeaseDocument {
  /** Such as `dlq redrive`. */
  readonly command: string;
  readonly untilMs: number;
}

export interface QueueRedriveDocument {
  readonly name: string;
  readonly arn: string;
  readonly depths: Depths;
  /** The newest first. Null if they cannot be read. */
  readonly tasks: readonly TaskDocument[] | null;
  /** Whether another program works on the queue. */
  readonly lease: LeaseDocument | null;
  readonly unknowns: readonly string[];
  readonly run: RunDocument | null;
}

/** What a `Redrive` did, or would not do. */
export interface RedriveRecordDocument {
  readonly atMs: number;
  readonly sinceMs: number;
  /** How often in a row. */
  readonly times: number;
  /** `schedule leave alarm-firing`. */
  readonly what: string;
  readonly reason: string;
  readonly isFailure: boolean;
}

/** A queue of messages that failed again after a redrive. */
export interface FailedAgainDocument {
  readonly name: string;
  /** `12 visible, 0 in flight`. */
  readonly says: string;
  readonly messages: number;
  /** The redrive that empties it. Null: it is a quarantine. */
  readonly emptiedBy: string | null;
}

/** A `Redrive` construct. Without `state`, it cannot be read. */
export interface RedriveDocument {
  readonly name: string;
  readonly path: string | null;
  readonly problems: readonly string[];
  readonly state: RedriveStateDocument | null;
}

export interface RedriveStateDocument {
  readonly from: string;
  readonly to: string;
  /** `stopped (returned)`. */
  readonly says: string;
  readonly needsAttention: boolean;
  /** Null if the queue does not exist. */
  readonly messages: number | null;
  readonly killSwitch: 'on' | 'off' | 'unknown';
  readonly steps: string;
  readonly lastRun: string;
  readonly byItself: string;
  readonly ifAsked: string;
  /** With the reason why it fails, or null. */
  readonly preconditions: readonly { readonly cause: string; readonly reason: string | null }[];
  readonly moves: readonly (TaskDocument & { readonly isOwn: boolean })[];
  /** Null if the log cannot be read. */
  readonly records: readonly RedriveRecordDocument[] | null;
  readonly failedAgain: readonly FailedAgainDocument[];
  /** What the operator can do. Lines after the first are commands. */
  readonly advice: readonly string[];
}

export interface RedrivesDocument {
  readonly redrives: readonly RedriveDocument[];
  readonly unknowns: readonly string[];
}
