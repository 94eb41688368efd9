import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  GetMetricStatisticsCommand,
  ListMetricStreamsCommand,
  PutCompositeAlarmCommand,
  PutMetricAlarmCommand,
  PutMetricDataCommand,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch';
import {
  CreateTopicCommand,
  GetTopicAttributesCommand,
  ListSubscriptionsByTopicCommand,
  PublishCommand,
  SNSClient,
  SubscribeCommand,
  UnsubscribeCommand,
} from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueUrlCommand,
  ListQueueTagsCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { AwsJson1_0Protocol, AwsQueryProtocol } from '@aws-sdk/core/protocols';
import { SmithyRpcV2CborProtocol } from '@smithy/core/cbor';
import { notImplemented } from '../../../local/kernel/aws-error';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Trace } from '../../../local/kernel/trace';
import { InMemoryNetwork } from '../../../local/network/network';
import { awsHost, CLOUDWATCH_MODEL, InMemoryHttpHandler, SNS_MODEL, type WireTraceEvent } from '../../../local/wire';
import { CloudWatchFixture, OPS_TOPIC, START_MS, worldUnder } from '../cloudwatch/fixture';
import { queueArn, SnsFixture, TOPIC_ARN } from '../sns/sns-fixture';
import { eventually, ServedAws } from './server/served-aws';
import { credentials, ROLE_ARN, rejection, WireFixture } from './wire-fixture';

describe('the SQS client of the AWS SDK, against the embedded AWS', () => {
  it('round-trips a message with text, number and binary attributes; the client verifies the body’s MD5 itself', async () => {
    const { aws, client } = new WireFixture();
    const QueueUrl = aws.createQueue('orders');
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const MessageAttributes = {
      city: { DataType: 'String', StringValue: 'Zürich 🏔 東京' },
      rank: { DataType: 'Number.int', StringValue: '42' },
      proof: { DataType: 'Binary.png', BinaryValue: bytes },
    };
    const sent = await client.send(
      new SendMessageCommand({ QueueUrl, MessageBody: 'Grüße\t"<&>" 😀\r\n', MessageAttributes }),
    );
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl, MessageAttributeNames: ['All'], MessageSystemAttributeNames: ['All'] }),
    );

    expect(Messages).toHaveLength(1);
    const [message] = Messages;
    expect(message).toMatchObject({
      MessageId: sent.MessageId,
      Body: 'Grüße\t"<&>" 😀\r\n',
      MD5OfMessageAttributes: sent.MD5OfMessageAttributes,
      Attributes: {
        ApproximateReceiveCount: '1',
        SenderId: '123456789012',
        SentTimestamp: String(Date.UTC(2026, 0, 1)),
      },
    });
    expect(message?.MessageAttributes).toEqual(MessageAttributes);

    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));
    expect(aws.happened('sqs.deleted')).toMatchObject([{ messageId: sent.MessageId }]);
  });

  it('says 501 and the name of an action AWS has and the embedded AWS has not', async () => {
    const withoutTags = (action: string): never => {
      throw notImplemented(`sqs:${action}`);
    };
    const { aws, client } = new WireFixture({ call: withoutTags });
    const error = await rejection(client.send(new ListQueueTagsCommand({ QueueUrl: aws.createQueue('orders') })));
    expect(error.$metadata.httpStatusCode).toBe(501);
    expect(error.message).toContain('ListQueueTags');
  });

  it('acts as the role whose access key signed the request', async () => {
    const fixture = new WireFixture();
    const QueueUrl = fixture.aws.createQueue('orders');
    const client = fixture.clientWith(credentials.issue(ROLE_ARN));
    fixture.aws.decideAccess = ({ caller }) => ({
      allowed: caller.principal.kind !== 'role',
      reason: 'no statement',
    });
    const error = await rejection(client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' })));
    expect(error).toMatchObject({ name: 'AccessDenied', message: `Access to the resource ${QueueUrl} is denied.` });
    expect(fixture.aws.happened('sqs.refused')).toMatchObject([{ code: 'AccessDenied', reason: 'no statement' }]);
  });

  it('carries a fault of the service as a server error', async () => {
    const { aws, client } = new WireFixture();
    const QueueUrl = aws.createQueue('orders');
    aws.faults.set({ service: 'sqs', action: 'SendMessage' });
    const error = await rejection(client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' })));
    expect(error).toMatchObject({ name: 'ServiceUnavailable', $fault: 'server' });
    expect(error.$metadata.httpStatusCode).toBe(503);
  });

  it('cannot reach a host that nobody answers for', async () => {
    const { network } = new WireFixture();
    const client = new SQSClient({
      region: 'eu-west-1',
      credentials: { accessKeyId: 'AKIA', secretAccessKey: 'secret' },
      requestHandler: new InMemoryHttpHandler(network, EXAMPLE_PLACE),
      maxAttempts: 1,
    });
    await expect(client.send(new GetQueueUrlCommand({ QueueName: 'orders' }))).rejects.toMatchObject({
      code: 'ENOTFOUND',
      hostname: 'sqs.eu-west-1.amazonaws.com',
    });
  });
});

