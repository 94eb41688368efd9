import { formatProblem, type Problem } from '../policy/problem';

/** The part of the SDK's `SQS` client that a heartbeat needs. */
export interface VisibilityClient {
  /** Hides a message for so many seconds more, counted from now. */
  changeMessageVisibility(input: {
    readonly QueueUrl: string;
    readonly ReceiptHandle: string;
    readonly VisibilityTimeout: number;
  }): Promise<unknown>;
}

/** Which message is kept, and how. */
export interface HeartbeatOptions {
  /**
   * An `SQS` of `@aws-sdk/client-sqs`. Of an `SQSClient`, make one:
   * `{ changeMessageVisibility: input => client.send(new ChangeMessageVisibilityCommand(input)) }`.
   */
  readonly client: VisibilityClient;

  /** The queue the message was received from. */
  readonly queueUrl: string;

  /** From the receive that brought the message. */
  readonly receiptHandle: string;

  /**
   * The visibility timeout the message was received with, and how long each extension hides it: 10 to 43,200 whole
   * seconds. The shorter, the sooner somebody else gets the message when this consumer dies, and the more requests.
   */
  readonly visibilitySeconds: number;

  /**
   * How long after the receive, and after each extension, the next one is made: 1 second or more, and 5 or more less than
   * `visibilitySeconds`, so that there is time to try again.
   *
   * @default - half of `visibilitySeconds`
   */
  readonly intervalSeconds?: number;

  /**
   * When the message was received, in milliseconds since 1970, for a consumer that has kept it waiting: the visibility
   * timeout and the 12 hours count from then.
   *
   * @default - now
   */
  readonly receivedAtMs?: number;
}

/** Our choice: below this there is no time to try again. */
const LEAST_VISIBILITY_SECONDS = 10;

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html */
const MOST_VISIBILITY_SECONDS = 43_200;

/** Our choice, for the same reason. */
const LEAST_TIME_TO_TRY_AGAIN_SECONDS = 5;

const isFrom = (value: number, min: number, max: number): boolean => value >= min && value <= max;

function problemsOf(options: HeartbeatOptions): Problem[] {
  const { queueUrl, receiptHandle, visibilitySeconds, intervalSeconds = 1, receivedAtMs = 0 } = options;
  const longestInterval = visibilitySeconds - LEAST_TIME_TO_TRY_AGAIN_SECONDS;
  const rules: readonly (readonly [keyof HeartbeatOptions, string, boolean])[] = [
    ['queueUrl', 'must be the URL of a queue', URL.canParse(queueUrl)],
    ['receiptHandle', 'must be text that is not empty', typeof receiptHandle === 'string' && receiptHandle !== ''],
    [
      'visibilitySeconds',
      'must be a whole number from 10 to 43,200',
      Number.isInteger(visibilitySeconds) &&
        isFrom(visibilitySeconds, LEAST_VISIBILITY_SECONDS, MOST_VISIBILITY_SECONDS),
    ],
    [
      'intervalSeconds',
      'must be 1 or more, and 5 or more less than visibilitySeconds',
      isFrom(intervalSeconds, 1, Number.isNaN(longestInterval) ? 1 : Math.max(1, longestInterval)),
    ],
    ['receivedAtMs', 'must be milliseconds since 1970', Number.isFinite(receivedAtMs)],
  ];
  return rules
    .filter(([, , holds]) => !holds)
    .map(([property, rule]) => ({ property, rule, value: options[property] }));
}

/** @throws RangeError that names each option at fault, the rule and the value */
export function checkHeartbeat(options: HeartbeatOptions): void {
  const problems = problemsOf(options);
  if (problems.length > 0) throw new RangeError(problems.map(formatProblem).join('; '));
}
