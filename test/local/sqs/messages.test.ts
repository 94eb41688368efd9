import { ADMIN, SqsFixture } from './sqs-fixture';

describe('a message', () => {
  it('is received as it was sent, and is gone once it is deleted', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const messageId = aws.send(url, 'hello');
    const [message] = aws.receive(url);
    expect(message).toMatchObject({
      MessageId: messageId,
      Body: 'hello',
      MD5OfBody: '5d41402abc4b2a76b9719d911017c592',
    });
    aws.sqs.call('DeleteMessage', ADMIN, { QueueUrl: url, ReceiptHandle: message?.ReceiptHandle });
    await aws.goTo(60);
    expect(aws.receive(url)).toEqual([]);
  });
});
