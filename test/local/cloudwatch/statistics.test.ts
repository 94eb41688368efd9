import fc from 'fast-check';
import { mergeSets, type StatisticSet, valuesSet } from '../../../local/cloudwatch/metrics/statistic-set';
import { statisticNamed } from '../../../local/cloudwatch/metrics/statistics';

const setOf = (...values: number[]): StatisticSet => {
  const set = valuesSet(values.map(value => [value, 1] as const));
  if (!set) throw new Error('a set needs values');
  return set;
};

/** 10, 20, … 100 */
const TENS = setOf(...Array.from({ length: 10 }, (_, index) => (index + 1) * 10));

// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Statistics-definitions.html
test.each<[string, number]>([
  ['SampleCount', 10],
  ['Sum', 550],
  ['Average', 55],
  ['Minimum', 10],
  ['Maximum', 100],
  ['p0', 10],
  ['p50', 50],
  ['p90', 90],
  ['p99.9', 100],
  ['p100', 100],
  // "the average after removing the 10 % of data points with the highest values"
  ['tm90', 50],
  ['TM(10%:90%)', 55],
  // "removing all data points that are lower than or equal to 150, or higher than 1000", here 20 and 50
  ['TM(20:50)', 40],
  ['TM(20:)', 65],
  ['TM(:50)', 30],
  // the interquartile range of ten values, whole values taken away
  ['IQM', 55],
  // values beyond the boundary count as the boundary
  ['wm90', (450 + 90) / 10],
  ['WM(20:50)', (20 + 20 + 30 + 40 + 50 * 6) / 10],
  ['tc90', 9],
  ['TC(20:50)', 3],
  ['ts90', 450],
  ['TS(80%:)', 190],
  ['PR(:30)', 30],
  ['PR(30:)', 70],
  ['PR(30:60)', 30],
])('%s of 10, 20, … 100 is %d', (name, value) => {
  expect(statisticNamed(name)?.of(TENS)).toBeCloseTo(value, 10);
});

test.each(['p101', 'p', 'P90', 'tm101', 'TM(:)', 'TM(90%:10%)', 'PR(10%:20%)', 'Avg', 'TM(1:2%)', 'toString'])(
  'there is no statistic %s',
  name => {
    expect(statisticNamed(name)).toBeUndefined();
  },
);

test('where single values are unknown, only what needs none of them has a value', () => {
  const whole: StatisticSet = { sampleCount: 3, sum: 6, minimum: 1, maximum: 3, values: 'unknown' };
  expect(statisticNamed('p50')?.of(whole)).toBeUndefined();
  expect(statisticNamed('Average')?.of(whole)).toBe(2);
});

test('sets put together have the percentiles of all their values', () => {
  const values = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(values, values, fc.integer({ min: 0, max: 100 }), (a, b, percentile) => {
      const sorted = [...a, ...b].sort((x, y) => x - y);
      const rank = Math.max(1, Math.ceil((percentile / 100) * sorted.length));
      expect(statisticNamed(`p${percentile}`)?.of(mergeSets(setOf(...a), setOf(...b)))).toBe(sorted[rank - 1]);
    }),
  );
});
