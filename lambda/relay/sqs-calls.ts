const MAX_ATTEMPTS = 2;

/** From the call on: it begins before the connection stands. */
const REQUEST_TIMEOUT_MS = 1_500;

/** What the SDK waits before a second attempt, at most, where SQS asks for fewer. */
const LONGEST_BACKOFF_MS = 1_000;

/** How SQS is asked: the second attempt is the SDK's own, and nobody makes a third. */
export const SQS_CLIENT_CONFIG = {
  maxAttempts: MAX_ATTEMPTS,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: REQUEST_TIMEOUT_MS, throwOnRequestTimeout: true },
} as const;

const LONGEST_CALL_MS = MAX_ATTEMPTS * REQUEST_TIMEOUT_MS + (MAX_ATTEMPTS - 1) * LONGEST_BACKOFF_MS;

/** One after the other: a burial, which fails, and hiding; and one of both in another way, where SQS refuses it. */
const CALLS_IN_A_ROW = 3;

/** What an invocation keeps for telling SQS of everything in the end, however slow SQS is. */
export const RESERVE_MS = CALLS_IN_A_ROW * LONGEST_CALL_MS;
