const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const average = (values: readonly number[]): number => sum(values) / values.length;

/** How many numbers become one; there is always at least one of them. */
export const AGGREGATES: Readonly<Record<string, (values: readonly number[]) => number>> = {
  SUM: sum,
  AVG: average,
  MIN: values => values.reduce((a, b) => Math.min(a, b)),
  MAX: values => values.reduce((a, b) => Math.max(a, b)),
  /** Of all the values, not of a sample of them: our choice. */
  STDDEV: values => {
    const mean = average(values);
    return Math.sqrt(average(values.map(value => (value - mean) ** 2)));
  },
  DATAPOINT_COUNT: values => values.length,
};
