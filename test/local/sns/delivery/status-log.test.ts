import { response } from '../../../../local/network/outside-endpoint';
import { FEEDBACK_ROLE, queueArn, redriveTo, SnsFixture, START_MS } from '../sns-fixture';

const QUEUE = 'Rental-Fulfilment';

function withLogs(...prefixes: readonly string[]): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  fixture.createQueue('Fanout-DLQ');
  fixture.logDeliveries(...prefixes);
  return fixture;
}

/** aws-semantics 5; the shapes are those recorded in the article on durable serverless apps. */
describe('a delivery-status record', () => {
  test('shows 1,024 characters of an endpoint’s answer (assumption SNS-24)', async () => {
    const fixture = withLogs('HTTP');
    fixture.outside.endpoint('billing.example.com').behave({ reply: response(200, 'x'.repeat(2_000)) });
    fixture.subscribe('https', 'https://billing.example.com/');
    fixture.publish('order');
    await fixture.settle();
    expect(fixture.records('SUCCESS')[0]?.delivery.providerResponse).toBe('x'.repeat(1_024));
  });

  test('of a dead-letter queue counts the dwell time from the failure of the endpoint', async () => {
    const fixture = withLogs('HTTP', 'SQS');
    fixture.outside.endpoint('billing.example.com').behave({ reply: response(503) });
    fixture.subscribe('https', 'https://billing.example.com/', redriveTo('Fanout-DLQ'));
    fixture.faults.set({ service: 'sqs', resource: queueArn('Fanout-DLQ'), untilMs: START_MS + 60_500 });
    fixture.publish('order');
    await fixture.settle();
    expect(fixture.records('FAILURE')).toMatchObject([{ delivery: { attempts: 4, dwellTimeMs: 60_000 } }]);
    expect(fixture.records('SUCCESS')).toMatchObject([
      {
        notification: { timestamp: '2026-01-01 00:01:00.000' },
        delivery: { destination: queueArn('Fanout-DLQ'), attempts: 5, dwellTimeMs: 1_000 },
      },
    ]);
  });
});

describe('which deliveries are logged', () => {
  async function logged(sampleRate: string | undefined, publications: number): Promise<SnsFixture> {
    const fixture = withLogs();
    fixture.createQueue(QUEUE);
    fixture.subscribe('sqs', queueArn(QUEUE));
    fixture.setTopicAttribute('SQSSuccessFeedbackRoleArn', FEEDBACK_ROLE);
    if (sampleRate !== undefined) fixture.setTopicAttribute('SQSSuccessFeedbackSampleRate', sampleRate);
    for (let i = 0; i < publications; i += 1) fixture.publish('order');
    await fixture.settle();
    return fixture;
  }

  test.each([
    ['100', 40],
    ['0', 0],
    [undefined, 0],
  ])('a sample rate of %s logs %i of 40 successes', async (rate, expected) => {
    expect((await logged(rate, 40)).records('SUCCESS')).toHaveLength(expected);
  });

  test('a sample rate of 25 logs about a quarter of 400 successes, the same ones in every run', async () => {
    const once = (await logged('25', 400)).records('SUCCESS');
    expect(once.length).toBeGreaterThan(70);
    expect(once.length).toBeLessThan(130);
    expect((await logged('25', 400)).records('SUCCESS')).toEqual(once);
  });

  test('a protocol without roles logs nothing', async () => {
    const fixture = withLogs('Lambda');
    fixture.subscribe('sqs', queueArn('Nowhere'));
    fixture.publish('order');
    await fixture.settle();
    expect(fixture.logs.groupNames).toEqual([]);
  });
});
