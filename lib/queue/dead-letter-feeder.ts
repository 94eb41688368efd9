import type { IConstruct } from 'constructs';

/** What puts dead letters into a queue: by which method it was told of it. */
export enum DeadLetterFeederKind {
  /** SNS sends what a topic could not deliver: `fedByTopic`. */
  TOPIC = 'TOPIC',

  /** Lambda sends what a function failed on: `fedByFunction`. */
  FUNCTION = 'FUNCTION',

  /** SQS moves what the consumer of a queue failed on: `fedByQueue`. */
  QUEUE = 'QUEUE',

  /** EventBridge sends what a rule could not deliver: `fedByRule`. */
  RULE = 'RULE',

  /** EventBridge Scheduler sends what a schedule could not deliver: `fedBySchedule`. */
  SCHEDULE = 'SCHEDULE',

  /** Somebody sends what they gave up on, by a role of their own: `fedByRole`. */
  ROLE = 'ROLE',
}

/** Who feeds a dead-letter queue. */
export interface DeadLetterFeeder {
  /** What it is. */
  readonly kind: DeadLetterFeederKind;

  /**
   * The topic, function, queue, rule, schedule or grantee that the queue was told of.
   *
   * @default - none: the grantee is no construct
   */
  readonly construct?: IConstruct;
}
