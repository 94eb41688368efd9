import { type DeleteMessageBatchCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import type { DeadLetter } from '../../mover/dead-letter';
import { deadLetterReceiver } from '../../mover/letter-box';

const messageOf = (messageId: string): DeadLetter => ({
  messageId,
  receiptHandle: `of ${messageId}`,
  firstReceivedAtMs: 0,
  receiveCount: 1,
  body: '',
  attributes: {},
  sentAtMs: 0,
});

describe('The box of a dead-letter queue', () => {
  const deadLetters = ['fine', 'slow', 'gone', 'never'].map(messageOf);

  /** SQS as it fails at some of a batch: once, by whoever asks, and always. */
  function deleting() {
    const asked: string[][] = [];
    const waits: number[] = [];
    const client = new SQSClient({ region: 'us-east-1' });
    client.middlewareStack.add(
      () => async call => {
        const { Entries = [] } = call.input as DeleteMessageBatchCommandInput;
        asked.push(Entries.map(({ ReceiptHandle = '' }) => ReceiptHandle.replace('of ', '')));
        const failures = Entries.flatMap(({ Id, ReceiptHandle }) => {
          if (ReceiptHandle === 'of gone')
            return [{ Id, Code: 'ReceiptHandleIsInvalid', Message: 'it is', SenderFault: true }];
          const isFailing = ReceiptHandle === 'of never' || (ReceiptHandle === 'of slow' && asked.length === 1);
          return isFailing ? [{ Id, Code: 'InternalError', Message: 'try again', SenderFault: false }] : [];
        });
        return { output: { $metadata: {}, Successful: [], Failed: failures }, response: {} };
      },
      { step: 'initialize' },
    );
    const box = deadLetterReceiver(
      client,
      'http://localhost/1/dead',
      async milliseconds => void waits.push(milliseconds),
    );
    return { box, asked, waits };
  }

  test('asks again for what SQS itself failed to delete, and says what it did not delete in the end', async () => {
    const { box, asked, waits } = deleting();
    const refusals = await box.remove(deadLetters);
    expect([...refusals].map(([{ messageId }, reason]) => [messageId, reason])).toEqual([
      ['gone', 'ReceiptHandleIsInvalid: it is'],
      ['never', 'InternalError: try again'],
    ]);
    expect(asked).toEqual([['fine', 'slow', 'gone', 'never'], ['slow', 'never'], ['never'], ['never']]);
    expect(waits).toEqual([500, 1_000, 2_000]);
  });
});
