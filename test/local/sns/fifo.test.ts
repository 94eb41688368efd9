import { createHash } from 'node:crypto';
import { ADMIN, errorOf, queueArn, SnsFixture, sendPolicy } from './sns-fixture';

const FIFO_ARN = 'arn:aws:sns:us-east-1:123456789012:Rental-Orders.fifo';

interface Sending {
  readonly Message?: string;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
}

/** A FIFO topic and a FIFO queue that is subscribed to it. */
class FifoFixture extends SnsFixture {
  subscription = '';

  constructor(attributes: Record<string, string> = {}, subscriptionAttributes: Record<string, string> = {}) {
    super();
    this.createTopic({ FifoTopic: 'true', ...attributes }, 'Rental-Orders.fifo');
    this.createFifoQueue('Orders.fifo');
    this.createFifoQueue('Dead.fifo');
    this.subscription = this.subscribe('sqs', queueArn('Orders.fifo'), subscriptionAttributes, FIFO_ARN);
  }

  createFifoQueue(name: string): void {
    this.createQueue(name, { FifoQueue: 'true', Policy: sendPolicy(name) });
  }

  send(sending: Sending = {}) {
    const given = { Message: 'order', MessageGroupId: 'car-1', ...sending };
    return this.sns.call('Publish', ADMIN, { TopicArn: FIFO_ARN, ...given });
  }

  bodies(name = 'Orders.fifo'): unknown[] {
    return this.receive(name).map(({ Body = '' }) => (Body.startsWith('{') ? JSON.parse(Body).Message : Body));
  }
}

const RAW = { RawMessageDelivery: 'true' };
const BY_CONTENT = { ContentBasedDeduplication: 'true' };

describe('a FIFO topic', () => {
  test('shows that it is FIFO, and its deduplication', () => {
    const attributesOf = (attributes: Record<string, string>) =>
      new FifoFixture(attributes).sns.call('GetTopicAttributes', ADMIN, { TopicArn: FIFO_ARN }).Attributes;
    expect(attributesOf({})).toMatchObject({ FifoTopic: 'true', ContentBasedDeduplication: 'false' });
    expect(attributesOf({})).not.toHaveProperty('FifoThroughputScope');
    expect(attributesOf({ ...BY_CONTENT, FifoThroughputScope: 'MessageGroup' })).toMatchObject({
      ContentBasedDeduplication: 'true',
      FifoThroughputScope: 'MessageGroup',
    });
  });

  test('cannot become one later, or become a standard topic again', () => {
    const { sns } = new FifoFixture();
    const input = { TopicArn: FIFO_ARN, AttributeName: 'FifoTopic', AttributeValue: 'false' };
    expect(errorOf(() => sns.call('SetTopicAttributes', ADMIN, input)).message).toBe(
      'Invalid parameter: AttributeName',
    );
    const again = { FifoTopic: 'true', ContentBasedDeduplication: 'true' };
    expect(
      errorOf(() => sns.call('CreateTopic', ADMIN, { Name: 'Rental-Orders.fifo', Attributes: again })).message,
    ).toBe('Invalid parameter: Attributes Reason: Topic already exists with different attributes');
  });
});

test('The 101st subscription of a FIFO topic is refused', () => {
  const fixture = new FifoFixture();
  for (let i = 1; i < 100; i += 1) fixture.subscribe('sqs', queueArn(`Orders-${i}.fifo`), {}, FIFO_ARN);
  expect(errorOf(() => fixture.subscribe('sqs', queueArn('One-More.fifo'), {}, FIFO_ARN))).toMatchObject({
    code: 'SubscriptionLimitExceeded',
    status: 403,
  });
  expect(fixture.subscribe('sqs', queueArn('Orders.fifo'), {}, FIFO_ARN)).toBe(fixture.subscription);
});

