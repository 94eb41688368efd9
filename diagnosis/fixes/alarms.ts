import { parseArn } from '../../policy/arn';
import type { AlarmFacts, QueueFacts, TopicFacts } from '../inventory/inventory';
import type { AwsCall, Fix } from './fix';

/**
 * The metric that shows dead letters: messages sent to a queue are counted; messages that SQS moves there are only
 * visible in it.
 */
export type Arrival = 'sent' | 'moved';

const METRICS: Readonly<
  Record<Arrival, { readonly MetricName: string; readonly Statistic: string; readonly label: string }>
> = {
  sent: { MetricName: 'NumberOfMessagesSent', Statistic: 'Sum', label: 'arrive' },
  moved: { MetricName: 'ApproximateNumberOfMessagesVisible', Statistic: 'Maximum', label: 'lie there' },
};

/** SQS publishes its metrics every minute. */
const PERIOD_SECONDS = 60;

/**
 * An alarm that fires when a metric is above 0. Missing data counts as 0, because AWS publishes no data while nothing
 * happens.
 */
function alarmCall(input: Readonly<Record<string, unknown>>, tells: readonly string[]): AwsCall {
  return {
    service: 'cloudwatch',
    operation: 'PutMetricAlarm',
    input: {
      ...input,
      Period: PERIOD_SECONDS,
      EvaluationPeriods: 1,
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
      AlarmActions: tells,
    },
  };
}

/**
 * An alarm that fires when a queue receives dead letters. Without an action to use, a person must choose one.
 *
 * @param tells the alarm's actions: ARNs of topics
 * @see
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/dead-letter-queues-alarms-cloudwatch.html
 */
export function watchQueue(queue: QueueFacts, arrivals: readonly Arrival[], tells: readonly string[]): Fix {
  const name = parseArn(queue.arn)?.resource ?? queue.name;
  const metrics = arrivals.map(arrival => METRICS[arrival].MetricName).join(' and ');
  const says = `Create an alarm with an action on ${metrics} of ${queue.name}, above 0.`;
  if (tells.length === 0) return { says };
  const calls = arrivals.map(arrival => {
    const { label, ...metric } = METRICS[arrival];
    const input = {
      AlarmName: `${name}: dead letters ${label}`,
      AlarmDescription: `Dead letters ${label} in ${name}: dlo dlq why ${name}`,
      Namespace: 'AWS/SQS',
      ...metric,
      Dimensions: [{ Name: 'QueueName', Value: name }],
    };
    return alarmCall(input, tells);
  });
  return { says, calls };
}

/**
 * An alarm that fires when SNS can put a message of a topic into no dead-letter queue.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-monitoring-using-cloudwatch.html
 */
export function watchLosses(topic: TopicFacts, metric: string, tells: readonly string[]): Fix {
  const name = parseArn(topic.arn)?.resource ?? topic.name;
  const says = `Create an alarm with an action on ${metric} of ${topic.name}, above 0.`;
  if (tells.length === 0) return { says };
  const input = {
    AlarmName: `${name}: dead letters lost`,
    AlarmDescription: `Messages are lost: SNS could neither deliver them for ${name} nor put them into a dead-letter queue.`,
    Namespace: 'AWS/SNS',
    MetricName: metric,
    Statistic: 'Sum',
    Dimensions: [{ Name: 'TopicName', Value: name }],
  };
  return { says, calls: [alarmCall(input, tells)] };
}

export function enableAlarmActions({ name }: AlarmFacts): Fix {
  const input = { AlarmNames: [name] };
  return {
    says: 'Enable the actions of the alarm.',
    calls: [{ service: 'cloudwatch', operation: 'EnableAlarmActions', input }],
  };
}
