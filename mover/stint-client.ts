const CONNECTION_TIMEOUT_MS = 3_000;

/** Beside the second a long poll of the dead-letter queue waits. */
const REQUEST_TIMEOUT_MS = 8_000;

/**
 * How clients ask whose calls a stint makes. None is made twice but by the stint itself: an attempt has its turn by the pace,
 * and one without an answer may have moved its messages, which counts.
 */
export const MOVE_CLIENT_CONFIG = {
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  },
} as const;
