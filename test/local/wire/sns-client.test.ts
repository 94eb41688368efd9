import {
  CreateTopicCommand,
  GetTopicAttributesCommand,
  ListSubscriptionsByTopicCommand,
  NotFoundException,
  PublishBatchCommand,
  PublishCommand,
  SNSClient,
  SNSServiceException,
  SubscribeCommand,
  UnsubscribeCommand,
} from '@aws-sdk/client-sns';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { awsHost, InMemoryHttpHandler, SNS_MODEL } from '../../../local/wire';
import { queueArn, SnsFixture, TOPIC_ARN } from '../sns/sns-fixture';
import { credentials } from './wire-fixture';

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

async function rejection(work: Promise<unknown>): Promise<SNSServiceException> {
  const error: unknown = await work.then(
    () => new Error('nothing was thrown'),
    reason => reason,
  );
  if (error instanceof SNSServiceException) return error;
  throw error;
}

describe('the SNS client of the AWS SDK, against the embedded AWS', () => {
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

  it('publishes a batch', async () => {
    const { aws, client } = snsOnTheWire();
    aws.createTopic();
    aws.subscribe('sqs', aws.createQueue('orders'), { RawMessageDelivery: 'true' });
    const answer = await client.send(
      new PublishBatchCommand({
        TopicArn: TOPIC_ARN,
        PublishBatchRequestEntries: [
          { Id: 'a', Message: 'one' },
          { Id: 'b', Message: 'two' },
        ],
      }),
    );
    expect(answer.Successful?.map(({ Id }) => Id)).toEqual(['a', 'b']);
    await aws.settle();
    expect(aws.receive('orders').map(({ Body }) => Body)).toEqual(['one', 'two']);
  });

  it('throws the SDK’s own error classes, and AWS’s codes where there are none', async () => {
    const { client } = snsOnTheWire();
    const missing = await rejection(client.send(new PublishCommand({ TopicArn: TOPIC_ARN, Message: 'x' })));
    expect(missing).toBeInstanceOf(NotFoundException);
    expect(missing).toMatchObject({ message: 'Topic does not exist', $fault: 'client' });
    expect(missing.$metadata.httpStatusCode).toBe(404);
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
      { Body: '{"order":1}', MessageAttributes: { 'order-status': { DataType: 'String', StringValue: 'confirmed' } } },
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
