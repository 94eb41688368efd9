import { parseArn } from '../arn';
import type { QueueFacts } from '../inventory/inventory';
import type { Fix } from './fix';

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
      Period: PERIOD_SECONDS,
      EvaluationPeriods: 1,
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
      AlarmActions: tells,
    };
    return { service: 'cloudwatch', operation: 'PutMetricAlarm', input };
  });
  return { says, calls };
}
