/**
 * The units of a metric. If data was reported in several units and the request names none, AWS uses the first in this
 * order (recorded from AWS).
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDatum.html
 */
export const UNITS: readonly string[] = [
  'Megabits',
  'Terabits',
  'Gigabits',
  'Count',
  'Bytes',
  'Gigabytes',
  'Gigabytes/Second',
  'Kilobytes',
  'Kilobits/Second',
  'Terabytes',
  'Terabits/Second',
  'Bytes/Second',
  'Percent',
  'Megabytes',
  'Megabits/Second',
  'Milliseconds',
  'Microseconds',
  'Kilobytes/Second',
  'Gigabits/Second',
  'Megabytes/Second',
  'Bits',
  'Bits/Second',
  'Count/Second',
  'Seconds',
  'Kilobits',
  'Terabytes/Second',
  'None',
];

export const isUnit = (name: string): boolean => UNITS.includes(name);

/** Sorts units in AWS's order. */
export const inUnitOrder = (units: readonly string[]): readonly string[] =>
  [...units].sort((a, b) => UNITS.indexOf(a) - UNITS.indexOf(b));