describe('publishing to a FIFO topic', () => {
  test.each([
    [{ MessageGroupId: '' }, 'The MessageGroupId parameter is required for FIFO topics'],
    [
      {},
      'The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    ],
    [
      { MessageGroupId: 'a b', MessageDeduplicationId: '1' },
      'MessageGroupId Reason: must have 1 to 128 letters, digits and punctuation marks',
    ],
    [
      { MessageDeduplicationId: 'x'.repeat(129) },
      'MessageDeduplicationId Reason: must have 1 to 128 letters, digits and punctuation marks',
    ],
  ])('with %j is refused: %s', (sending, text) => {
    expect(errorOf(() => new FifoFixture().send(sending))).toEqual({
      code: 'InvalidParameter',
      message: `Invalid parameter: ${text}`,
      status: 400,
    });
  });

  test('a batch is refused as a whole if one entry has no group', () => {
    const { sns } = new FifoFixture(BY_CONTENT);
    const PublishBatchRequestEntries = [
      { Id: '1', Message: 'a', MessageGroupId: 'g' },
      { Id: '2', Message: 'b' },
    ];
    expect(
      errorOf(() => sns.call('PublishBatch', ADMIN, { TopicArn: FIFO_ARN, PublishBatchRequestEntries })).message,
    ).toBe('Invalid parameter: The MessageGroupId parameter is required for FIFO topics');
  });

  test('answers sequence numbers of 20 digits that grow, in a batch too', () => {
    const fixture = new FifoFixture(BY_CONTENT);
    const { SequenceNumber: first = '' } = fixture.send({ Message: '1' });
    const PublishBatchRequestEntries = ['2', '3'].map(Id => ({ Id, Message: Id, MessageGroupId: 'car-2' }));
    const { Successful = [] } = fixture.sns.call('PublishBatch', ADMIN, {
      TopicArn: FIFO_ARN,
      PublishBatchRequestEntries,
    });
    const numbers = [first, ...Successful.map(({ SequenceNumber = '' }) => SequenceNumber)];
    expect(numbers).toEqual(numbers.map(() => expect.stringMatching(/^\d{20}$/)));
    expect([...new Set(numbers)].sort()).toEqual(numbers);
  });

  test('reaches a FIFO queue with its group, its id and an unsigned envelope', async () => {
    const fixture = new FifoFixture(BY_CONTENT);
    const { MessageId, SequenceNumber } = fixture.send({ Message: 'Test' });
    await fixture.settle();
    const [message] = fixture.receive('Orders.fifo');
    expect(message?.Attributes).toMatchObject({
      MessageGroupId: 'car-1',
      // As recorded on AWS for this text.
      MessageDeduplicationId: '532eaabd9574880dbf76b9b8cc00832c20a6ec113d682299550d7a6e0f345e25',
    });
    const envelope = JSON.parse(message?.Body ?? '');
    expect(envelope).toMatchObject({ MessageId, SequenceNumber, Message: 'Test' });
    expect(Object.keys(envelope)).toEqual([
      'Type',
      'MessageId',
      'SequenceNumber',
      'TopicArn',
      'Message',
      'Timestamp',
      'UnsubscribeURL',
    ]);
  });
});

/** @see https://docs.aws.amazon.com/sns/latest/dg/fifo-message-dedup.html */
describe('a message that is published again', () => {
  test('within five minutes gets the first answer and is not delivered', async () => {
    const fixture = new FifoFixture({}, RAW);
    const first = fixture.send({ MessageDeduplicationId: '1' });
    await fixture.goTo(299.999);
    expect(fixture.send({ Message: 'another text', MessageDeduplicationId: '1' })).toEqual(first);
    expect(fixture.happened('sns.deduplicated')).toMatchObject([{ messageId: first.MessageId, deduplicationId: '1' }]);
    expect(fixture.total('NumberOfMessagesPublished')).toBe(1);
    await fixture.goTo(300);
    expect(fixture.send({ MessageDeduplicationId: '1' }).MessageId).not.toBe(first.MessageId);
    await fixture.settle();
    expect(fixture.happened('sns.delivered')).toHaveLength(2);
  });

  test('is recognized by its text if the topic says so, unless it has an id of its own', () => {
    const fixture = new FifoFixture(BY_CONTENT);
    const first = fixture.send();
    expect(fixture.send()).toEqual(first);
    expect(fixture.send({ MessageDeduplicationId: createHash('sha256').update('order').digest('hex') })).toEqual(first);
    expect(fixture.send({ MessageDeduplicationId: 'own' }).MessageId).not.toBe(first.MessageId);
  });

  test.each([
    ['Topic', true],
    ['MessageGroup', false],
  ])('in another group, with the scope %s, is recognized: %s', (FifoThroughputScope, isKnown) => {
    const fixture = new FifoFixture({ ...BY_CONTENT, FifoThroughputScope });
    const first = fixture.send({ MessageGroupId: 'car-1' });
    expect(fixture.send({ MessageGroupId: 'car-2' }).MessageId === first.MessageId).toBe(isKnown);
    expect(fixture.send({ MessageGroupId: 'car-1' })).toEqual(first);
  });
});

describe('the order of a group', () => {
  const outage = (fixture: SnsFixture, untilMs: number) =>
    fixture.faults.set({ service: 'sqs', action: 'SendMessage', resource: queueArn('Orders.fifo'), untilMs });

  test('is kept while its first message is retried: the others wait behind it', async () => {
    const fixture = new FifoFixture(BY_CONTENT, RAW);
    outage(fixture, fixture.timeline.nowMs + 5_000);
    for (const Message of ['1', '2', '3']) fixture.send({ Message });
    await fixture.goTo(4);
    expect(new Set(fixture.happened('sns.attempt').map(({ messageId }) => messageId)).size).toBe(1);
    await fixture.settle();
    expect(fixture.bodies()).toEqual(['1', '2', '3']);
    const attempts = fixture.happened('sns.delivered').map(delivered => delivered.attempts);
    expect(attempts[0]).toBeGreaterThan(1);
    expect(attempts.slice(1)).toEqual([1, 1]);
  });

  test('does not delay another group', async () => {
    const fixture = new FifoFixture(BY_CONTENT, RAW);
    outage(fixture, fixture.timeline.nowMs + 1_500);
    fixture.send({ Message: '1', MessageGroupId: 'car-1' });
    await fixture.goTo(1.6);
    fixture.send({ Message: '2', MessageGroupId: 'car-2' });
    await fixture.goTo(1.7);
    expect(fixture.bodies()).toEqual(['2']);
  });

  test('no longer matters for messages that wait when their subscription is deleted', async () => {
    const fixture = new FifoFixture(BY_CONTENT, RAW);
    outage(fixture, fixture.timeline.nowMs + 60_000);
    for (const Message of ['1', '2']) fixture.send({ Message });
    await fixture.goTo(10);
    fixture.sns.call('Unsubscribe', ADMIN, { SubscriptionArn: fixture.subscription });
    await fixture.settle();
    expect(fixture.happened('sns.lost').map(({ cause }) => cause.kind)).toEqual(['unsubscribed', 'unsubscribed']);
  });
});
