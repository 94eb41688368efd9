import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  GetMetricStatisticsCommand,
  ListMetricStreamsCommand,
  PutMetricAlarmCommand,
  PutMetricDataCommand,
} from '@aws-sdk/client-cloudwatch';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Trace } from '../../../local/kernel/trace';
import { InMemoryNetwork } from '../../../local/network/network';
import { awsHost, CLOUDWATCH_MODEL, InMemoryHttpHandler, type WireTraceEvent } from '../../../local/wire';
import { CloudWatchFixture, START_MS } from '../cloudwatch/fixture';
import { credentials } from './wire-fixture';

function cloudWatchOnTheWire() {
  const { cloudWatch: service, timeline } = new CloudWatchFixture();
  const network = new InMemoryNetwork(() => ({ kind: 'no-answer', code: 'ENOTFOUND' }));
  const trace = new Trace<WireTraceEvent>(timeline);
  const random = new Random('wire');
  const host = awsHost({ model: CLOUDWATCH_MODEL, service, credentials, random, trace, timeline });
  network.attach('monitoring.us-east-1.amazonaws.com', host);
  return new CloudWatchClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIAADMIN', secretAccessKey: 'secret' },
    requestHandler: new InMemoryHttpHandler(network, EXAMPLE_PLACE),
    maxAttempts: 1,
  });
}

describe('the CloudWatch client of the AWS SDK, against the embedded AWS', () => {
  it('puts a zipped thousand of values, and reads instants and numbers back', async () => {
    const client = cloudWatchOnTheWire();
    const Timestamp = new Date(START_MS);
    const MetricData = Array.from({ length: 1_000 }, (_, i) => ({ MetricName: 'Orders', Value: i + 0.5, Timestamp }));
    await client.send(new PutMetricDataCommand({ Namespace: 'Rental', MetricData }));
    const { Datapoints } = await client.send(
      new GetMetricStatisticsCommand({
        Namespace: 'Rental',
        MetricName: 'Orders',
        StartTime: new Date(START_MS - 60_000),
        EndTime: new Date(START_MS + 60_000),
        Period: 60,
        Statistics: ['Sum', 'Maximum'],
      }),
    );
    expect(Datapoints).toMatchObject([{ Timestamp, Sum: 500_000, Maximum: 999.5 }]);
  });

  it('describes an alarm it put, and says 501 to what CloudWatch does not do here', async () => {
    const client = cloudWatchOnTheWire();
    const alarm = {
      AlarmName: 'Dead-Letters',
      Namespace: 'AWS/SQS',
      MetricName: 'NumberOfMessagesSent',
      Dimensions: [{ Name: 'QueueName', Value: 'dlq' }],
      Statistic: 'Sum' as const,
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold' as const,
    };
    await client.send(new PutMetricAlarmCommand(alarm));
    const { MetricAlarms } = await client.send(new DescribeAlarmsCommand({}));
    expect(MetricAlarms).toMatchObject([alarm]);
    await expect(client.send(new ListMetricStreamsCommand({}))).rejects.toMatchObject({
      message: 'The embedded AWS does not implement monitoring:ListMetricStreams.',
      $metadata: { httpStatusCode: 501 },
    });
  });
});
