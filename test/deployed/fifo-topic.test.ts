import { ListTagsForResourceCommand } from '@aws-sdk/client-sns';
import { Tags } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Deployed } from '../support/deployed';

const OF_CAR = { MessageGroupId: 'car-1' };

/** What plain aws-cdk-lib makes of a FIFO topic, its queue and its dead-letter queue. */
function prices(): Promise<Deployed> {
  return Deployed.stack(stack => {
    const topic = new Topic(stack, 'Prices', { fifo: true, contentBasedDeduplication: true });
    const queue = new Queue(stack, 'Updates', { fifo: true });
    const deadLetterQueue = new Queue(stack, 'Dead', { fifo: true });
    topic.addSubscription(new SqsSubscription(queue, { rawMessageDelivery: true, deadLetterQueue }));
    Tags.of(topic).add('team', 'rental');
  });
}

/** aws-semantics 4. */
describe('a FIFO topic', () => {
  test('keeps a group in order through an outage of its queue, and knows what it has taken', async () => {
    const deployed = await prices();
    const { aws } = deployed;
    const untilMs = aws.nowMs + 30_000;
    aws.faults.set({ service: 'sqs', action: 'SendMessage', resource: deployed.arn('Updates'), untilMs });
    for (const price of ['10', '11', '12', '10']) await deployed.publish('Prices', price, OF_CAR);
    await aws.runUntilIdle();
    expect(await deployed.take('Updates')).toEqual(['10', '11', '12']);
    expect(deployed.happened('sns.deduplicated')).toHaveLength(1);
    expect(deployed.happened('sns.delivered').map(({ attempts }) => attempts > 1)).toEqual([true, false, false]);
  });

  test('dead-letters with the group and the deduplication id', async () => {
    const deployed = await prices();
    await deployed.takeQueuePolicyAway('Updates');
    for (const price of ['10', '11']) {
      await deployed.publish('Prices', price, { ...OF_CAR, MessageDeduplicationId: `id-${price}` });
    }
    await deployed.aws.runUntilIdle();
    expect((await deployed.receive('Dead')).map(({ Body, Attributes }) => [Body, Attributes])).toMatchObject([
      ['10', { MessageGroupId: 'car-1', MessageDeduplicationId: 'id-10' }],
      ['11', { MessageGroupId: 'car-1', MessageDeduplicationId: 'id-11' }],
    ]);
    expect(await deployed.topicSum('Prices', 'NumberOfNotificationsRedrivenToDlq')).toBe(2);
  });

  test('has its tags', async () => {
    const deployed = await prices();
    const request = new ListTagsForResourceCommand({ ResourceArn: deployed.ref('Prices') });
    expect((await deployed.sns.send(request)).Tags).toEqual([{ Key: 'team', Value: 'rental' }]);
  });
});
