import { AwsError } from '../../../../local/kernel/aws-error';
import { response } from '../../../../local/network/outside-endpoint';
import type { Outcome } from '../../../../policy/outcome/outcome';
import { FUNCTION_ARN, queueArn, queueUrl, redriveTo, SnsFixture, sendPolicy } from '../sns-fixture';

const QUEUE = 'Rental-Fulfilment';

/** A topic that logs every delivery, and a dead-letter queue. */
function withLogs(): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  fixture.createQueue('Fanout-DLQ');
  fixture.logDeliveries('SQS', 'Lambda', 'HTTP');
  return fixture;
}

function failureOf(fixture: SnsFixture) {
  const [record] = fixture.records('FAILURE');
  if (!record) throw new Error('no failure was logged');
  const { statusCode, attempts, providerResponse } = record.delivery;
  return { statusCode, attempts, providerResponse };
}

/** aws-semantics 3: a client-side error is not retried and goes straight to the dead-letter queue. */
describe('client-side errors of a queue', () => {
  interface Case {
    readonly title: string;
    readonly breaks: (fixture: SnsFixture) => void;
    readonly attributes?: Record<string, string>;
    readonly messageAttributes?: number;
    readonly statusCode: number;
    /** In the order in which the log shows them. */
    readonly providerResponse: Record<string, unknown>;
  }

  const cases: readonly Case[] = [
    {
      title: 'the queue was deleted',
      breaks: fixture => fixture.sqs.call('DeleteQueue', fixture.sqs.owner, { QueueUrl: queueUrl(QUEUE) }),
      statusCode: 400,
      providerResponse: {
        ErrorCode: 'AWS.SimpleQueueService.NonExistentQueue',
        ErrorMessage: 'The specified queue does not exist or you do not have access to it.',
        sqsRequestId: 'Unrecoverable',
      },
    },
    {
      title: 'the queue policy was taken away',
      breaks: fixture =>
        fixture.sqs.call('SetQueueAttributes', fixture.sqs.owner, {
          QueueUrl: queueUrl(QUEUE),
          Attributes: { Policy: '' },
        }),
      statusCode: 403,
      providerResponse: {
        ErrorCode: 'AccessDenied',
        ErrorMessage: `Access to the resource ${queueUrl(QUEUE)} is denied.`,
        sqsRequestId: 'Unrecoverable',
      },
    },
    {
      title: 'the key of the queue knows nothing of SNS',
      breaks: fixture => {
        const { keyId } = fixture.kms.createKey();
        fixture.sqs.call('SetQueueAttributes', fixture.sqs.owner, {
          QueueUrl: queueUrl(QUEUE),
          Attributes: { KmsMasterKeyId: keyId },
        });
      },
      statusCode: 400,
      providerResponse: {
        ErrorCode: 'KMS.AccessDeniedException',
        ErrorMessage: expect.stringMatching(/^null \(Service: AWSKMS; Status Code: 400/),
        sqsRequestId: 'Unrecoverable',
      },
    },
    {
      title: 'a raw message has more attributes than a queue takes',
      breaks: () => {},
      attributes: { RawMessageDelivery: 'true' },
      messageAttributes: 11,
      statusCode: 400,
      providerResponse: {
        ErrorCode: 'InvalidParameterValue',
        ErrorMessage: 'Number of message attributes [11] exceeds the maximum allowed [10].',
        sqsRequestId: 'Unrecoverable',
      },
    },
  ];

  test.each(cases)('$title: one attempt, then the dead-letter queue', async theCase => {
    const fixture = withLogs();
    fixture.createQueue(QUEUE);
    fixture.subscribe('sqs', queueArn(QUEUE), { ...redriveTo('Fanout-DLQ'), ...theCase.attributes });
    theCase.breaks(fixture);
    const names = Array.from({ length: theCase.messageAttributes ?? 0 }, (_, i) => `attribute-${i}`);
    fixture.publish('order', {
      MessageAttributes: Object.fromEntries(names.map(name => [name, { DataType: 'String', StringValue: 'x' }])),
    });
    await fixture.settle();

    expect(fixture.happened('sns.attempt')).toMatchObject([{ attempt: 1, outcome: 'dead' }]);
    const { providerResponse, ...numbers } = failureOf(fixture);
    expect(numbers).toEqual({ statusCode: theCase.statusCode, attempts: 1 });
    const answer = JSON.parse(providerResponse);
    expect(answer).toEqual(theCase.providerResponse);
    expect(Object.keys(answer)).toEqual(Object.keys(theCase.providerResponse));
    if (theCase.messageAttributes) {
      expect(fixture.happened('sns.lost')).toMatchObject([{ cause: { kind: 'client-error' } }]);
    } else {
      expect(fixture.happened('sns.dead-lettered')).toMatchObject([
        { attempts: 1, cause: { kind: 'client-error', statusCode: theCase.statusCode } },
      ]);
      expect(fixture.receive('Fanout-DLQ')).toHaveLength(1);
    }
  });

  test('leave the subscription in place: what is published after the repair is delivered', async () => {
    const fixture = withLogs();
    fixture.createQueue(QUEUE, {});
    fixture.subscribe('sqs', queueArn(QUEUE), redriveTo('Fanout-DLQ'));
    fixture.publish('before');
    await fixture.settle();
    fixture.sqs.call('SetQueueAttributes', fixture.sqs.owner, {
      QueueUrl: queueUrl(QUEUE),
      Attributes: { Policy: sendPolicy(QUEUE) },
    });
    fixture.publish('after');
    await fixture.settle();
    expect(fixture.receive(QUEUE)).toHaveLength(1);
    expect(fixture.receive('Fanout-DLQ')).toHaveLength(1);
  });

  describe('whose name another queue has taken', () => {
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

    test('go on, though it lets the topic send: SNS knows the queue that was deleted', async () => {
      const { fixture, publish } = await recreated();
      expect(await publish()).toEqual([0, 1]);
      expect(JSON.parse(failureOf(fixture).providerResponse)).toEqual(cases[0]?.providerResponse);
    });

    test('end when the queue is subscribed again, and the subscription is the same (assumption SNS-30)', async () => {
      const { fixture, subscriptionArn, publish } = await recreated();
      expect(fixture.subscribe('sqs', queueArn(QUEUE))).toBe(subscriptionArn);
      expect(await publish()).toEqual([1, 0]);
    });

    test('end with a subscription of its own', async () => {
      const { fixture, subscriptionArn, publish } = await recreated();
      fixture.sns.call('Unsubscribe', fixture.sns.owner, { SubscriptionArn: subscriptionArn });
      expect(fixture.subscribe('sqs', queueArn(QUEUE), redriveTo('Fanout-DLQ'))).not.toBe(subscriptionArn);
      expect(await publish()).toEqual([1, 0]);
    });
  });

  test('are none where the queue is created after it was subscribed', async () => {
    const fixture = withLogs();
    fixture.subscribe('sqs', queueArn(QUEUE));
    fixture.createQueue(QUEUE);
    fixture.publish();
    await fixture.settle();
    expect(fixture.receive(QUEUE)).toHaveLength(1);
  });

  test('lose the message where there is no dead-letter queue', async () => {
    const fixture = withLogs();
    fixture.subscribe('sqs', queueArn('Nowhere'));
    fixture.publish();
    await fixture.settle();
    expect(fixture.happened('sns.lost')).toMatchObject([
      {
        protocol: 'sqs',
        attempts: 1,
        cause: { kind: 'client-error', statusCode: 400, errorCode: 'AWS.SimpleQueueService.NonExistentQueue' },
      },
    ]);
  });
});

describe('throttling by a queue', () => {
  test('is the server’s side, and retried', async () => {
    const fixture = withLogs();
    fixture.createQueue(QUEUE);
    fixture.subscribe('sqs', queueArn(QUEUE));
    fixture.faults.set({
      service: 'sqs',
      action: 'SendMessage',
      httpStatus: 400,
      code: 'ThrottlingException',
      untilMs: fixture.timeline.nowMs + 500,
    });
    fixture.publish();
    await fixture.settle();
    expect(fixture.happened('sns.delivered')).toMatchObject([{ attempts: 5 }]);
  });
});

describe('client-side errors of a function', () => {
  test.each([
    ['ResourceNotFoundException', 404],
    ['AccessDeniedException', 403],
  ])('%s: one attempt, then the dead-letter queue', async (code, statusCode) => {
    const fixture = withLogs();
    fixture.subscribe('lambda', FUNCTION_ARN, redriveTo('Fanout-DLQ'));
    fixture.lambda.refusal = new AwsError(code, 'Lambda says no', statusCode);
    fixture.publish();
    await fixture.settle();
    expect(failureOf(fixture)).toEqual({
      statusCode,
      attempts: 1,
      providerResponse: JSON.stringify({
        ErrorCode: code,
        ErrorMessage: 'Lambda says no',
        lambdaRequestId: 'Unrecoverable',
      }),
    });
    expect(fixture.happened('sns.dead-lettered')).toHaveLength(1);
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
  test('has its deliveries logged by roles of its own', async () => {
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

/** aws-semantics 2.1. */
describe('answers of an HTTP endpoint', () => {
  const ENDPOINT = 'http://billing.example.com:8080/orders?source=sns';

  test.each([
    [200, 1, 'sns.delivered'],
    [301, 1, 'sns.dead-lettered'],
    [500, 4, 'sns.dead-lettered'],
  ] as const)('%i makes %i attempts and ends in %s', async (status, attempts, end) => {
    const fixture = withLogs();
    fixture.outside.endpoint('billing.example.com').behave({
      reply: response(status, 'the answer', { location: 'http://elsewhere.example.com/' }),
    });
    fixture.subscribe('http', ENDPOINT, redriveTo('Fanout-DLQ'));
    fixture.publish();
    await fixture.settle();
    expect(fixture.happened('sns.attempt')).toHaveLength(attempts);
    expect(fixture.happened(end)).toMatchObject([{ attempts }]);
    expect(fixture.outside.endpoint('elsewhere.example.com').requests).toEqual([]);
    expect([...fixture.records('FAILURE'), ...fixture.records('SUCCESS')][0]).toMatchObject({
      delivery: { destination: ENDPOINT, providerResponse: 'the answer', statusCode: status, attempts },
    });
  });

  test.each(['ENOTFOUND', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'CERT_HAS_EXPIRED'] as const)(
    '%s is retried, and logged as an exception of the HTTP client',
    async code => {
      const fixture = withLogs();
      fixture.outside.endpoint('billing.example.com').behave({ reply: { kind: 'no-answer', code } });
      fixture.subscribe('http', ENDPOINT, redriveTo('Fanout-DLQ'));
      fixture.publish();
      await fixture.settle();
      expect(fixture.happened('sns.attempt')).toHaveLength(4);
      expect(failureOf(fixture)).toEqual({
        statusCode: undefined,
        attempts: 4,
        providerResponse: 'IO Exception in HttpClient',
      });
    },
  );
});
