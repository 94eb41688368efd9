import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { Duration } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { relayQueues } from '../../../lambda/relay/queues';
import { ALWAYS_ALLOWED_SECONDS } from '../../../policy/relay/relay-limits';
import { Deployed } from '../../support/deployed';

const HOUR_SECONDS = 3_600;

/** A message of a relay's queue that was received an hour ago, and what hides it. */
async function heldForAnHour() {
  const deployed = await Deployed.stack(stack => {
    new Queue(stack, 'Queue', { visibilityTimeout: Duration.seconds(5_400), retentionPeriod: Duration.days(10) });
  });
  const QueueUrl = deployed.ref('Queue');
  await deployed.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
  const receive = async () => (await deployed.sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages ?? [];
  const [{ MessageId: messageId = '', ReceiptHandle: receiptHandle = '' } = {}] = await receive();
  await deployed.advance({ hours: 1 });
  const { changeVisibility } = relayQueues(deployed.sqs, { queueUrl: QueueUrl, deadLetterQueueUrl: '', fifo: false });
  return { deployed, receive, hideFor: (seconds: number) => changeVisibility([{ messageId, receiptHandle, seconds }]) };
}

// aws-semantics.md section 7: twelve hours from the receive, and what would go beyond is refused.
describe('A message that was held for an hour before it could be hidden', () => {
  test('is hidden for as long as was asked for where that ends within twelve hours of its receive', async () => {
    const { deployed, receive, hideFor } = await heldForAnHour();
    expect(await hideFor(11 * HOUR_SECONDS)).toEqual(new Map());
    await deployed.advance({ seconds: 11 * HOUR_SECONDS - 1 });
    expect(await receive()).toEqual([]);
    await deployed.advance({ seconds: 1 });
    expect(await receive()).toHaveLength(1);
  });

  test('is hidden for what any relay may where SQS refuses more, and not for its queue’s own hour and a half', async () => {
    const { deployed, receive, hideFor } = await heldForAnHour();
    expect(await hideFor(11 * HOUR_SECONDS + 1)).toEqual(new Map());
    await deployed.advance({ seconds: ALWAYS_ALLOWED_SECONDS - 1 });
    expect(await receive()).toEqual([]);
    await deployed.advance({ seconds: 1 });
    expect(await receive()).toHaveLength(1);
  });
});
