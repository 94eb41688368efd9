import { parseArn } from '../../policy/arn';
import type { AlarmFacts, QueueFacts, TopicFacts } from '../inventory/inventory';
import type { AwsCall, Fix } from './fix';

/** By which metric dead letters are noticed: what is sent to a queue is counted, what SQS moves there itself lies there. */
export type Arrival = 'sent' | 'moved';

const METRICS: Readonly<
  Record<Arrival, { readonly MetricName: string; readonly Statistic: string; readonly label: string }>
> = {
  sent: { MetricName: 'NumberOfMessagesSent', Statistic: 'Sum', label: 'arrive' },
  moved: { MetricName: 'ApproximateNumberOfMessagesVisible', Statistic: 'Maximum', label: 'lie there' },
};

/** SQS tells CloudWatch every minute. */
const PERIOD_SECONDS = 60;

/** An alarm as soon as a metric is above 0: what is missing is 0, for AWS says nothing while nothing happens. */
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
 * An alarm as soon as dead letters come to a queue. Where nobody is there to tell, only a person can say whom.
 *
 * @param tells what the alarm does: the ARNs of topics
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/dead-letter-queues-alarms-cloudwatch.html
 */
export function watchQueue(queue: QueueFacts, arrivals: readonly Arrival[], tells: readonly string[]): Fix {
  const name = parseArn(queue.arn)?.resource ?? queue.name;
  const metrics = arrivals.map(arrival => METRICS[arrival].MetricName).join(' and ');
  const says = `Have an alarm on ${metrics} of ${queue.name}, above 0, that tells somebody.`;
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
 * An alarm as soon as SNS can put a message of a topic into no dead-letter queue.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-monitoring-using-cloudwatch.html
 */
export function watchLosses(topic: TopicFacts, metric: string, tells: readonly string[]): Fix {
  const name = parseArn(topic.arn)?.resource ?? topic.name;
  const says = `Have an alarm on ${metric} of ${topic.name}, above 0, that tells somebody.`;
  if (tells.length === 0) return { says };
  const input = {
    AlarmName: `${name}: dead letters lost`,
    AlarmDescription: `What ${name} could not deliver, and put into no dead-letter queue either, is lost.`,
    Namespace: 'AWS/SNS',
    MetricName: metric,
    Statistic: 'Sum',
    Dimensions: [{ Name: 'TopicName', Value: name }],
  };
  return { says, calls: [alarmCall(input, tells)] };
}

/** Has an alarm do what it is to do when it fires. */
export function enableAlarmActions({ name }: AlarmFacts): Fix {
  const input = { AlarmNames: [name] };
  return {
    says: 'Enable the actions of the alarm.',
    calls: [{ service: 'cloudwatch', operation: 'EnableAlarmActions', input }],
  };
}
