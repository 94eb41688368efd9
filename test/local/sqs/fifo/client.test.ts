import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSServiceException,
} from '@aws-sdk/client-sqs';
import { WireFixture } from '../../wire/wire-fixture';

async function rejection(work: Promise<unknown>): Promise<SQSServiceException> {
  const error: unknown = await work.then(
    () => new Error('nothing was thrown'),
    reason => reason,
  );
  if (error instanceof SQSServiceException) return error;
  throw error;
}

/** The client holds the digests of what it sends and receives against its own. */
describe('the SQS client of the AWS SDK, at a FIFO queue', () => {
  it('creates it, sends to it, receives in order and deletes', async () => {
    const { client } = new WireFixture();
    const Attributes = { FifoQueue: 'true', ContentBasedDeduplication: 'true' };
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: 'orders.fifo', Attributes }));
    const send = new SendMessageCommand({ QueueUrl, MessageBody: 'one', MessageGroupId: 'g' });
    const [first, again] = [await client.send(send), await client.send(send)];
    expect(first.SequenceNumber).toMatch(/^\d{20}$/);
    expect(again).toMatchObject({ MessageId: first.MessageId, SequenceNumber: first.SequenceNumber });
    const Entries = [{ Id: 'two', MessageBody: 'two', MessageGroupId: 'g', MessageDeduplicationId: 'd' }];
    const batch = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    expect(batch.Successful).toMatchObject([{ Id: 'two', SequenceNumber: expect.stringMatching(/^\d{20}$/) }]);

    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['MessageGroupId', 'MessageDeduplicationId', 'SequenceNumber'],
        ReceiveRequestAttemptId: 'attempt',
      }),
    );
    expect(Messages).toMatchObject([
      { Body: 'one', Attributes: { MessageGroupId: 'g', SequenceNumber: first.SequenceNumber } },
      { Body: 'two', Attributes: { MessageGroupId: 'g', MessageDeduplicationId: 'd' } },
    ]);
    for (const { ReceiptHandle } of Messages) await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  });

  it('is told what a FIFO queue refuses, in AWS’s words', async () => {
    const { aws, client } = new WireFixture();
    const QueueUrl = aws.createFifoQueue('orders');
    const error = await rejection(client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' })));
    expect(error.message).toBe('The request must contain the parameter MessageGroupId.');
    expect(error.$metadata.httpStatusCode).toBe(400);
  });
});
