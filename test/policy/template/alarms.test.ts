import { inventoryOf, only } from './read';

const METRIC = { Namespace: 'AWS/SQS', MetricName: 'ApproximateNumberOfMessagesVisible' };
const UNTOLD = { untold: expect.any(String) };

/** The metrics of an alarm on one entry that has these members beside its metric. */
function watchedBy(entry: Readonly<Record<string, unknown>>) {
  const MetricStat = { Metric: METRIC, Stat: 'Maximum', Period: 60 };
  const Properties = { EvaluationPeriods: 1, Metrics: [{ Id: 'm1', MetricStat, ...entry }] };
  const { alarms } = inventoryOf(
    { Alarm: { Type: 'AWS::CloudWatch::Alarm', Properties } },
    { Parameters: { Whose: { Type: 'String' } } },
  );
  return only(only(alarms).metrics);
}

test.each([
  ['an account', '111122223333', '111122223333'],
  ['the stack’s own', { Ref: 'AWS::AccountId' }, '<account>'],
  ['that of a parameter', { Ref: 'Whose' }, UNTOLD],
])('an alarm says whose metric it watches: %s', (_, AccountId, told) => {
  expect(watchedBy({ AccountId })).toMatchObject({ namespace: 'AWS/SQS', accountId: told });
});

test('an alarm that names no account watches its own', () => {
  expect(watchedBy({})).not.toHaveProperty('accountId');
});
