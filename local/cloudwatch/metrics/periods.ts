import { DAY_MS, HOUR_MS, MINUTE_MS, MINUTE_SECONDS, SECOND_MS } from '../../../policy/time-units';

const SHORT_PERIODS_SECONDS: readonly number[] = [1, 5, 10, 20, 30];

/**
 * Older data is stored per five minutes, and then per hour. AWS rounds the start of a request down to such an instant.
 */
const COARSE_STARTS = [
  { olderThanMs: 63 * DAY_MS, toMs: HOUR_MS },
  { olderThanMs: 15 * DAY_MS, toMs: 5 * MINUTE_MS },
  { olderThanMs: Number.NEGATIVE_INFINITY, toMs: MINUTE_MS },
] as const;

/** Equally spaced instants, each the start of a period. */
export interface Grid {
  readonly startMs: number;
  readonly periodMs: number;
  readonly count: number;
}

/** Whether a period is 1, 5, 10, 20, 30 or a multiple of 60 seconds. */
export const isReadPeriod = (seconds: number): boolean =>
  SHORT_PERIODS_SECONDS.includes(seconds) ||
  (Number.isInteger(seconds) && seconds > 0 && seconds % MINUTE_SECONDS === 0);

/**
 * The periods of a request for statistics. The first begins where AWS rounds the start of the request down to.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricStatistics.html
 */
export function gridOf(nowMs: number, fromMs: number, toMs: number, periodSeconds: number): Grid {
  const periodMs = periodSeconds * SECOND_MS;
  const step = COARSE_STARTS.find(({ olderThanMs }) => nowMs - fromMs > olderThanMs);
  const stepMs = periodMs < MINUTE_MS ? periodMs : (step?.toMs ?? MINUTE_MS);
  const startMs = Math.floor(fromMs / stepMs) * stepMs;
  return { startMs, periodMs, count: Math.max(0, Math.ceil((toMs - startMs) / periodMs)) };
}

const SHORT_PERIODS_KEPT_MS = 3 * HOUR_MS;

/**
 * Whether data of this age can be read with this period: with one below 60 seconds, none that is older than three hours.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
 */
export const isReadable = (ageMs: number, periodMs: number): boolean =>
  periodMs >= MINUTE_MS || ageMs <= SHORT_PERIODS_KEPT_MS;

export const instantOf = ({ startMs, periodMs }: Grid, index: number): number => startMs + index * periodMs;
