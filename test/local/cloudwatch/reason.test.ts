import type { RealDatapoint, Verdict } from '../../../local/cloudwatch/alarms/evaluation';
import { decimal, type ReasonInput, stateReason } from '../../../local/cloudwatch/alarms/reason';

const ALARM: ReasonInput = {
  evaluationPeriods: 1,
  threshold: 21,
  comparisonOperator: 'GreaterThanThreshold',
  treatMissingData: 'missing',
};

/** Values in minutes that end at 2022-06-28T01:55Z, newest first. */
const points = (...values: number[]): RealDatapoint[] =>
  values.map((value, age) => ({ value, startMs: Date.parse('2022-06-28T01:55:00Z') - age * 60_000 }));

const verdict = (state: Verdict['state'], real: RealDatapoint[], filled = 0): Verdict => ({
  state,
  breaching: state === 'ALARM' ? real : [],
  notBreaching: state === 'ALARM' ? [] : real,
  filled,
});

// The sentences are recorded ones (aws-semantics section 10), with the day before the month as CloudWatch writes it.
test.each<[string, Partial<ReasonInput>, Verdict]>([
  [
    'Threshold Crossed: 1 datapoint [21.5 (28/06/22 01:55:00)] was greater than the threshold (21.0).',
    {},
    verdict('ALARM', points(21.5)),
  ],
  [
    'Threshold Crossed: 1 out of the last 1 datapoints [0.0 (28/06/22 01:55:00)] was less than or equal to the threshold (0.0) (minimum 1 datapoint for OK -> ALARM transition).',
    { datapointsToAlarm: 1, comparisonOperator: 'LessThanOrEqualToThreshold', threshold: 0 },
    verdict('ALARM', points(0)),
  ],
  [
    'Threshold Crossed: 2 out of the last 2 datapoints [2.0 (28/06/22 01:55:00), 1.0 (28/06/22 01:54:00)] were greater than or equal to the threshold (1.0) (minimum 2 datapoints for OK -> ALARM transition).',
    { datapointsToAlarm: 2, evaluationPeriods: 2, comparisonOperator: 'GreaterThanOrEqualToThreshold', threshold: 1 },
    verdict('ALARM', points(2, 1)),
  ],
  [
    'Threshold Crossed: 1 out of the last 2 datapoints [0.0 (28/06/22 01:55:00)] was not greater than or equal to the threshold (1.0) (minimum 1 datapoint for ALARM -> OK transition).',
    { datapointsToAlarm: 2, evaluationPeriods: 2, comparisonOperator: 'GreaterThanOrEqualToThreshold', threshold: 1 },
    verdict('OK', points(0)),
  ],
  [
    'Threshold Crossed: 5 out of the last 5 datapoints were less than the threshold (65.0). The most recent datapoints which crossed the threshold: [0.0 (28/06/22 01:55:00), 0.0 (28/06/22 01:54:00), 0.0 (28/06/22 01:53:00), 0.0 (28/06/22 01:52:00), 0.0 (28/06/22 01:51:00)] (minimum 5 datapoints for OK -> ALARM transition).',
    { datapointsToAlarm: 5, evaluationPeriods: 5, comparisonOperator: 'LessThanThreshold', threshold: 65 },
    verdict('ALARM', points(0, 0, 0, 0, 0)),
  ],
  [
    'Threshold Crossed: no datapoints were received for 2 periods and 2 missing datapoints were treated as [Breaching].',
    { evaluationPeriods: 2, treatMissingData: 'breaching' },
    verdict('ALARM', [], 2),
  ],
  [
    'Threshold Crossed: no datapoints were received for 1 period and 1 missing datapoint was treated as [NonBreaching].',
    { treatMissingData: 'notBreaching' },
    verdict('OK', [], 1),
  ],
  [
    'Threshold Crossed: 1 datapoint [1.0 (28/06/22 01:55:00)] was not less than the threshold (1.0) and 2 missing datapoints were treated as [Breaching].',
    { evaluationPeriods: 3, treatMissingData: 'breaching', comparisonOperator: 'LessThanThreshold', threshold: 1 },
    verdict('OK', points(1), 2),
  ],
  [
    'Threshold Crossed: 1 datapoint was received for 3 periods and 2 missing datapoints were treated as [Breaching].',
    { evaluationPeriods: 3, treatMissingData: 'breaching' },
    { state: 'ALARM', breaching: [], notBreaching: points(0), filled: 2 },
  ],
  ['Insufficient Data: 1 datapoint was unknown.', {}, verdict('INSUFFICIENT_DATA', [], 1)],
  ['Insufficient Data: 5 datapoints were unknown.', { evaluationPeriods: 5 }, verdict('INSUFFICIENT_DATA', [], 5)],
])('%s', (sentence, alarm, data) => {
  expect(stateReason({ ...ALARM, ...alarm }, data)).toBe(sentence);
});

test('numbers are written as Java writes a double', () => {
  expect([0, 1, -3, 21.5, 0.0666851903306472, 9_999_999, 1e7, 12_345_678, 0.0001].map(decimal)).toEqual([
    '0.0',
    '1.0',
    '-3.0',
    '21.5',
    '0.0666851903306472',
    '9999999.0',
    '1.0E7',
    '1.2345678E7',
    '1.0E-4',
  ]);
});
