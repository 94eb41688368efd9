import { AwsError } from '../../../../local/kernel/aws-error';
import { response } from '../../../../local/network/outside-endpoint';
import {
  FUNCTION_ARN,
  queueArn,
  queueUrl,
  redriveTo,
  SnsFixture,
  START_MS,
  sendPolicy,
  TOPIC_ARN,
} from '../sns-fixture';

const DLQ = 'Fanout-DLQ';

function withDeadLetterQueue(attributes?: Record<string, string>): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  fixture.createQueue(DLQ, attributes);
  return fixture;
}

const ATTRIBUTES = {
  'order-status': { DataType: 'String', StringValue: 'confirmed' },
  total: { DataType: 'Number', StringValue: '42.5' },
  scan: { DataType: 'Binary', BinaryValue: Buffer.from('pixels') },
};

/** aws-semantics 4: the message is exactly what the endpoint would have received. */
describe('the message in the dead-letter queue', () => {
  test('is the envelope, without attributes of its own and without a word about the cause', async () => {
    const fixture = withDeadLetterQueue();
    const subscription = fixture.subscribe('sqs', queueArn('Nowhere'), redriveTo(DLQ));
    const messageId = fixture.publish('order', { Subject: 'An order', MessageAttributes: ATTRIBUTES });
    await fixture.settle();

    const [message] = fixture.receive(DLQ);
    expect(message?.MessageAttributes).toBeUndefined();
    const envelope = JSON.parse(message?.Body ?? '');
    expect(Object.keys(envelope)).toEqual([
      'Type',
      'MessageId',
      'TopicArn',
      'Subject',
      'Message',
      'Timestamp',
      'SignatureVersion',
      'Signature',
      'SigningCertURL',
      'UnsubscribeURL',
      'MessageAttributes',
    ]);
    expect(envelope).toMatchObject({
      Type: 'Notification',
      MessageId: messageId,
      TopicArn: TOPIC_ARN,
      Subject: 'An order',
      Message: 'order',
      Timestamp: '2026-01-01T00:00:00.000Z',
      UnsubscribeURL: `https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=${subscription}`,
      MessageAttributes: {
        'order-status': { Type: 'String', Value: 'confirmed' },
        total: { Type: 'Number', Value: '42.5' },
        scan: { Type: 'Binary', Value: Buffer.from('pixels').toString('base64') },
      },
    });
  });

  test('is the bare message with its attributes where the subscription has raw delivery', async () => {
    const fixture = withDeadLetterQueue();
    fixture.subscribe('sqs', queueArn('Nowhere'), { ...redriveTo(DLQ), RawMessageDelivery: 'true' });
    fixture.publish('order', { MessageAttributes: ATTRIBUTES });
    await fixture.settle();
    const [message] = fixture.receive(DLQ);
    expect(message?.Body).toBe('order');
    expect(Object.keys(message?.MessageAttributes ?? {}).sort()).toEqual(['order-status', 'scan', 'total']);
    expect(message?.MessageAttributes).toMatchObject({
      'order-status': { DataType: 'String', StringValue: 'confirmed' },
      total: { DataType: 'Number', StringValue: '42.5' },
      scan: { DataType: 'Binary' },
    });
  });

  test('of a function is the envelope, with the member names that queues receive', async () => {
    const fixture = withDeadLetterQueue();
    fixture.subscribe('lambda', FUNCTION_ARN, redriveTo(DLQ));
    fixture.lambda.refusal = new AwsError('ResourceNotFoundException', 'gone', 404);
    fixture.publish('order', { MessageAttributes: { total: ATTRIBUTES.total } });
    await fixture.settle();
    const envelope = JSON.parse(fixture.receive(DLQ)[0]?.Body ?? '');
    expect(envelope).toMatchObject({
      Message: 'order',
      MessageAttributes: { total: { Type: 'Number', Value: '42.5' } },
    });
    expect(envelope).toHaveProperty('SigningCertURL');
    expect(envelope).toHaveProperty('UnsubscribeURL');
    expect(envelope).not.toHaveProperty('Records');
  });

  test('is word for word what a queue that works receives', async () => {
    const fixture = withDeadLetterQueue();
    fixture.createQueue('Works');
    const arn = fixture.subscribe('sqs', queueArn('Works'), redriveTo(DLQ));
    fixture.publish('first');
    await fixture.settle();
    const [received] = fixture.receive('Works');
    fixture.sqs.call('SetQueueAttributes', fixture.sqs.owner, {
      QueueUrl: queueUrl('Works'),
      Attributes: { Policy: '' },
    });
    fixture.publish('first');
    await fixture.settle();
    const [dead] = fixture.receive(DLQ);
    const withoutIdentity = (body = '') => ({ ...JSON.parse(body), MessageId: '', Signature: '' });
    expect(withoutIdentity(dead?.Body)).toEqual(withoutIdentity(received?.Body));
    expect(dead?.Body).toContain(arn);
  });
});

