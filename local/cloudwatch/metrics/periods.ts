import { invalidParameter } from '../errors';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const SHORT_PERIODS_SECONDS = [1, 5, 10, 20, 30];
const MOST_PERIODS = 100_800;

/**
 * The periods a request for statistics covers; the first starts at the whole minute of `start`.
 *
 * @throws AwsError when the times or the period are none CloudWatch takes
 */
export function periodsBetween(
  start: Date | undefined,
  end: Date | undefined,
  periodSeconds: number,
): readonly { readonly fromMs: number; readonly toMs: number }[] {
  if (!start || !end || start.getTime() >= end.getTime()) {
    throw invalidParameter('The parameter StartTime must be less than the parameter EndTime.');
  }
  if (!SHORT_PERIODS_SECONDS.includes(periodSeconds) && (periodSeconds <= 0 || periodSeconds % 60 !== 0)) {
    throw invalidParameter(`Period must be 1, 5, 10, 20, 30 or a multiple of 60 seconds, got ${periodSeconds}.`);
  }
  const periodMs = periodSeconds * SECOND_MS;
  const firstMs = Math.floor(start.getTime() / MINUTE_MS) * MINUTE_MS;
  const periods = Math.ceil((end.getTime() - firstMs) / periodMs);
  if (periods > MOST_PERIODS) throw invalidParameter(`At most ${MOST_PERIODS} periods can be asked for at a time.`);
  return Array.from({ length: periods }, (_, index) => {
    const fromMs = firstMs + index * periodMs;
    return { fromMs, toMs: fromMs + periodMs };
  });
}
