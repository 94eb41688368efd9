import { CloudWatchClient, GetMetricStatisticsCommand, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { CreateTopicCommand, PublishCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { eventually, ServedAws } from './served-aws';

describe('the clients of the AWS SDK, over a socket', () => {
  const served = new ServedAws();
  // The SDK says so when it takes a queue URL for the endpoint.
  beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation(() => {}));
  afterAll(() => {
    jest.restoreAllMocks();
    return served.close();
  });

  it('create, send, receive and delete; queue URLs name the port the client knows', async () => {
    const { sqs, url } = await served.start();
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'orders' }));
    expect(QueueUrl).toBe(`${url}/123456789012/orders`);
    expect((await sqs.send(new GetQueueUrlCommand({ QueueName: 'orders' }))).QueueUrl).toBe(QueueUrl);
    expect((await sqs.send(new ListQueuesCommand({}))).QueueUrls).toEqual([QueueUrl]);
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: `it is at ${QueueUrl}` }));
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    expect(Messages.map(({ Body }) => Body)).toEqual([`it is at ${QueueUrl}`]);
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: Messages[0]?.ReceiptHandle }));
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
    expect(Attributes).toMatchObject({ ApproximateNumberOfMessages: '0', ApproximateNumberOfMessagesNotVisible: '0' });
  });

  it('find SQS where a queue URL leads, when only the environment names the endpoint', async () => {
    const { sqs, url, settings } = await served.start();
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'orders' }));
    const { endpoint, ...withoutEndpoint } = settings;
    expect(endpoint).toBe(url);
    // The client takes the queue URL itself for the endpoint then, whatever it was told otherwise.
    const other = new SQSClient({ ...withoutEndpoint, useQueueUrlAsEndpoint: true });
    await other.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
    other.destroy();
    expect((await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages).toHaveLength(1);
  });

  it('publish to a queue, and what was published can be received', async () => {
    const { sqs, settings } = await served.start();
    const QueueUrl = await served.createQueue(sqs, 'orders');
    const Endpoint = 'arn:aws:sqs:us-east-1:123456789012:orders';
    const Statement = [{ Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage', Resource: Endpoint }];
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
    const sns = new SNSClient(settings);
    const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'events' }));
    const Attributes = { RawMessageDelivery: 'true' };
    await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint, Attributes }));
    await sns.send(new PublishCommand({ TopicArn, Message: 'x' }));
    sns.destroy();
    expect((await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages).toMatchObject([{ Body: 'x' }]);
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
