import type { Outcome } from '../../../../policy/outcome/outcome';
import { queueArn, queueUrl, redriveTo, SnsFixture } from '../sns-fixture';

const QUEUE = 'Rental-Fulfilment';

/** A topic that logs every delivery, and a dead-letter queue. */
function withLogs(): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  fixture.createQueue('Fanout-DLQ');
  fixture.logDeliveries('SQS', 'Lambda', 'HTTP');
  return fixture;
}

/** aws-semantics 3: a client-side error is not retried and goes straight to the dead-letter queue. */
describe('client-side errors of a queue', () => {
  describe('whose name a new queue has', () => {
    async function recreated() {
      const fixture = withLogs();
      fixture.createQueue(QUEUE);
      const subscriptionArn = fixture.subscribe('sqs', queueArn(QUEUE), redriveTo('Fanout-DLQ'));
      fixture.sqs.call('DeleteQueue', fixture.sqs.owner, { QueueUrl: queueUrl(QUEUE) });
      await fixture.goTo(61);
      fixture.createQueue(QUEUE);
      const publish = async () => {
        fixture.publish();
        await fixture.settle();
        return [fixture.receive(QUEUE).length, fixture.receive('Fanout-DLQ').length];
      };
      return { fixture, subscriptionArn, publish };
    }

    test('end when the queue is subscribed again, and the subscription is the same (assumption SNS-30)', async () => {
      const { fixture, subscriptionArn, publish } = await recreated();
      expect(fixture.subscribe('sqs', queueArn(QUEUE))).toBe(subscriptionArn);
      expect(await publish()).toEqual([1, 0]);
    });

    test('end with a new subscription', async () => {
      const { fixture, subscriptionArn, publish } = await recreated();
      fixture.sns.call('Unsubscribe', fixture.sns.owner, { SubscriptionArn: subscriptionArn });
      expect(fixture.subscribe('sqs', queueArn(QUEUE), redriveTo('Fanout-DLQ'))).not.toBe(subscriptionArn);
      expect(await publish()).toEqual([1, 0]);
    });
  });

  test('do not occur if the queue is created after it was subscribed', async () => {
    const fixture = withLogs();
    fixture.subscribe('sqs', queueArn(QUEUE));
    fixture.createQueue(QUEUE);
    fixture.publish();
    await fixture.settle();
    expect(fixture.receive(QUEUE)).toHaveLength(1);
  });
});

describe('a Firehose stream', () => {
  const STREAM = 'arn:aws:firehose:us-east-1:123456789012:deliverystream/orders';

  test.each([
    [
      'whose role may not write to it',
      (fixture: SnsFixture) => fixture.createRole('Stream', 'firehose:ListDeliveryStreams'),
    ],
    ['whose role does not exist', () => 'arn:aws:iam::123456789012:role/Nobody'],
  ])('%s is a client error', async (_title, roleOf) => {
    const fixture = withLogs();
    fixture.subscribe('firehose', STREAM, { ...redriveTo('Fanout-DLQ'), SubscriptionRoleArn: roleOf(fixture) });
    fixture.publish();
    await fixture.settle();
    expect(fixture.happened('sns.dead-lettered')).toMatchObject([
      { attempts: 1, cause: { kind: 'client-error', errorCode: 'AccessDeniedException' } },
    ]);
    expect(fixture.sns.recipients.receipts(STREAM)).toEqual([]);
  });

  /** aws-semantics 5: `FirehoseSuccessFeedbackRoleArn` and the others. The text of a failure is ours (assumption SNS-25). */
  test('has delivery logs with roles of its own', async () => {
    const fixture = new SnsFixture();
    fixture.createTopic();
    fixture.logDeliveries('Firehose');
    fixture.subscribe('firehose', STREAM, { SubscriptionRoleArn: fixture.createRole('Stream', 'firehose:PutRecord') });
    const delivery = { destination: STREAM, attempts: 1 };
    const say = async (outcome: Outcome) => {
      fixture.sns.recipients.behave(STREAM, { outcome, count: 1 });
      fixture.publish();
      await fixture.settle();
    };
    await say({ kind: 'answered', statusCode: 200 });
    expect(fixture.records('SUCCESS')).toMatchObject([
      { delivery: { ...delivery, statusCode: 200, providerResponse: '{"firehoseStatus":200}' } },
    ]);
    const errorCode = 'ResourceNotFoundException';
    await say({ kind: 'answered', statusCode: 400, errorCode, errorMessage: 'no such stream' });
    await say({ kind: 'answered', statusCode: 403 });
    expect(fixture.records('FAILURE').map(record => record.delivery)).toMatchObject([
      {
        ...delivery,
        statusCode: 400,
        providerResponse: '{"ErrorCode":"ResourceNotFoundException","ErrorMessage":"no such stream"}',
      },
      { ...delivery, statusCode: 403, providerResponse: '403' },
    ]);
  });

  test('receives the envelope, or the bare message with raw delivery', async () => {
    const fixture = withLogs();
    const SubscriptionRoleArn = fixture.createRole('Stream', 'firehose:PutRecord');
    const arn = fixture.subscribe('firehose', STREAM, { SubscriptionRoleArn });
    fixture.publish('order');
    await fixture.settle();
    fixture.setSubscriptionAttribute(arn, 'RawMessageDelivery', 'true');
    fixture.publish('order');
    await fixture.settle();
    const [enveloped, raw] = fixture.sns.recipients.receipts(STREAM).map(({ body }) => body);
    expect(JSON.parse(enveloped ?? '')).toMatchObject({ Type: 'Notification', Message: 'order' });
    expect(raw).toBe('order');
  });
});
