import { formatProblem, type Problem } from '../policy/problem';

/** The part of the SDK's `SQS` client that a heartbeat needs. */
export interface VisibilityClient {
  /** Hides a message for a number of seconds from now on. */
  changeMessageVisibility(input: {
    readonly QueueUrl: string;
    readonly ReceiptHandle: string;
    readonly VisibilityTimeout: number;
  }): Promise<unknown>;
}

/** Tells the time and calls back later. `aws.timeline` of the embedded AWS is one. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Calls `then` after a time, unless it is cancelled first. */
  after(milliseconds: number, then: () => void): { cancel(): void };
}

/** Which message to keep hidden, and how. */
export interface HeartbeatOptions {
  /**
   * An `SQS` client of `@aws-sdk/client-sqs`. With an `SQSClient`, pass
   * `{ changeMessageVisibility: input => client.send(new ChangeMessageVisibilityCommand(input)) }`.
   */
  readonly client: VisibilityClient;

  /** The URL of the queue from which the message was received. */
  readonly queueUrl: string;

  /** The receipt handle of the received message. */
  readonly receiptHandle: string;

  /**
   * The visibility timeout with which the message was received, and that of each extension: 10 to 43,200 whole seconds. A shorter
   * one lets another consumer get the message sooner if this one dies, and takes more requests.
   */
  readonly visibilitySeconds: number;

  /**
   * Time from the receive, or from an extension, to the next extension: at least 1 second, and at least 5 seconds less than
   * `visibilitySeconds`, so that there is time for a retry.
   *
   * @default - half of `visibilitySeconds`
   */
  readonly intervalSeconds?: number;

  /**
   * When the message was received, in milliseconds since 1970. The visibility timeout and the 12 hours count from then. Set it if
   * the consumer received the message some time before it starts the heartbeat.
   *
   * @default - now
   */
  readonly receivedAtMs?: number;

  /**
   * The clock of a simulation: `aws.timeline`, if the client is one of the embedded AWS.
   *
   * @default - this machine's. Its timers do not keep the process running
   */
  readonly clock?: Clock;
}

/** With less there is no time for a retry. */
const MIN_VISIBILITY_SECONDS = 10;

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html */
const MAX_VISIBILITY_SECONDS = 43_200;

/** Time for retries before the message becomes visible. */
const MIN_RETRY_SECONDS = 5;

const isClock = ({ nowMs, after }: Partial<Clock>): boolean => Number.isFinite(nowMs) && typeof after === 'function';

const isFrom = (value: number, min: number, max: number): boolean => value >= min && value <= max;

function problemsOf(options: HeartbeatOptions): Problem[] {
  const { queueUrl, receiptHandle, visibilitySeconds, intervalSeconds = 1, receivedAtMs = 0 } = options;
  const longestInterval = visibilitySeconds - MIN_RETRY_SECONDS;
  const rules: readonly (readonly [keyof HeartbeatOptions, string, boolean])[] = [
    ['queueUrl', 'must be the URL of a queue', URL.canParse(queueUrl)],
    ['receiptHandle', 'must be a text that is not empty', typeof receiptHandle === 'string' && receiptHandle !== ''],
    [
      'visibilitySeconds',
      'must be a whole number from 10 to 43,200',
      Number.isInteger(visibilitySeconds) && isFrom(visibilitySeconds, MIN_VISIBILITY_SECONDS, MAX_VISIBILITY_SECONDS),
    ],
    [
      'intervalSeconds',
      'must be at least 1, and at least 5 less than visibilitySeconds',
      isFrom(intervalSeconds, 1, Number.isNaN(longestInterval) ? 1 : Math.max(1, longestInterval)),
    ],
    ['receivedAtMs', 'must be milliseconds since 1970', Number.isFinite(receivedAtMs)],
    ['clock', 'must have nowMs and after', options.clock === undefined || isClock(Object(options.clock))],
  ];
  return rules
    .filter(([, , holds]) => !holds)
    .map(([property, rule]) => ({ property, rule, value: options[property] }));
}

export function checkHeartbeat(options: HeartbeatOptions): void {
  const problems = problemsOf(options);
  if (problems.length > 0) throw new RangeError(problems.map(formatProblem).join('; '));
}
