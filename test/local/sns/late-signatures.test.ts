import * as crypto from 'node:crypto';
import { queueArn, SnsFixture } from './sns-fixture';

jest.mock('node:crypto', () => {
  const real = jest.requireActual<typeof crypto>('node:crypto');
  return { ...real, sign: jest.fn(real.sign) };
});

const signed = crypto.sign as jest.MockedFunction<typeof crypto.sign>;

function withQueues(...names: readonly string[]): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  for (const name of names) {
    fixture.createQueue(name);
    fixture.subscribe('sqs', queueArn(name));
  }
  return fixture;
}

describe('the signature of an envelope', () => {
  beforeEach(() => signed.mockClear());

  test('is made when somebody reads it, and once for all subscribers', async () => {
    const fixture = withQueues('Orders', 'Archive');
    fixture.publish('order');
    await fixture.settle();
    expect(signed).not.toHaveBeenCalled();
    const bodies = ['Orders', 'Archive'].map(name => JSON.parse(fixture.receive(name)[0]?.Body ?? ''));
    expect(signed).toHaveBeenCalledTimes(1);
    expect(bodies[0].Signature).toBe(bodies[1].Signature);
  });

  test('is counted before it is made: what is received is as long as what was sent', async () => {
    const fixture = withQueues('Orders');
    fixture.publish('Bestellung “7” für dich 🚗', {
      MessageAttributes: { size: { DataType: 'String', StringValue: 'groß' } },
    });
    await fixture.settle();
    const [sent] = fixture.around.events.filter(({ type }) => type === 'sqs.sent');
    expect(sent).toMatchObject({ bytes: Buffer.byteLength(fixture.receive('Orders')[0]?.Body ?? '') });
  });

  test('is made at once where the text has characters that SQS refuses, so that it does', async () => {
    const fixture = withQueues('Orders');
    fixture.publish('order \uffff');
    await fixture.settle();
    expect(fixture.happened('sns.lost')).toMatchObject([
      { attempts: 1, cause: { errorCode: 'InvalidMessageContents' } },
    ]);
  });

  test('is none of a message on a FIFO topic', async () => {
    const fixture = new SnsFixture();
    fixture.createTopic({ FifoTopic: 'true', ContentBasedDeduplication: 'true' }, 'Orders.fifo');
    fixture.createQueue('Orders');
    const topicArn = 'arn:aws:sns:us-east-1:123456789012:Orders.fifo';
    fixture.subscribe('sqs', queueArn('Orders'), {}, topicArn);
    fixture.sns.call('Publish', fixture.sns.owner, { TopicArn: topicArn, Message: 'order', MessageGroupId: 'car' });
    await fixture.settle();
    expect(JSON.parse(fixture.receive('Orders')[0]?.Body ?? '')).toMatchObject({ Message: 'order' });
    expect(signed).not.toHaveBeenCalled();
  });
});
