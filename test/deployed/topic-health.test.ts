import { Duration } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { DeliveryPolicy } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic, OpsTopic } from '../../lib';
import { response } from '../../local';
import { Deployed } from '../support/deployed';
import { measuredAlarm } from '../support/measured-alarm';

const URL = 'https://partner.example.com/orders';
const MINUTE = Duration.minutes(1);

/** Tries for an hour before the first dead letter. */
const deliveryPolicy: DeliveryPolicy = {
  healthyRetryPolicy: { minDelayTarget: MINUTE, maxDelayTarget: MINUTE, numRetries: 60 },
};

describe('The alarm on a topic’s failure rate', () => {
  let deployed: Deployed;

  const partner = () => deployed.aws.endpoint('partner.example.com');
  const publish = async (count: number) => {
    for (let i = 0; i < count; i += 1) await deployed.publish('Orders', `order ${i}`);
  };
  const rings = () => deployed.rings('Orders/FailureRateAlarm').filter(({ to }) => to !== 'OK');

  beforeEach(async () => {
    deployed = await Deployed.stack(stack => {
      const topic = new DurableTopic(stack, 'Orders', { deliveryFailureRateAlarm: {} });
      topic.deliverToEndpoint('Partner', URL, { deliveryPolicy });
    });
    await deployed.aws.runUntilIdle();
    deployed.aws.confirmSubscription(URL);
  });

  test('fires long before the first dead letter, and is OK once the endpoint is back', async () => {
    partner().behave({ reply: response(503) });
    const downAt = deployed.seconds;
    await publish(5);
    await deployed.advance({ minutes: 20 });
    const [rang = Number.NaN] = deployed.alarmed('Orders/FailureRateAlarm');
    expect(rang - downAt).toBeGreaterThan(10 * 60);
    expect(rang - downAt).toBeLessThanOrEqual(16 * 60);
    expect(deployed.happened('sns.dead-lettered')).toEqual([]);
    expect(deployed.alarmed('Orders/Deliveries/Partner/DeadLetterQueue/ArrivalsAlarm')).toEqual([]);
    partner().behave({ reply: response(200) });
    await deployed.advance({ minutes: 20 });
    expect(deployed.rings('Orders/FailureRateAlarm').at(-1)?.to).toBe('OK');
    expect(deployed.happened('sns.dead-lettered')).toEqual([]);
  });

  test('does not, for an endpoint that is away for less than five minutes, whenever that is', async () => {
    await deployed.advance({ minutes: 3 });
    partner().behave({ reply: response(503), forMs: 4 * 60_000 });
    await publish(50);
    await deployed.advance({ hours: 1 });
    expect(await deployed.topicSum('Orders', 'NumberOfNotificationsFailed')).toBeGreaterThanOrEqual(200);
    expect(rings()).toEqual([]);
  });

  test('does not for a few messages, though all of them fail', async () => {
    partner().behave({ reply: response(503) });
    await publish(3);
    await deployed.advance({ hours: 2 });
    expect(deployed.happened('sns.dead-lettered')).toHaveLength(3);
    expect(rings()).toEqual([]);
  });
});

/** As metrics of SNS come to CloudWatch: https://docs.aws.amazon.com/sns/latest/dg/sns-monitoring-using-cloudwatch.html */
describe('Where metrics come late, the alarm on a topic’s failure rate', () => {
  const measured = () =>
    measuredAlarm(
      stack => void new DurableTopic(stack, 'Orders', { deliveryFailureRateAlarm: {} }),
      'Orders/FailureRateAlarm',
    );
  const FAILED = { NumberOfNotificationsFailed: 10 };
  const DELIVERED = { NumberOfNotificationsDelivered: 10 };

  test.each([
    ['all fails, and it comes at once', FAILED, 0, 1],
    ['all fails, and it comes six minutes late', FAILED, 6, 1],
    ['half fails, and it comes six minutes late', { ...FAILED, ...DELIVERED }, 6, 1],
    ['all is delivered', DELIVERED, 6, 0],
  ])('fires where it should: %s', async (_, minute, lateMinutes, times) => {
    const { deployed, put, alarmed } = await measured();
    for (let minutes = 0; minutes < 30; minutes += 1) {
      await put(minute, lateMinutes);
      await deployed.advance({ minutes: 1 });
    }
    expect(alarmed()).toHaveLength(times);
  });
});

describe('A topic that loses messages', () => {
  const [OPS, PAGER] = ['ops@example.com', 'pager@example.com'];
  let deployed: Deployed;

  const mailsTo = (mailbox: string) =>
    deployed.aws.recipients.receipts(mailbox).flatMap(({ token, subject }) => (token === undefined ? [subject] : []));

  beforeEach(async () => {
    deployed = await Deployed.stack(stack => {
      const topic = new DurableTopic(stack, 'Orders', {
        alarmActions: [new OpsTopic(stack, 'Ops', { email: OPS })],
        lossActions: [new OpsTopic(stack, 'Pager', { email: PAGER, masterKey: new Key(stack, 'Key') })],
      });
      topic.deliverToQueue('Kept', new Queue(stack, 'KeptQueue'));
      topic.addSubscription(new SqsSubscription(new Queue(stack, 'UnkeptQueue')));
    });
    await deployed.aws.runUntilIdle();
    for (const mailbox of [OPS, PAGER]) deployed.aws.confirmSubscription(mailbox);
  });

  async function failAt(...queues: string[]): Promise<void> {
    for (const queue of queues) await deployed.takeQueuePolicyAway(queue);
    await deployed.publish('Orders', 'Zoë rents');
    await deployed.advance({ minutes: 5 });
  }

  test('is one that keeps them, as long as its dead-letter queues can be reached: nobody is paged', async () => {
    await failAt('KeptQueue');
    expect(deployed.happened('sns.dead-lettered')).toHaveLength(1);
    expect(mailsTo(OPS)).toEqual([expect.stringContaining('ArrivalsAlarm')]);
    expect(deployed.alarmed('Orders/LosingMessagesAlarm')).toEqual([]);
    expect(mailsTo(PAGER)).toEqual([]);
  });

  test('says so when a dead-letter queue refuses one, through an encrypted topic', async () => {
    await failAt('KeptQueue', 'Orders/Deliveries/Kept/DeadLetterQueue');
    expect(deployed.happened('sns.lost')).toHaveLength(1);
    expect(deployed.alarmed('Orders/LostMessagesAlarm')).toHaveLength(1);
    expect(mailsTo(PAGER)).toEqual([expect.stringContaining('LosingMessagesAlarm')]);
    expect(deployed.happened('cloudwatch.action-failed')).toEqual([]);
  });

  test('says so when a subscription without a dead-letter queue fails, of which no metric of SNS tells', async () => {
    await failAt('UnkeptQueue');
    expect(await deployed.topicSum('Orders', 'NumberOfNotificationsFailedToRedriveToDlq')).toBe(0);
    expect(deployed.alarmed('Orders/UnkeptAlarm')).toHaveLength(1);
    expect(mailsTo(OPS)).toEqual([expect.stringContaining('UnkeptAlarm')]);
    expect(mailsTo(PAGER)).toEqual([expect.stringContaining('LosingMessagesAlarm')]);
  });

  test('says it once, however many ways there are', async () => {
    await failAt('KeptQueue', 'Orders/Deliveries/Kept/DeadLetterQueue', 'UnkeptQueue');
    expect(deployed.happened('sns.lost')).toHaveLength(2);
    expect(mailsTo(PAGER)).toHaveLength(1);
  });
});
