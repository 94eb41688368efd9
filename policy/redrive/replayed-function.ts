export interface ReplayedFunction {
  readonly timeoutSeconds: number;
  /** The ARN of its on-success destination. @default - no such destination */
  readonly onSuccessArn?: string;
}

/**
 * The highest timeout of a function to which a `Redrive` replays, in seconds. Its own function waits for the result, and runs
 * for 15 minutes at most itself. So two minutes remain for reading the state, for the first call, and for deleting the messages.
 */
export const MAX_REPLAYED_TIMEOUT_SECONDS = 780;

/**
 * How long to wait for a result beyond the timeout of the function, in milliseconds: a new execution environment is started
 * before the timeout begins.
 */
const START_AND_ANSWER_MS = 20_000;

/** How long a synchronous invocation can take until Lambda has answered. */
export function invocationMs({ timeoutSeconds }: Pick<ReplayedFunction, 'timeoutSeconds'>): number {
  return timeoutSeconds * 1_000 + START_AND_ANSWER_MS;
}

/**
 * Why no event may be replayed to a function; undefined if events may be.
 *
 * A replay waits for the result of the function, and deletes the message only after a success. An asynchronous invocation would
 * lose the event if the function failed and its dead-letter queue refused the event. Lambda sends the result of an
 * asynchronous invocation to the on-success destination, and never that of a synchronous one.
 *
 * @param maxTimeoutSeconds the caller can wait no longer than this
 * @returns completes a sentence that begins with the function: `has a timeout of …`
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-sync.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
export function replayProblem(
  { timeoutSeconds, onSuccessArn }: ReplayedFunction,
  maxTimeoutSeconds: number,
): string | undefined {
  if (onSuccessArn !== undefined) {
    return `has an on-success destination, ${onSuccessArn}, to which Lambda sends nothing after a replay: a replay waits for the result, so it is a synchronous invocation`;
  }
  if (timeoutSeconds > maxTimeoutSeconds) {
    return `has a timeout of ${timeoutSeconds} seconds, and a replay can wait at most ${maxTimeoutSeconds} seconds for the result`;
  }
  return undefined;
}
