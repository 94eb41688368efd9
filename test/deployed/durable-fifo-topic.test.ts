import { FifoThroughputScope } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic } from '../../lib';
import { Deployed } from '../support/deployed';

const ORDERED = 'Prices/Deliveries/Ordered/DeadLetterQueue';
const UNORDERED = 'Prices/Deliveries/Unordered/DeadLetterQueue';

const ofCar = (car: string, MessageDeduplicationId?: string) => ({
  MessageGroupId: car,
  ...(MessageDeduplicationId !== undefined && { MessageDeduplicationId }),
});

function deploy(fifoThroughputScope = FifoThroughputScope.TOPIC): Promise<Deployed> {
  return Deployed.stack(stack => {
    const fifo = { fifo: true, contentBasedDeduplication: true };
    const topic = new DurableTopic(stack, 'Prices', { ...fifo, fifoThroughputScope });
    topic.deliverToQueue('Ordered', new Queue(stack, 'Updates', { fifo: true }), { rawMessageDelivery: true });
    topic.deliverToQueue('Unordered', new Queue(stack, 'Archive'), { rawMessageDelivery: true });
  });
}

/** aws-semantics 4. */
describe('A FIFO DurableTopic', () => {
  test('keeps each group in order through an outage of its queue', async () => {
    const deployed = await deploy();
    const untilMs = deployed.aws.nowMs + 30_000;
    deployed.aws.faults.set({ service: 'sqs', action: 'SendMessage', resource: deployed.arn('Updates'), untilMs });
    for (const price of ['10', '11', '12']) await deployed.publish('Prices', price, ofCar('car-1'));
    await deployed.aws.runUntilIdle();
    expect(await deployed.take('Updates')).toEqual(['10', '11', '12']);
    expect(await deployed.take(ORDERED)).toEqual([]);
  });

  test('keeps order, group and deduplication id of what dies, in a FIFO dead-letter queue', async () => {
    const deployed = await deploy();
    await deployed.takeQueuePolicyAway('Updates');
    for (const [price, car] of [
      ['10', 'car-1'],
      ['20', 'car-2'],
      ['11', 'car-1'],
    ] as const) {
      await deployed.publish('Prices', price, ofCar(car, `id-${price}`));
    }
    await deployed.aws.runUntilIdle();
    const messages = (await deployed.receive(ORDERED)).map(({ Body, Attributes }) => [
      Attributes?.['MessageGroupId'],
      Body,
      Attributes?.['MessageDeduplicationId'],
    ]);
    expect(messages.filter(([car]) => car === 'car-1')).toEqual([
      ['car-1', '10', 'id-10'],
      ['car-1', '11', 'id-11'],
    ]);
    expect(messages.filter(([car]) => car === 'car-2')).toEqual([['car-2', '20', 'id-20']]);
    expect(deployed.happened('sns.lost')).toEqual([]);
  });

  test('keeps what a standard queue did not get in a standard dead-letter queue, without the group', async () => {
    const deployed = await deploy();
    await deployed.takeQueuePolicyAway('Archive');
    await deployed.publish('Prices', '10', ofCar('car-1'));
    await deployed.aws.runUntilIdle();
    const [message, ...others] = await deployed.receive(UNORDERED);
    expect(others).toEqual([]);
    expect(message?.Body).toBe('10');
    expect(message?.Attributes).not.toHaveProperty('MessageGroupId');
    expect(await deployed.take('Updates')).toEqual(['10']);
  });

  test.each([
    [FifoThroughputScope.TOPIC, ['10']],
    [FifoThroughputScope.MESSAGE_GROUP, ['10', '10']],
  ])('takes what it has had for a duplicate within its %s', async (scope, prices) => {
    const deployed = await deploy(scope);
    for (const car of ['car-1', 'car-2']) await deployed.publish('Prices', '10', ofCar(car));
    await deployed.aws.runUntilIdle();
    expect(await deployed.take('Archive')).toEqual(prices);
  });
});
