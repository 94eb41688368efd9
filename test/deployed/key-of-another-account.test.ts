import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { DeadLetterQueue } from '../../lib';
import { serviceCaller } from '../../local/kernel/caller';
import { Deployed } from '../support/deployed';

const ORDERS = 'arn:aws:sns:eu-west-1:999999999999:orders';

describe('An encrypted DeadLetterQueue fed by a topic of another account and Region', () => {
  const deployed = Deployed.stack(stack => {
    const queue = new DeadLetterQueue(stack, 'Dlq', { encryptionMasterKey: new Key(stack, 'Key') });
    queue.fedByTopic(Topic.fromTopicArn(stack, 'Orders', ORDERS));
  });

  /** What SNS does for a topic that lives elsewhere. */
  async function sendFor(topicArn: string, account: string) {
    const { aws, ref } = await deployed.then(it => ({ aws: it.aws, ref: it.ref('Dlq') }));
    const request = { QueueUrl: ref, MessageBody: 'an order' };
    return aws.services.sqs.call('SendMessage', serviceCaller('sns.amazonaws.com', topicArn, account), request);
  }

  test('takes its dead letters', async () => {
    expect(await sendFor(ORDERS, '999999999999')).toMatchObject({ MessageId: expect.any(String) });
  });

  test.each([
    ['another topic of that account', ORDERS.replace('orders', 'cars'), '999999999999'],
    ['a topic of the queue’s own account', 'arn:aws:sns:us-east-1:123456789012:orders', '123456789012'],
  ])('refuses those of %s', async (_, topicArn, account) => {
    await expect(sendFor(topicArn, account)).rejects.toThrow(/not authorized|denied/i);
  });
});
