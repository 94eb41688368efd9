import { type CfnElement, Duration } from 'aws-cdk-lib';
import { HttpRelay, type HttpRelayOptions, OpsTopic, RelayEndpoint } from '../../lib';
import { newStack, numberToken, templateOf } from './support';

/** What an alarm looks at: a metric, or the metrics of an expression. */
interface Looked {
  readonly MetricName?: string;
  readonly Statistic?: string;
  readonly Period?: number;
  readonly Expression?: string;
  readonly MetricStat?: {
    readonly Metric: { readonly MetricName: string };
    readonly Stat: string;
    readonly Period: number;
  };
}

interface AlarmProperties extends Looked {
  readonly Metrics?: readonly Looked[];
  readonly Threshold: number;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm?: number;
}

/** The alarms of a relay, by their ids in the construct. */
function alarmsOfRelay(options: HttpRelayOptions = {}): ReadonlyMap<string, AlarmProperties> {
  const stack = newStack();
  const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
  const endpoint = RelayEndpoint.fromUrl('https://partner.example.com/orders');
  const relay = new HttpRelay(stack, 'Relay', { endpoint, alarmActions, ...options });
  const found = templateOf(stack).findResources('AWS::CloudWatch::Alarm');
  return new Map(
    [...relay.alarms, ...relay.queue.alarms].map(alarm => {
      const { node } = alarm;
      const logicalId = stack.getLogicalId(node.defaultChild as CfnElement);
      return [node.id, found[logicalId]?.['Properties']];
    }),
  );
}

const named = ({ MetricName, Statistic, Period }: Looked): string => `${MetricName} ${Statistic} ${Period}`;

/** Such as `Errors Sum 60`, the period in seconds; of an expression one for each metric. */
function looksAt(alarm: AlarmProperties | undefined): readonly string[] {
  if (!alarm) return [];
  if (!alarm.Metrics) return [named(alarm)];
  const stats = alarm.Metrics.flatMap(({ MetricStat }) => MetricStat ?? []);
  return stats.map(({ Metric: { MetricName }, Stat, Period }) => named({ MetricName, Statistic: Stat, Period })).sort();
}

/** What each alarm looks at, above what it fires, and in how many of how many periods. */
const TABLE: Readonly<Record<string, readonly [readonly string[], above: number, times: number, of: number]>> = {
  FailureRateAlarm: [['Attempts Sum 300', 'FailedAttempts Sum 300'], 50, 3, 3],
  UndeliveredAlarm: [['Delivered Sum 3600', 'FailedAttempts Sum 3600'], 0, 2, 3],
  LatenessAlarm: [['BreakerState Maximum 300', 'Lateness Maximum 300'], 900_000, 3, 3],
  UntakenAlarm: [
    [
      'ApproximateNumberOfMessagesVisible Minimum 60',
      'NumberOfEmptyReceives Sum 60',
      'NumberOfMessagesReceived Sum 60',
    ],
    0,
    15,
    15,
  ],
  UntriedAlarm: [['Untried Sum 300'], 0, 2, 4],
  UnburiedAlarm: [['Unburied Sum 300'], 0, 1, 1],
  BrokenAlarm: [['Broken Sum 300'], 0, 1, 1],
  ErrorsAlarm: [['Errors Sum 60'], 0, 1, 1],
  ThrottlesAlarm: [['Throttles Sum 300'], 0, 3, 3],
  // https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
  LoopStoppedAlarm: [['RecursiveInvocationsDropped Sum 60'], 0, 1, 1],
  BreakerAlarm: [['Attempts Sum 60', 'FailedAttempts Sum 60'], 50, 2, 2],
  StoppedAlarm: [['BreakerState Maximum 300'], 1, 3, 6],
  HalfOpenAlarm: [['BreakerState Minimum 3600'], 0, 3, 3],
  BreakerErrorsAlarm: [['Errors Sum 300'], 0, 1, 1],
  // What its whole schedule takes, longest delays and all: see the age alarm of a relay.
  AgeAlarm: [['ApproximateAgeOfOldestMessage Maximum 60'], 326_280, 1, 1],
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html: two thirds of 120,000.
  InFlightAlarm: [['ApproximateNumberOfMessagesNotVisible Maximum 60'], 80_000, 1, 1],
};

describe('The alarms of a relay', () => {
  const alarms = alarmsOfRelay();

  test('are those of the table', () => {
    expect([...alarms.keys()].sort()).toEqual(Object.keys(TABLE).sort());
  });

  test.each(Object.entries(TABLE))('%s looks at what tells, for as long as it takes to be sure', (id, row) => {
    const alarm = alarms.get(id);
    const { Threshold, EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods } = alarm ?? {};
    expect([looksAt(alarm), Threshold, DatapointsToAlarm, EvaluationPeriods]).toEqual(row);
    expect(alarm).toMatchObject({ ComparisonOperator: 'GreaterThanThreshold' });
  });

  test('wait for a schedule that is slower than an hour, and for a breaker that takes long to close', () => {
    const minDelayTarget = Duration.minutes(10);
    const retryPolicy = { numRetries: 5, minDelayTarget, maxDelayTarget: Duration.minutes(200) };
    const slow = alarmsOfRelay({ retryPolicy, maximumConcurrency: 1_000 });
    expect(looksAt(slow.get('UndeliveredAlarm'))).toEqual(['Delivered Sum 14400', 'FailedAttempts Sum 14400']);
    // Nine steps of ten minutes.
    expect(slow.get('HalfOpenAlarm')?.EvaluationPeriods).toBe(4);
    const maxDelayTarget = Duration.seconds(numberToken());
    const unknown = alarmsOfRelay({ retryPolicy: { ...retryPolicy, maxDelayTarget } });
    expect(looksAt(unknown.get('UndeliveredAlarm'))).toEqual(['Delivered Sum 3600', 'FailedAttempts Sum 3600']);
  });
});
