import { createHash } from 'node:crypto';
import { response } from '../../../../local/network/outside-endpoint';
import { FEEDBACK_ROLE, queueArn, redriveTo, SnsFixture, START_MS, TOPIC_ARN } from '../sns-fixture';

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const QUEUE = 'Rental-Fulfilment';

function withLogs(...prefixes: readonly string[]): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  fixture.createQueue('Fanout-DLQ');
  fixture.logDeliveries(...prefixes);
  return fixture;
}

function notification(messageId: string, timestamp: string) {
  return { messageMD5Sum: createHash('md5').update('order').digest('hex'), messageId, topicArn: TOPIC_ARN, timestamp };
}

/** aws-semantics 5; the shapes are those recorded in the article on durable serverless apps. */
describe('a delivery-status record', () => {
  test('of a queue that accepted the message has all fields', async () => {
    const fixture = withLogs('SQS');
    fixture.createQueue(QUEUE);
    fixture.subscribe('sqs', queueArn(QUEUE), redriveTo('Fanout-DLQ'));
    await fixture.goTo(1.5);
    const messageId = fixture.publish('order');
    await fixture.settle();
    const [record] = fixture.records('SUCCESS');
    expect(record).toEqual({
      notification: notification(messageId, '2026-01-01 00:00:01.500'),
      delivery: {
        deliveryId: UUID,
        redrivePolicy: `{"deadLetterTargetArn": "${queueArn('Fanout-DLQ')}"}`,
        destination: queueArn(QUEUE),
        providerResponse: expect.any(String),
        dwellTimeMs: 0,
        attempts: 1,
        statusCode: 200,
      },
      status: 'SUCCESS',
    });
    expect(Object.keys(record?.delivery ?? {})).toEqual([
      'deliveryId',
      'redrivePolicy',
      'destination',
      'providerResponse',
      'dwellTimeMs',
      'attempts',
      'statusCode',
    ]);
    const [received] = fixture.receive(QUEUE);
    expect(JSON.parse(record?.delivery.providerResponse ?? '')).toEqual({
      sqsRequestId: UUID,
      sqsMessageId: received?.MessageId,
    });
    expect(fixture.records('FAILURE')).toEqual([]);
  });

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

const OTHER_ROLE = 'arn:aws:iam::123456789012:role/Other';

test.each([
  ['that does not exist', () => {}, 'may not assume'],
  [
    'that SNS may not assume',
    (fixture: SnsFixture) => createRole(fixture, 'lambda.amazonaws.com', 'logs:*'),
    'may not assume',
  ],
  [
    'that may not write logs',
    (fixture: SnsFixture) => createRole(fixture, 'sns.amazonaws.com', 'logs:Create*'),
    'logs:PutLogEvents',
  ],
  [
    'that may write logs, but not create the group they belong in',
    (fixture: SnsFixture) => createRole(fixture, 'sns.amazonaws.com', 'logs:PutLogEvents'),
    'logs:CreateLogGroup',
  ],
])('a feedback role %s logs nothing, and the trace says why', async (_title, prepare, reason) => {
  const fixture = withLogs();
  prepare(fixture);
  fixture.setTopicAttribute('SQSFailureFeedbackRoleArn', OTHER_ROLE);
  fixture.subscribe('sqs', queueArn('Nowhere'));
  fixture.publish('order');
  await fixture.settle();
  expect(fixture.logs.groupNames.flatMap(name => fixture.logs.events(name))).toEqual([]);
  expect(fixture.happened('sns.status-log-refused')).toMatchObject([
    { topicArn: TOPIC_ARN, roleArn: OTHER_ROLE, reason: expect.stringContaining(reason) },
  ]);
});

function createRole(fixture: SnsFixture, service: string, action: string): void {
  const allow = (more: Record<string, unknown>) => ({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', ...more }],
  });
  const trustPolicy = allow({ Principal: { Service: service }, Action: 'sts:AssumeRole' });
  fixture.iam.createRole({ roleName: 'Other', trustPolicy });
  fixture.iam.putRolePolicy('Other', 'logs', allow({ Action: action, Resource: '*' }));
}