describe('the SNS client of the AWS SDK, against the embedded AWS', () => {
  const SNS_HOST = 'sns.us-east-1.amazonaws.com';

  function snsOnTheWire() {
    const aws = new SnsFixture();
    const { sns: service, around: trace, timeline } = aws;
    const random = new Random('sns wire');
    aws.network.attach(SNS_HOST, awsHost({ model: SNS_MODEL, service, credentials, random, trace, timeline }));
    const client = new SNSClient({
      region: 'us-east-1',
      credentials: { accessKeyId: 'AKIAADMIN', secretAccessKey: 'secret' },
      requestHandler: new InMemoryHttpHandler(aws.network, EXAMPLE_PLACE),
      maxAttempts: 1,
    });
    return { aws, client };
  }

  it('creates, subscribes and publishes; text, number and binary attributes arrive in the queue', async () => {
    const { aws, client } = snsOnTheWire();
    const created = await client.send(
      new CreateTopicCommand({ Name: 'Rental-Orders', Attributes: { DisplayName: 'Orders & <more>' } }),
    );
    expect(created.TopicArn).toBe(TOPIC_ARN);
    const { Attributes } = await client.send(new GetTopicAttributesCommand({ TopicArn: TOPIC_ARN }));
    expect(Attributes).toMatchObject({ DisplayName: 'Orders & <more>' });

    const { SubscriptionArn } = await client.send(
      new SubscribeCommand({
        TopicArn: TOPIC_ARN,
        Protocol: 'sqs',
        Endpoint: aws.createQueue('orders'),
        Attributes: { RawMessageDelivery: 'true' },
        ReturnSubscriptionArn: true,
      }),
    );
    const MessageAttributes = {
      city: { DataType: 'String', StringValue: 'Zürich 🏔' },
      rank: { DataType: 'Number', StringValue: '42' },
      proof: { DataType: 'Binary', BinaryValue: Uint8Array.of(0, 127, 128, 255) },
    };
    const { MessageId } = await client.send(
      new PublishCommand({ TopicArn: TOPIC_ARN, Message: 'Grüße & "<more>" +%', MessageAttributes }),
    );
    expect(MessageId).toMatch(/^[0-9a-f-]{36}$/);
    await aws.settle();
    expect(aws.receive('orders')).toMatchObject([{ Body: 'Grüße & "<more>" +%', MessageAttributes }]);

    const { Subscriptions } = await client.send(new ListSubscriptionsByTopicCommand({ TopicArn: TOPIC_ARN }));
    expect(Subscriptions).toMatchObject([{ SubscriptionArn, Protocol: 'sqs', Endpoint: queueArn('orders') }]);
    await client.send(new UnsubscribeCommand({ SubscriptionArn }));
    const left = await client.send(new ListSubscriptionsByTopicCommand({ TopicArn: TOPIC_ARN }));
    expect(left.Subscriptions).toEqual([]);
  });

  it('takes the form API Gateway sends for a topic behind a REST API', async () => {
    const { aws } = snsOnTheWire();
    aws.createTopic();
    aws.subscribe('sqs', aws.createQueue('orders'), { RawMessageDelivery: 'true' });
    const form = new URLSearchParams({
      Action: 'Publish',
      TopicArn: TOPIC_ARN,
      Message: '{"order":1}',
      'MessageAttributes.entry.1.Name': 'order-status',
      'MessageAttributes.entry.1.Value.DataType': 'String',
      'MessageAttributes.entry.1.Value.StringValue': 'confirmed',
    });
    const reply = await aws.network.send({
      protocol: 'https',
      host: SNS_HOST,
      port: 443,
      method: 'POST',
      path: '/',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: 'AWS4-HMAC-SHA256 Credential=AKIAADMIN/20260101/us-east-1/sns/aws4_request',
      },
      body: Buffer.from(form.toString()),
    });
    expect(reply).toMatchObject({ kind: 'response', status: 200 });
    await aws.settle();
    expect(aws.receive('orders')).toMatchObject([
      {
        Body: '{"order":1}',
        MessageAttributes: { 'order-status': { DataType: 'String', StringValue: 'confirmed' } },
      },
    ]);
  });

  it('confirms a subscription by the unsigned link in its mail', async () => {
    const { aws } = snsOnTheWire();
    aws.createTopic();
    aws.sns.call('Subscribe', aws.sns.owner, { TopicArn: TOPIC_ARN, Protocol: 'email', Endpoint: 'ops@example.com' });
    const [pending] = aws.sns.pendingConfirmations;
    const link = new URLSearchParams({
      Action: 'ConfirmSubscription',
      TopicArn: TOPIC_ARN,
      Token: pending?.token ?? '',
    });
    const get = {
      protocol: 'https',
      host: SNS_HOST,
      port: 443,
      method: 'GET',
      headers: {},
      body: Buffer.alloc(0),
    } as const;
    expect(await aws.network.send({ ...get, path: `/?${link}` })).toMatchObject({ status: 200 });
    expect(aws.sns.pendingConfirmations).toEqual([]);
    expect(await aws.network.send({ ...get, path: '/?Action=ListTopics' })).toMatchObject({ status: 403 });
  });
});

