import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueUrlCommand,
  ListQueueTagsCommand,
  MessageNotInflight,
  PurgeQueueCommand,
  PurgeQueueInProgress,
  QueueDoesNotExist,
  ReceiptHandleIsInvalid,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
  SQSServiceException,
} from '@aws-sdk/client-sqs';
import { notImplemented } from '../../../local/kernel/aws-error';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { InMemoryHttpHandler } from '../../../local/wire';
import { credentials, ROLE_ARN, WireFixture } from './wire-fixture';

/** What `work` rejects with; the SDK's exceptions carry AWS's code as their name. */
async function rejection(work: Promise<unknown>): Promise<SQSServiceException> {
  const error: unknown = await work.then(
    () => new Error('nothing was thrown'),
    reason => reason,
  );
  if (error instanceof SQSServiceException) return error;
  throw error;
}

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

  it('omits Messages from an empty answer (aws-semantics 7)', async () => {
    const { aws, client } = new WireFixture();
    const answer = await client.send(new ReceiveMessageCommand({ QueueUrl: aws.createQueue('orders') }));
    expect(answer).not.toHaveProperty('Messages');
  });

  it('answers each entry of a batch by itself', async () => {
    const { aws, client } = new WireFixture();
    const QueueUrl = aws.createQueue('orders');
    const answer = await client.send(
      new SendMessageBatchCommand({
        QueueUrl,
        Entries: [
          { Id: 'good', MessageBody: 'hello' },
          { Id: 'late', MessageBody: 'hello', DelaySeconds: 901 },
        ],
      }),
    );
    expect(answer.Successful).toMatchObject([{ Id: 'good', MD5OfMessageBody: '5d41402abc4b2a76b9719d911017c592' }]);
    expect(answer.Failed).toMatchObject([{ Id: 'late', SenderFault: true, Code: 'InvalidParameterValue' }]);
  });

  it('waits for a message in a long poll, and is answered at the instant it is sent', async () => {
    const { aws, client } = new WireFixture();
    const QueueUrl = aws.createQueue('orders');
    const polled = client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
    let answeredAt = -1;
    const noted = polled.then(answer => {
      answeredAt = aws.seconds;
      return answer;
    });
    await new Promise(resolve => process.nextTick(resolve));
    aws.timeline.after(7_000, () => void aws.send(QueueUrl, 'at last'));
    aws.timeline.whenSettled(polled, () => {});
    await aws.goTo(60);
    expect((await noted).Messages).toMatchObject([{ Body: 'at last' }]);
    expect(answeredAt).toBe(7);
  });

  it('throws the SDK’s own error classes', async () => {
    const { aws, client } = new WireFixture();
    const QueueUrl = aws.createQueue('orders');
    const missing = await rejection(client.send(new GetQueueUrlCommand({ QueueName: 'nowhere' })));
    expect(missing).toBeInstanceOf(QueueDoesNotExist);
    expect(missing).toMatchObject({
      message: 'The specified queue does not exist.',
      Code: 'AWS.SimpleQueueService.NonExistentQueue',
      $fault: 'client',
    });
    const handle = await rejection(client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'garbage' })));
    expect(handle).toBeInstanceOf(ReceiptHandleIsInvalid);
    expect(handle.message).toBe('The input receipt handle "garbage" is not a valid receipt handle.');
    await client.send(new PurgeQueueCommand({ QueueUrl }));
    const purge = await rejection(client.send(new PurgeQueueCommand({ QueueUrl })));
    expect(purge).toBeInstanceOf(PurgeQueueInProgress);
    expect(purge.$metadata.httpStatusCode).toBe(403);
    expect(purge).not.toBeInstanceOf(MessageNotInflight);
  });

  it('throws errors that have no class by AWS’s code', async () => {
    const { aws, client } = new WireFixture();
    const QueueUrl = aws.createQueue('orders');
    const error = await rejection(client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 11 })));
    expect(error.name).toBe('InvalidParameterValue');
    expect(error.message).toBe(
      'Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.',
    );
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
    fixture.aws.decideAccess = ({ caller }) => ({ allowed: caller.principal.kind !== 'role', reason: 'no statement' });
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

  it('changes visibility, an action without a result', async () => {
    const { aws, client } = new WireFixture();
    const QueueUrl = aws.createQueue('orders');
    aws.send(QueueUrl, 'x');
    const [message] = aws.receive(QueueUrl);
    const answer = await client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 0 }),
    );
    expect(answer.$metadata.httpStatusCode).toBe(200);
    expect(aws.bodies(QueueUrl)).toEqual(['x']);
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
