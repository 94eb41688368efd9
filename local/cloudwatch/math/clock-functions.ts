const MS_PER_SECOND = 1_000;
const SUNDAY = 7;

/** What the functions on time read off an instant, in UTC. They have a value in every period, data or not. */
export const CLOCK_FUNCTIONS: Readonly<Record<string, (at: Date) => number>> = {
  MINUTE: at => at.getUTCMinutes(),
  HOUR: at => at.getUTCHours(),
  /** From 1 for Monday. */
  DAY: at => at.getUTCDay() || SUNDAY,
  DATE: at => at.getUTCDate(),
  MONTH: at => at.getUTCMonth() + 1,
  YEAR: at => at.getUTCFullYear(),
  EPOCH: at => Math.floor(at.getTime() / MS_PER_SECOND),
};
