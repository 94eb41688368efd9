import { FUNCTION_ARN, queueArn, redriveTo, SnsFixture, START_MS } from '../sns-fixture';

const DLQ = 'Fanout-DLQ';

function withDeadLetterQueue(attributes?: Record<string, string>): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  fixture.createQueue(DLQ, attributes);
  return fixture;
}

describe('a dead letter that its queue does not accept', () => {
  test('is retried by the AWS-managed policy after server errors (assumption SNS-17)', async () => {
    const fixture = withDeadLetterQueue();
    fixture.subscribe('sqs', queueArn('Nowhere'), redriveTo(DLQ));
    fixture.faults.set({ service: 'sqs', resource: queueArn(DLQ), untilMs: START_MS + 1_500 });
    fixture.publish();
    await fixture.settle();
    expect(fixture.happened('sns.dead-letter-attempt').map(({ outcome }) => outcome)).toEqual(Array(5).fill('retry'));
    expect(fixture.happened('sns.dead-lettered')).toMatchObject([{ atMs: START_MS + 2_000, attempts: 1 }]);
    expect(fixture.total('NumberOfNotificationsRedrivenToDlq')).toBe(1);
    expect(fixture.total('NumberOfNotificationsFailedToRedriveToDlq')).toBe(0);
  });
});

describe('a dead-letter queue or function that answers late', () => {
  test('is waited for before a message counts as dead-lettered', async () => {
    const fixture = withDeadLetterQueue();
    fixture.subscribe('sqs', queueArn('Nowhere'), redriveTo(DLQ));
    fixture.faults.set({ service: 'sqs', resource: queueArn(DLQ), latencyMs: 5_000 });
    fixture.publish();
    await fixture.settle();
    expect(fixture.happened('sns.dead-lettered').map(({ atMs }) => atMs - START_MS)).toEqual([5_000]);
    expect(fixture.receive(DLQ)).toHaveLength(1);
  });

  test.each([false, true])('is waited for as a function too, if its answer is a promise: %s', async answersLater => {
    const fixture = withDeadLetterQueue();
    fixture.subscribe('lambda', FUNCTION_ARN);
    Object.assign(fixture.lambda, { answersLater, latencyMs: 3_000 });
    fixture.publish();
    await fixture.settle();
    expect(fixture.happened('sns.delivered').map(({ atMs }) => atMs - START_MS)).toEqual([3_000]);
  });
});
