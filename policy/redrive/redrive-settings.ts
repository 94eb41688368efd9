/** The environment variable in which the construct hands the redrive function its settings. */
export const REDRIVE_SETTINGS_VARIABLE = 'REDRIVE_SETTINGS';

/** A queue as SQS's actions want it named. */
export interface QueueName {
  readonly url: string;
  readonly arn: string;
}

/** A queue letters go home to. */
export interface QueueDestination extends QueueName {
  readonly kind: 'queue';
}

/** A function that is invoked with the events letters hold. */
export interface FunctionDestination {
  readonly kind: 'function';
  /** Of the function, or of its version or alias. */
  readonly arn: string;
  /** Whether a letter's body is the event itself, as Lambda writes it, or SNS's envelope around the message. */
  readonly bodyIs: 'event' | 'envelope';
  /** Of the subscription whose dead letters these are: SNS's event names it. @default - the envelope's own, where it has one */
  readonly subscriptionArn?: string;
}

export type RedriveDestination = QueueDestination | FunctionDestination;

/** One step of a run: how fast, and how far. */
export interface RedriveStep {
  /** 1 to 500. */
  readonly messagesPerSecond: number;
  /**
   * After how many messages the step is over, and the next may follow. A move task is looked at once a tick and cannot be
   * told to stop by itself, so it moves some more.
   * @default - it moves all there are: the last step
   */
  readonly messages?: number;
}

/** Everything a redrive function knows of itself, as its construct writes it: see `readRedriveSettings`. */
export interface RedriveSettings {
  /** Whether it acts. Invoked otherwise, it writes down what it would do. */
  readonly enabled: boolean;
  /** What the alarms, the records and the notes call it: the construct's path. */
  readonly name: string;
  /** Where the letters lie. */
  readonly deadLetters: QueueName;
  readonly destination: RedriveDestination;
  /**
   * Who moves them: a task of SQS, which falls back to copying where SQS refuses; or the function itself, by copying to a queue,
   * or by invoking a function.
   */
  readonly carrier: 'task' | 'copy' | 'replay';
  /** Whether the function itself may move letters: it has the permissions and the time, and runs once at a time. */
  readonly mayCarry: boolean;
  /**
   * Where ends what the destination fails at again: `deadLetters` itself, the quarantine of a retry lane, or another
   * dead-letter queue.
   * @default - nobody knows, and only alarms and the proof of health speak for the destination
   */
  readonly failures?: QueueName;
  /**
   * Where a replayed event goes that came back, with its reasons.
   * @default - it stays among the dead letters
   */
  readonly quarantine?: QueueName;
  /** Event source mappings that must be enabled, by their ids: a destination nobody reads is no destination. */
  readonly mappingIds: readonly string[];
  /** Names of alarms whose return from ALARM to OK starts a run. */
  readonly recoveryAlarms: readonly string[];
  /** Names of alarms that must be OK; those of `recoveryAlarms` must be as well. */
  readonly healthAlarms: readonly string[];
  /** For how long they must have been. */
  readonly healthyForMs: number;
  /** The most messages that may wait in the destination. @default - no matter */
  readonly maxBacklog?: number;
  /** The oldest a message in the destination may be. @default - no matter */
  readonly maxAgeSeconds?: number;
  /** Whether somebody must have deleted messages from the destination before a run goes on after its first step. */
  readonly proofOfHealth: boolean;
  /** The first is the canary; each is faster than the one before it, and the last has no `messages`. */
  readonly steps: readonly RedriveStep[];
  /** How long what fails at the destination may take to come back: it is waited for after each step. */
  readonly settleMs: number;
  /** The most of what a step moved that may come back: 0 to 100. */
  readonly maxReturnedPercent: number;
  /** After a run whose letters came back: how long no schedule starts another. */
  readonly restMs: number;
  /** The most runs within 24 hours. */
  readonly runsPerDay: number;
  /** The most messages within 24 hours. */
  readonly messagesPerDay: number;
  /** The name of the SSM parameter that says `on` or `off`. */
  readonly switchParameter: string;
  /** Whether there may be none of that name, which counts as `on`: nobody has switched anything yet. */
  readonly switchMayBeAbsent: boolean;
  /** How often the function runs, whatever happens. */
  readonly tickMs: number;
  /** How long one run of the function may take. */
  readonly functionTimeoutMs: number;
  /** Of the topic that is told how a run ended. @default - nobody is */
  readonly resultsTopicArn?: string;
}