function cloudWatchOnTheWire(world = new CloudWatchFixture(), protocol: object = {}) {
  const { cloudWatch: service, timeline } = world;
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
    ...protocol,
  });
}

describe('the CloudWatch client of the AWS SDK, against the embedded AWS', () => {
  const defaultNamespace = 'com.amazonaws.cloudwatch';
  it.each([
    [
      'Query',
      new AwsQueryProtocol({
        defaultNamespace,
        xmlNamespace: 'http://monitoring.amazonaws.com/doc/2010-08-01/',
        version: '2010-08-01',
      }),
    ],
    [
      'JSON',
      new AwsJson1_0Protocol({
        defaultNamespace,
        serviceTarget: 'GraniteServiceVersion20100801',
        awsQueryCompatible: true,
      }),
    ],
    ['CBOR', new SmithyRpcV2CborProtocol({ defaultNamespace })],
  ])('a composite alarm tells every change, whoever sets its children in %s', async (_, protocol) => {
    const world = worldUnder('FALSE', ['Age', 'Depth']);
    const client = cloudWatchOnTheWire(world, { protocol });
    await world.timeline.advanceTo(START_MS + 55_000);
    const actions = { AlarmActions: [OPS_TOPIC], OKActions: [OPS_TOPIC] };
    const AlarmRule = 'ALARM(Age) OR ALARM(Depth)';
    await client.send(new PutCompositeAlarmCommand({ AlarmName: 'Above', AlarmRule, ...actions }));
    for (const [AlarmName, StateValue] of [
      ['Age', 'ALARM'],
      ['Depth', 'ALARM'],
      ['Age', 'OK'],
      ['Depth', 'OK'],
    ] as const) {
      await client.send(new SetAlarmStateCommand({ AlarmName, StateValue, StateReason: 'a drill' }));
      await world.timeline.advanceTo(world.timeline.nowMs + 5_000);
    }
    expect(world.notified.map(({ subject }) => subject.split(':')[0])).toEqual(['ALARM', 'OK']);
    const nobody = new SetAlarmStateCommand({ AlarmName: 'Nobody', StateValue: 'OK', StateReason: '' });
    await expect(client.send(nobody)).rejects.toMatchObject({
      name: 'ResourceNotFound',
      $metadata: { httpStatusCode: 404 },
    });
  });

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
      message:
        'The embedded AWS does not implement monitoring:ListMetricStreams. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.',
      $metadata: { httpStatusCode: 501 },
    });
  });
});

describe('the clients of the AWS SDK, over a socket', () => {
  const served = new ServedAws();
  // The SDK prints a warning when it uses a queue URL as the endpoint.
  beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation(() => {}));
  afterAll(() => {
    jest.restoreAllMocks();
    return served.close();
  });

  it('find SQS where a queue URL leads, when only the environment names the endpoint', async () => {
    const { sqs, url, settings } = await served.start();
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'orders' }));
    const { endpoint, ...withoutEndpoint } = settings;
    expect(endpoint).toBe(url);
    // The client then uses the queue URL as the endpoint, despite its other settings.
    const other = new SQSClient({ ...withoutEndpoint, useQueueUrlAsEndpoint: true });
    await other.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
    other.destroy();
    expect((await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages).toHaveLength(1);
  });

  it('put metrics zipped', async () => {
    const { settings } = await served.start();
    const cloudWatch = new CloudWatchClient({ ...settings, requestMinCompressionSizeBytes: 100 });
    const MetricData = Array.from({ length: 200 }, () => ({ MetricName: 'Orders', Value: 1 }));
    await cloudWatch.send(new PutMetricDataCommand({ Namespace: 'Rental', MetricData }));
    const { Datapoints } = await cloudWatch.send(
      new GetMetricStatisticsCommand({
        Namespace: 'Rental',
        MetricName: 'Orders',
        StartTime: new Date('2026-01-01T00:00:00Z'),
        EndTime: new Date('2026-01-01T01:00:00Z'),
        Period: 60,
        Statistics: ['Sum'],
      }),
    );
    cloudWatch.destroy();
    expect(Datapoints).toMatchObject([{ Sum: 200 }]);
  });

  it('are told by a service that fails, throttles or is slow', async () => {
    const { aws, sqs } = await served.start();
    const QueueUrl = await served.createQueue(sqs, 'orders');
    const send = () => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
    aws.faults.set({ service: 'sqs', action: 'SendMessage', throttle: true, untilMs: aws.nowMs + 1_000 });
    await expect(send()).rejects.toMatchObject({ name: 'RequestThrottled', $metadata: { httpStatusCode: 403 } });
    await aws.advance({ seconds: 1 });
    aws.faults.set({ service: 'sqs', action: 'SendMessage', latencyMs: 5_000 });
    let answered = false;
    const sent = send().then(() => {
      answered = true;
    });
    await eventually(() => aws.state().queues[0]?.visible === 1);
    await aws.advance({ seconds: 4 });
    expect(answered).toBe(false);
    await aws.advance({ seconds: 1 });
    await sent;
  });
});
