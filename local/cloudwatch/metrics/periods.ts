const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const MINUTE_SECONDS = 60;
const DAY_MS = 86_400_000;
const SHORT_PERIODS_SECONDS: readonly number[] = [1, 5, 10, 20, 30];

/** Data older than this is kept by the five minutes, and by the hour; a request's start moves to such an instant. */
const COARSE_STARTS = [
  { olderThanMs: 63 * DAY_MS, toMs: 60 * MINUTE_MS },
  { olderThanMs: 15 * DAY_MS, toMs: 5 * MINUTE_MS },
  { olderThanMs: Number.NEGATIVE_INFINITY, toMs: MINUTE_MS },
] as const;

/** Instants at equal distances; each stands for the stretch of time that begins there. */
export interface Grid {
  readonly startMs: number;
  readonly periodMs: number;
  readonly count: number;
}

/** 1, 5, 10, 20, 30 or a multiple of 60. */
export const isReadPeriod = (seconds: number): boolean =>
  SHORT_PERIODS_SECONDS.includes(seconds) ||
  (Number.isInteger(seconds) && seconds > 0 && seconds % MINUTE_SECONDS === 0);

/**
 * The periods a request for statistics covers: the first starts where AWS rounds the start down to.
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

/** The instant with which the period of this index begins. */
export const instantOf = ({ startMs, periodMs }: Grid, index: number): number => startMs + index * periodMs;
