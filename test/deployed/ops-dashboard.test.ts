import { CloudWatchClient, GetDashboardCommand, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, GetQueryResultsCommand, StartQueryCommand } from '@aws-sdk/client-cloudwatch-logs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { FilterOrPolicy, SubscriptionFilter } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AlarmDefaults, AlarmSet, DurableTopic, FunctionFailures, OpsDashboard, ProcessingQueue } from '../../lib';
import { response } from '../../local';
import { type Body, metricsOf, type WidgetMetric } from '../support/dashboard';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

const VANS = SubscriptionFilter.stringFilter({ allowlist: ['van'] });
const PARTNER = 'https://partner.example.com/orders';

/** Throws on an order, and sends a number to its own topic again and again. */
const FAILS_OR_LOOPS = `
  const { SNSClient, PublishCommand } = require('@aws-sdk/client-sns');
  exports.handler = async ({ Records: [{ Sns: { Message, TopicArn } }] }) => {
    if (Message.startsWith('order')) throw new Error('no such vehicle class');
    await new SNSClient({}).send(new PublishCommand({ TopicArn, Message: String(Number(Message) - 1) }));
  };`;

/** Adds everything that the dashboard can show, each with a different failure. */
function fill(stack: Stack): void {
  AlarmDefaults.of(stack).use(AlarmSet.ALL);
  const orders = new DurableTopic(stack, 'Orders');
  for (const id of ['Arrives', 'Locked', 'Lost']) orders.deliverToQueue(id, new Queue(stack, id));
  orders.deliverToQueue('ByAttribute', new Queue(stack, 'ByAttribute'), {
    filterPolicy: { kind: VANS },
  });
  orders.deliverToQueue('ByBody', new Queue(stack, 'ByBody'), {
    filterPolicyWithMessageBody: { kind: FilterOrPolicy.filter(VANS) },
  });
  orders.deliverToEndpoint('Partner', PARTNER);

  const encryptionKey = new Key(stack, 'Key');
  const handler = inlineFunction(stack, 'Billing', FAILS_OR_LOOPS);
  const bills = new DurableTopic(stack, 'Bills');
  bills.grantPublish(handler);
  bills.deliverToFunction('Billing', handler);
  const onFailure = new SqsDestination(new Queue(stack, 'Records', { encryptionMasterKey: encryptionKey }));
  const billing = new FunctionFailures(stack, 'BillingFailures', { handler, encryptionKey, onFailure });
  const throttled = inlineFunction(stack, 'Throttled', FAILS_OR_LOOPS, { reservedConcurrentExecutions: 0 });
  bills.deliverToFunction('Throttled', throttled);
  const throttling = new FunctionFailures(stack, 'Throttling', {
    handler: throttled,
    maxEventAge: Duration.minutes(5),
  });

  new OpsDashboard(stack, 'Dashboard', {
    dashboardName: 'Ops',
    topics: [orders, bills],
    queues: [new ProcessingQueue(stack, 'Work', { maxReceiveCount: 1, visibilityTimeout: Duration.minutes(1) })],
    functions: [billing, throttling],
  });
}