describe('a dead-letter queue that does not take the message', () => {
  test('loses it at once for want of permission, and says so by AWS’s metric', async () => {
    const fixture = withDeadLetterQueue({});
    fixture.subscribe('sqs', queueArn('Nowhere'), redriveTo(DLQ));
    fixture.publish();
    await fixture.settle();
    expect(fixture.total('NumberOfNotificationsFailedToRedriveToDlq')).toBe(1);
    expect(fixture.total('NumberOfNotificationsRedrivenToDlq')).toBe(0);
    expect(fixture.happened('sns.dead-letter-attempt')).toMatchObject([{ attempt: 1, outcome: 'dead' }]);
    expect(fixture.happened('sns.lost')).toMatchObject([
      {
        attempts: 1,
        cause: { kind: 'client-error', errorCode: 'AWS.SimpleQueueService.NonExistentQueue' },
        deadLetterFailure: expect.stringContaining('403 AccessDenied'),
      },
    ]);
  });

  test('loses it for want of a grant on the key', async () => {
    const fixture = withDeadLetterQueue();
    const { keyId } = fixture.kms.createKey();
    fixture.sqs.call('SetQueueAttributes', fixture.sqs.owner, {
      QueueUrl: queueUrl(DLQ),
      Attributes: { KmsMasterKeyId: keyId, Policy: sendPolicy(DLQ) },
    });
    fixture.subscribe('sqs', queueArn('Nowhere'), redriveTo(DLQ));
    fixture.publish();
    await fixture.settle();
    expect(fixture.happened('sns.lost')).toMatchObject([
      { deadLetterFailure: expect.stringContaining('KMS.AccessDeniedException') },
    ]);
    expect(fixture.total('NumberOfNotificationsFailedToRedriveToDlq')).toBe(1);
  });

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

describe('a service that answers late', () => {
  test('keeps a message from being dead-lettered until the dead-letter queue has answered', async () => {
    const fixture = withDeadLetterQueue();
    fixture.subscribe('sqs', queueArn('Nowhere'), redriveTo(DLQ));
    fixture.faults.set({ service: 'sqs', resource: queueArn(DLQ), latencyMs: 5_000 });
    fixture.publish();
    await fixture.settle();
    expect(fixture.happened('sns.dead-lettered').map(({ atMs }) => atMs - START_MS)).toEqual([5_000]);
    expect(fixture.receive(DLQ)).toHaveLength(1);
  });

  test.each([false, true])('counts for a function as well, whether its answer is a promise: %s', async answersLater => {
    const fixture = withDeadLetterQueue();
    fixture.subscribe('lambda', FUNCTION_ARN);
    Object.assign(fixture.lambda, { answersLater, latencyMs: 3_000 });
    fixture.publish();
    await fixture.settle();
    expect(fixture.happened('sns.delivered').map(({ atMs }) => atMs - START_MS)).toEqual([3_000]);
  });
});

/** aws-semantics 6. */
describe('the metrics of failed deliveries', () => {
  test('count an HTTP failure for every attempt', async () => {
    const fixture = withDeadLetterQueue();
    fixture.outside.endpoint('billing.example.com').behave({ reply: response(500) });
    fixture.subscribe('https', 'https://billing.example.com/', redriveTo(DLQ));
    fixture.publish();
    await fixture.settle();
    expect(fixture.total('NumberOfNotificationsFailed')).toBe(4);
    expect(fixture.total('NumberOfNotificationsRedrivenToDlq')).toBe(1);
  });

  test('count the failed attempts of an HTTP delivery that succeeds in the end', async () => {
    const fixture = withDeadLetterQueue();
    fixture.outside.endpoint('billing.example.com').behave({ reply: response(500), count: 3 });
    fixture.subscribe('https', 'https://billing.example.com/');
    fixture.publish();
    await fixture.settle();
    expect(fixture.total('NumberOfNotificationsFailed')).toBe(3);
    expect(fixture.total('NumberOfNotificationsDelivered')).toBe(1);
  });

  test('count one for any other message, with any number of attempts', async () => {
    const fixture = withDeadLetterQueue();
    fixture.subscribe('sqs', queueArn('Nowhere'), redriveTo(DLQ));
    fixture.subscribe('lambda', FUNCTION_ARN);
    fixture.lambda.refusal = new AwsError('ResourceNotFoundException', 'gone', 404);
    fixture.publish();
    await fixture.settle();
    expect(fixture.total('NumberOfNotificationsFailed')).toBe(2);
    expect(fixture.total('NumberOfMessagesPublished')).toBe(1);
    expect(
      fixture.measured.filter(({ namespace }) => namespace === 'AWS/SNS').map(({ dimensions }) => dimensions),
    ).toEqual(Array(5).fill({ TopicName: 'Rental-Orders' }));
  });
});
