import { FilterOrPolicy, SubscriptionFilter } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic } from '../../lib';
import { Deployed } from '../support/deployed';

describe('a filter policy', () => {
  test('turns messages away by attribute or by body: they are neither delivered nor dead letters', async () => {
    const deployed = await Deployed.stack(stack => {
      const topic = new DurableTopic(stack, 'Orders');
      const confirmed = SubscriptionFilter.stringFilter({ allowlist: ['confirmed'] });
      topic.deliverToQueue('Attribute', new Queue(stack, 'ByAttribute'), { filterPolicy: { status: confirmed } });
      topic.deliverToQueue('Body', new Queue(stack, 'ByBody'), {
        filterPolicyWithMessageBody: { order: FilterOrPolicy.policy({ status: FilterOrPolicy.filter(confirmed) }) },
      });
    });
    const messageOf = (status: string) => JSON.stringify({ order: { status } });
    const attribute = (StringValue: string) => ({ status: { DataType: 'String', StringValue } });
    await deployed.publish('Orders', messageOf('pending'), { MessageAttributes: attribute('confirmed') });
    await deployed.publish('Orders', messageOf('confirmed'), { MessageAttributes: attribute('pending') });
    await deployed.publish('Orders', 'no JSON');
    await deployed.aws.runUntilIdle();
    const messagesIn = async (queue: string) => (await deployed.take(queue)).map(body => JSON.parse(body).Message);
    expect(await messagesIn('ByAttribute')).toEqual([messageOf('pending')]);
    expect(await messagesIn('ByBody')).toEqual([messageOf('confirmed')]);
    expect(deployed.happened('sns.filtered')).toHaveLength(4);
    expect(deployed.happened('sns.dead-lettered')).toEqual([]);
    expect(await deployed.topicSum('Orders', 'NumberOfNotificationsFilteredOut')).toBe(4);
  });
});
