import { response } from '../../../local/network/outside-endpoint';
import { ADMIN, queueArn, SnsFixture, sendPolicy } from './sns-fixture';

const FIFO_ARN = 'arn:aws:sns:us-east-1:123456789012:Orders.fifo';

/** Everything chance has a hand in: ids, tokens, nonces, jitter and sampling. Answers all that can be seen of it. */
async function story(seed: string): Promise<string> {
  const fixture = new SnsFixture({ seed, jitter: true });
  fixture.createTopic();
  fixture.logDeliveries('SQS', 'HTTP');
  fixture.setTopicAttribute('SQSSuccessFeedbackSampleRate', '50');
  fixture.createQueue('Orders');
  fixture.subscribe('sqs', queueArn('Orders'));
  const endpoint = fixture.outside.endpoint('billing.example.com');
  const challenge = { 'www-authenticate': 'Digest realm="r", nonce="n", qop="auth"' };
  endpoint.behave({ reply: response(401, '', challenge), count: 1 }, { reply: response(503), count: 2 });
  fixture.subscribe('https', 'https://user:secret@billing.example.com/');
  fixture.subscribe('sms', '+15550100');
  fixture.createTopic({ FifoTopic: 'true', ContentBasedDeduplication: 'true' }, 'Orders.fifo');
  fixture.createQueue('Orders.fifo', { FifoQueue: 'true', Policy: sendPolicy('Orders.fifo') });
  fixture.subscribe('sqs', queueArn('Orders.fifo'), {}, FIFO_ARN);
  fixture.faults.set({ service: 'sqs', action: 'SendMessage', untilMs: fixture.timeline.nowMs + 3_000 });
  for (const Message of ['1', '2', '1']) {
    fixture.publish(Message);
    fixture.sns.call('Publish', ADMIN, { TopicArn: FIFO_ARN, Message, MessageGroupId: 'car' });
    fixture.sns.call('Publish', ADMIN, { PhoneNumber: '+15550100', Message });
  }
  await fixture.settle();
  const requests = endpoint.requests.map(({ atMs, headers, body }) => ({ atMs, headers, body: body.toString() }));
  const seen = [fixture.receive('Orders'), fixture.receive('Orders.fifo'), requests, fixture.records('SUCCESS')];
  return `${fixture.trace.toJsonLines()}${JSON.stringify(seen)}`;
}

describe('the same seed', () => {
  test('makes the same trace, messages, requests and logs', async () => {
    const once = await story('seed');
    expect(await story('seed')).toBe(once);
    expect(await story('another')).not.toBe(once);
  });
});
