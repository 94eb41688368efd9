import type { MissingDataTreatment } from '../../../local/cloudwatch/alarms/alarm-configuration';
import { COMPARISONS, type ComparisonOperator } from '../../../local/cloudwatch/alarms/comparison';
import { type Datapoint, evaluate, evaluationRange } from '../../../local/cloudwatch/alarms/evaluation';

/** `0 - X` as the published tables write it: the newest on the right; breaching is above the threshold 0. */
function range(row: string): readonly Datapoint[] {
  const values = { '0': 0, X: 1, '-': undefined };
  return row
    .split(' ')
    .reverse()
    .map((sign, age) => ({ startMs: -age * 60_000, value: values[sign as keyof typeof values] }));
}

const verdict = (row: string, datapointsToAlarm: number, treatMissingData: MissingDataTreatment) =>
  evaluate(
    {
      evaluationPeriods: 3,
      datapointsToAlarm,
      threshold: 0,
      comparisonOperator: 'GreaterThanThreshold',
      treatMissingData,
    },
    range(row),
  );

type Row = readonly [row: string, filled: number, missing: string, ignore: string, breaching: string, ok: string];

// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html, aws-semantics section 10
const THREE_OF_THREE: readonly Row[] = [
  ['0 - X - X', 0, 'OK', 'OK', 'OK', 'OK'],
  ['0 - - - -', 2, 'OK', 'OK', 'OK', 'OK'],
  ['- - - - -', 3, 'INSUFFICIENT_DATA', 'retained', 'ALARM', 'OK'],
  ['0 X X - X', 0, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['- - X - -', 2, 'ALARM', 'retained', 'ALARM', 'OK'],
];
const TWO_OF_THREE: readonly Row[] = [
  ['0 - X - X', 0, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['0 0 X 0 X', 0, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['0 - X - -', 1, 'OK', 'OK', 'ALARM', 'OK'],
  ['- - - - 0', 2, 'OK', 'OK', 'ALARM', 'OK'],
  ['- - - X -', 2, 'ALARM', 'retained', 'ALARM', 'OK'],
];

describe.each([
  [3, THREE_OF_THREE],
  [2, TWO_OF_THREE],
] as const)("AWS's table for %i out of 3", (datapointsToAlarm, table) => {
  test.each(table)('reads %s with %i filled in as missing %s, ignore %s, breaching %s, notBreaching %s', (...row) => {
    const [signs, filled, missing, ignore, breaching, notBreaching] = row;
    expect(verdict(signs, datapointsToAlarm, 'missing').state).toBe(missing);
    expect(verdict(signs, datapointsToAlarm, 'ignore').state).toBe(ignore);
    expect(verdict(signs, datapointsToAlarm, 'breaching').state).toBe(breaching);
    expect(verdict(signs, datapointsToAlarm, 'notBreaching').state).toBe(notBreaching);
    expect(verdict(signs, datapointsToAlarm, 'missing').filled).toBe(filled);
  });
});

describe('the rule against premature alarms', () => {
  test.each(['- - - - X', '- - - X -'])('waits when three data points are asked for and there is %s', row => {
    expect(verdict(row, 3, 'missing').state).toBe('retained');
  });

  test.each(['- - X - -', '- - X X -', '- X - - X'])('fires at %s, whose oldest data point is old enough', row => {
    expect(verdict(row, 3, 'missing').state).toBe('ALARM');
  });

  test('is not asked when a single data point decides', () => {
    expect(verdict('- - - - X', 1, 'missing').state).toBe('ALARM');
  });
});

describe('the comparison with the threshold', () => {
  test.each<[ComparisonOperator, boolean, boolean, boolean]>([
    ['GreaterThanThreshold', false, false, true],
    ['GreaterThanOrEqualToThreshold', false, true, true],
    ['LessThanThreshold', true, false, false],
    ['LessThanOrEqualToThreshold', true, true, false],
  ])('%s: below %s, at %s, above %s', (operator, below, at, above) => {
    const { breaches } = COMPARISONS[operator];
    expect([breaches(-1, 0), breaches(0, 0), breaches(1, 0)]).toEqual([below, at, above]);
  });

  test('a value of 0 does not breach "greater than 0"', () => {
    expect(verdict('0 0 0 0 0', 1, 'missing').state).toBe('OK');
  });
});

test('the evaluation range is five periods for three, as in the published tables, and at least two more', () => {
  expect([1, 2, 3, 6, 9, 30].map(evaluationRange)).toEqual([3, 4, 5, 8, 12, 40]);
});
