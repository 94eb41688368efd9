import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { row, Target } from './target';

describe('section 7: visibility', () => {
  const aws = new Target();

  /** A queue with one message, received once, and a second receive to follow. */
  async function received(attributes = {}) {
    const QueueUrl = await aws.queue(attributes);
    await aws.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'order' }));
    const receive = async () => (await aws.sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages?.[0];
    const change = (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
      aws.sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
    const remove = (ReceiptHandle: string | undefined) =>
      aws.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    return { handle: (await receive())?.ReceiptHandle, receive, change, remove };
  }

  row('12 hours in all, counted from the receive', async () => {
    const { handle, change } = await received();
    await aws.pass(1);
    await expect(change(handle, 43_200)).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message:
        'Value 43200 for parameter VisibilityTimeout is invalid. ' +
        'Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]',
    });
  });

  row('a new timeout counts from the call that sets it', async () => {
    const { handle, receive, change } = await received({ VisibilityTimeout: '5' });
    await aws.pass(3);
    await change(handle, 4);
    await aws.pass(3);
    expect(await receive()).toBeUndefined();
    await aws.pass(2);
    expect(await receive()).toMatchObject({ Body: 'order' });
  });

  row('a standard queue takes an expired handle as long as nobody else has received the message', async () => {
    const { handle, change, remove, receive } = await received({ VisibilityTimeout: '1' });
    await aws.pass(2);
    await change(handle, 2);
    await aws.pass(3);
    await remove(handle);
    expect(await receive()).toBeUndefined();
  });
});