describe('an OpsDashboard, deployed, on a bad day', () => {
  let deployed: Deployed;
  let body: Body;
  let startMs: number;

  /** Returns the five-minute values of a widget's metric, oldest first. */
  async function valuesOf({ namespace, name, dimensions, options }: WidgetMetric): Promise<readonly number[]> {
    const client = new CloudWatchClient(deployed.aws.clientConfig());
    const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
    const { MetricDataResults = [] } = await client.send(
      new GetMetricDataCommand({
        StartTime: new Date(startMs),
        EndTime: new Date(deployed.aws.nowMs),
        ScanBy: 'TimestampAscending',
        MetricDataQueries: [
          {
            Id: 'shown',
            MetricStat: {
              Metric: { Namespace: namespace, MetricName: name, Dimensions },
              Period: 300,
              Stat: options.stat ?? 'Average',
            },
          },
        ],
      }),
    );
    return MetricDataResults[0]?.Values ?? [];
  }

  /** Returns the highest value that the dashboard shows of one metric of one resource. */
  async function worst(name: string, dimension: string): Promise<number> {
    const shown = metricsOf(body).find(it => it.name === name && Object.values(it.dimensions).includes(dimension));
    if (!shown) throw new Error(`the dashboard does not show ${name} of ${dimension}`);
    return Math.max(...(await valuesOf(shown)));
  }

  beforeAll(async () => {
    deployed = await Deployed.stack(fill);
    await deployed.aws.runUntilIdle();
    startMs = deployed.aws.nowMs;
    deployed.aws.confirmSubscription(PARTNER);
    deployed.aws.endpoint('partner.example.com').behave({ reply: response(503, 'closed for the night') });
    await deployed.takeQueuePolicyAway('Locked');
    await deployed.takeQueuePolicyAway('Lost');
    await deployed.takeQueuePolicyAway('Orders/Deliveries/Lost/DeadLetterQueue');
    deployed.aws.services.kms.disableKey(deployed.ref('Key'));

    await deployed.publish('Orders', 'order, and no JSON', {
      MessageAttributes: { kind: { DataType: 'String.Array', StringValue: '{"no":"array"}' } },
    });
    await deployed.publish('Bills', 'order');
    await deployed.publish('Bills', '100');
    await deployed.send('Work', 'poison');
    await deployed.receive('Work');
    await deployed.advance({ minutes: 2 });
    await deployed.receive('Work');
    await deployed.send('Work', 'nobody comes');
    await deployed.advance({ hours: 1 });

    const client = new CloudWatchClient(deployed.aws.clientConfig());
    const { DashboardBody = '' } = await client.send(
      new GetDashboardCommand({ DashboardName: deployed.ref('Dashboard') }),
    );
    body = JSON.parse(DashboardBody) as Body;
  });

  test('watches no metric that does not exist: each has told something somewhere', async () => {
    const reported = new Map<string, number>();
    for (const metric of metricsOf(body)) {
      const name = `${metric.namespace} ${metric.name}`;
      reported.set(name, Math.max(reported.get(name) ?? 0, ...(await valuesOf(metric))));
    }
    expect(reported.size).toBe(19);
    expect([...reported].filter(([, value]) => value === 0).map(([name]) => name)).toEqual([]);
  });

  test('shows what died, and where', async () => {
    const name = (path: string) => deployed.name(path);
    const orders = name('Orders');
    expect(await worst('NumberOfMessagesPublished', orders)).toBe(1);
    expect(await worst('NumberOfNotificationsDelivered', orders)).toBe(1);
    expect(await worst('NumberOfNotificationsFailedToRedriveToDlq', orders)).toBe(1);
    for (const delivery of ['Locked', 'Partner']) {
      const dead = name(`Orders/Deliveries/${delivery}/DeadLetterQueue`);
      expect(await worst('ApproximateNumberOfMessagesVisible', dead)).toBe(1);
      expect(await worst('NumberOfMessagesSent', dead)).toBe(1);
    }
    expect(await worst('ApproximateNumberOfMessagesVisible', name('Work/DeadLetterQueue'))).toBe(1);
    expect(await worst('ApproximateAgeOfOldestMessage', name('Work/DeadLetterQueue'))).toBeGreaterThan(3_000);
    expect(await worst('ApproximateNumberOfMessagesNotVisible', name('Work'))).toBe(1);
    // The order, and the number that the function sent to itself in a loop.
    expect(await worst('DeadLetterErrors', deployed.ref('Billing'))).toBe(2);
    expect(await worst('AsyncEventsDropped', deployed.ref('Throttled'))).toBeGreaterThanOrEqual(1);
  });

  test('lists every alarm there is, those that fire among them', () => {
    const shown = new Set(body.widgets.flatMap(({ properties: { alarms = [] } }) => alarms));
    const all = deployed.aws.services.cloudWatch.call('DescribeAlarms', deployed.aws.services.cloudWatch.owner, {});
    const alarms = all.MetricAlarms ?? [];
    expect([...shown].sort()).toEqual(alarms.map(({ AlarmArn = '' }) => AlarmArn).sort());
    const firing = alarms.filter(({ StateValue }) => StateValue === 'ALARM').map(({ AlarmName }) => AlarmName);
    expect(firing).toContain(deployed.ref('Work/DeadLetterQueue/WaitingAlarm'));
  });

  test('says why, by destination and answer, and since when', async () => {
    const [query = '', ...others] = body.widgets.flatMap(({ properties }) => properties.query ?? []);
    expect(others).toHaveLength(1);
    // The query of a widget contains its log group. The console passes the log group separately.
    const [, logGroupName = '', queryString = ''] = /^SOURCE '([^']+)' \| ([\s\S]+)$/.exec(query) ?? [];
    const client = new CloudWatchLogsClient(deployed.aws.clientConfig());
    const [startTime, endTime] = [startMs, deployed.aws.nowMs].map(ms => Math.ceil(ms / 1_000));
    const { queryId } = await client.send(new StartQueryCommand({ logGroupName, queryString, startTime, endTime }));
    await deployed.advance({ seconds: 1 });
    const { results = [], status } = await client.send(new GetQueryResultsCommand({ queryId }));
    expect(status).toBe('Complete');
    const rows = results.map(row => Object.fromEntries(row.map(({ field = '', value }) => [field, value])));
    const lastMessageId = deployed.happened('sns.published')[0]?.messageId;
    const row = (destination: string, statusCode: string, answer: string) => ({
      destination,
      statusCode,
      failures: '1',
      since: expect.stringMatching(/^\d{4}-\d{2}-\d{2} /),
      last: expect.stringMatching(/^\d{4}-\d{2}-\d{2} /),
      lastAnswer: expect.stringContaining(answer),
      lastMessageId,
    });
    const expected = [
      row(deployed.arn('Locked'), '403', 'AccessDenied'),
      row(deployed.arn('Lost'), '403', 'AccessDenied'),
      row(deployed.arn('Orders/Deliveries/Lost/DeadLetterQueue'), '403', 'AccessDenied'),
      row(PARTNER, '503', 'closed for the night'),
    ];
    expect(rows).toHaveLength(expected.length);
    expect(rows).toEqual(expect.arrayContaining(expected));
  });
});
