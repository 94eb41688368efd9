import { type DecodedMessage, decodeMessage } from '../../../policy/messages/decode-message';
import { type QueueAttributes, textAttribute } from '../../../policy/messages/queue-attributes';
import { deadLetterAttributes, quarantineAttributes } from '../../../policy/messages/reason-attributes';
import { functionEvent } from '../../../policy/redrive/replay-event';

const AT_MS = Date.UTC(2026, 0, 5, 2);

const SUBSCRIPTION = 'arn:aws:sns:us-east-1:111122223333:orders:2bcfbf39-05c3-41de-beaa-fcfcc21c8f55';

const ENVELOPE = {
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: 'arn:aws:sns:us-east-1:111122223333:orders',
  Message: '{"order":7}',
  Timestamp: '2026-01-05T02:00:00.000Z',
  UnsubscribeURL: `https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=${SUBSCRIPTION}`,
} as const;

const BODY = JSON.stringify(ENVELOPE);

function texts(said: Readonly<Record<string, string>>): QueueAttributes {
  return Object.fromEntries(Object.entries(said).map(([name, value]) => [name, textAttribute(value)]));
}

function decoded(body: string, attributes: QueueAttributes = {}): DecodedMessage {
  const message = { messageId: 'a', body, attributes, sentAtMs: AT_MS, firstReceivedAtMs: AT_MS, receiveCount: 1 };
  return decodeMessage(message);
}

const kinds = ({ who, before }: DecodedMessage) => [who, ...before].map(({ kind }) => kind);

const FAILED = texts({ RequestID: 'e4b46cbf', ErrorCode: '200', ErrorMessage: 'no such order' });

const RELAYED = deadLetterAttributes(
  {
    cause: 'gone',
    reason: 'answered 410',
    attemptsSpent: 3,
    lastStatusCode: 410,
    sentAtMs: AT_MS,
    firstReceivedAtMs: AT_MS,
    deadLetteredAtMs: AT_MS + 60_000,
    destination: 'https://billing.example.com/',
  },
  BODY,
).attributes;

describe('a message', () => {
  test('from SNS is a notification that could not be delivered', () => {
    const message = decoded(BODY);
    expect(message.who).toEqual({ kind: 'notification', envelope: ENVELOPE });
    expect(message).toMatchObject({
      before: [],
      notifications: [ENVELOPE],
      payload: '{"order":7}',
      data: { order: 7 },
    });
  });

  test('from a function is its event, and contains the notification that invoked it', () => {
    const message = decoded(JSON.stringify(functionEvent(ENVELOPE, SUBSCRIPTION)), FAILED);
    const who = { kind: 'function-event', errorCode: '200', errorMessage: 'no such order', requestId: 'e4b46cbf' };
    expect(message.who).toEqual(who);
    expect(message.before).toEqual([{ kind: 'notification', envelope: { ...ENVELOPE, MessageAttributes: {} } }]);
    expect(message.payload).toBe('{"order":7}');
  });

  test('from a function whose dead letters go to a topic has the reason in its envelope', () => {
    const MessageAttributes = {
      RequestID: { Type: 'String', Value: 'e4b46cbf' },
      ErrorCode: { Type: 'Number', Value: '429' },
      ErrorMessage: { Type: 'String', Value: 'Rate Exceeded.' },
    };
    const message = decoded(JSON.stringify({ ...ENVELOPE, MessageAttributes }));
    expect(kinds(message)).toEqual(['notification', 'function-event']);
    expect(message.before[0]).toMatchObject({ errorCode: '429', errorMessage: 'Rate Exceeded.' });
  });

  test('from an on-failure destination is a record that contains the event of the invocation', () => {
    const record = {
      version: '1.0',
      timestamp: '2026-01-05T02:00:00.000Z',
      requestContext: {
        requestId: 'e4b46cbf',
        functionArn: 'arn:aws:lambda:us-east-1:111122223333:function:clerk:$LATEST',
        condition: 'RetriesExhausted',
        approximateInvokeCount: 3,
      },
      requestPayload: functionEvent(ENVELOPE, SUBSCRIPTION),
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      responsePayload: { errorType: 'TypeError', errorMessage: 'no such order' },
    };
    const message = decoded(JSON.stringify(record));
    expect(message.who).toEqual({
      kind: 'invocation-record',
      functionArn: 'arn:aws:lambda:us-east-1:111122223333:function:clerk:$LATEST',
      condition: 'RetriesExhausted',
      error: 'TypeError: no such order',
      requestId: 'e4b46cbf',
      statusCode: 200,
      invokeCount: 3,
    });
    expect(kinds(message)).toEqual(['invocation-record', 'notification']);
    expect(message.data).toEqual({ order: 7 });
  });

  test('from a failed batch of a stream says where the records are, and contains none', () => {
    const streamArn = 'arn:aws:kinesis:us-east-1:111122223333:stream/orders';
    const record = {
      requestContext: {
        functionArn: 'arn:aws:lambda:us-east-1:111122223333:function:clerk',
        condition: 'EventAgeExceeded',
      },
      KinesisBatchInfo: { shardId: 'shardId-000000000001', batchSize: 500, streamArn },
    };
    const message = decoded(JSON.stringify(record));
    expect(message.who).toMatchObject({ condition: 'EventAgeExceeded', batch: { sourceArn: streamArn, records: 500 } });
    expect(message.payload).toBe(JSON.stringify(record));
  });

  test.each([
    ['rule', 'RULE_ARN', 'arn:aws:events:us-east-1:111122223333:rule/nightly'],
    ['schedule', 'SCHEDULE_ARN', 'arn:aws:scheduler:us-east-1:111122223333:schedule/default/nightly'],
  ])('from a %s says where it could not be delivered, and why', (by, name, byArn) => {
    const TARGET_ARN = 'arn:aws:sqs:us-east-1:111122223333:orders';
    const attributes = texts({
      [name]: byArn,
      TARGET_ARN,
      ERROR_CODE: 'NO_PERMISSIONS',
      ERROR_MESSAGE: 'Access denied.',
      EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
      RETRY_ATTEMPTS: '185',
      IS_PAYLOAD_TRUNCATED: 'false',
    });
    expect(decoded('{"order":7}', attributes).who).toEqual({
      kind: 'undelivered-event',
      by,
      byArn,
      targetArn: TARGET_ARN,
      errorCode: 'NO_PERMISSIONS',
      errorMessage: 'Access denied.',
      exhausted: 'MaximumRetryAttempts',
      retries: 185,
    });
  });

  test('from a relay says why it was given up, and contains the original message', () => {
    const message = decoded(BODY, RELAYED);
    expect(message.who).toEqual({
      kind: 'relayed',
      cause: 'gone',
      reason: 'answered 410',
      destination: 'https://billing.example.com/',
      statusCode: 410,
      attemptsSpent: 3,
      deadLetteredAtMs: AT_MS + 60_000,
    });
    expect(kinds(message)).toEqual(['relayed', 'notification']);
    expect(message.payload).toBe('{"order":7}');
  });

  test('from a quarantine keeps the reason of the function', () => {
    const facts = {
      cause: 'came-back',
      reason: 'failed again',
      quarantinedAtMs: AT_MS,
      sentAtMs: AT_MS,
      sourceArn: 'arn:aws:sqs:us-east-1:111122223333:dead',
    } as const;
    const message = decoded('{"order":7}', quarantineAttributes(facts, '{"order":7}', FAILED).attributes);
    const { cause, reason, sourceArn: fromArn, quarantinedAtMs } = facts;
    expect(message.who).toEqual({ kind: 'quarantined', cause, reason, fromArn, quarantinedAtMs });
    expect(kinds(message)).toEqual(['quarantined', 'function-event']);
  });

  test('of a batch of SQS contains all its notifications, and stays one message', () => {
    const other = { ...ENVELOPE, MessageId: 'another' };
    const batch = JSON.stringify({ Records: [ENVELOPE, other].map(one => ({ body: JSON.stringify(one) })) });
    const message = decoded(batch, FAILED);
    expect(kinds(message)).toEqual(['function-event']);
    expect(message.notifications.map(({ MessageId }) => MessageId)).toEqual([ENVELOPE.MessageId, 'another']);
    expect(message.payload).toBe(batch);
  });

  test('of one record of SQS is the message that the function got', () => {
    const messageAttributes = Object.fromEntries(
      Object.entries(RELAYED).map(([name, { StringValue }]) => [
        name,
        { stringValue: StringValue, dataType: 'String' },
      ]),
    );
    const message = decoded(JSON.stringify({ Records: [{ body: BODY, messageAttributes }] }), FAILED);
    expect(kinds(message)).toEqual(['function-event', 'relayed', 'notification']);
    expect(message.notifications).toEqual([ENVELOPE]);
  });

  test.each([
    ['a text', 'hello'],
    ['nothing', ''],
    ['JSON of no kind', '{"order":7}'],
    ['a list', '[1,2]'],
    ['a null', 'null'],
    ['an envelope that is none', '{"Type":"Notification"}'],
    ['a confirmation', '{"Type":"SubscriptionConfirmation","Token":"x"}'],
    ['records of nobody', '{"Records":[{"s3":{}}]}'],
    ['no records', '{"Records":[]}'],
    ['records one of which is nobody’s', '{"Records":[{"body":"a"},{"s3":{}}]}'],
    ['a record without a function', '{"requestContext":{"condition":"x"},"requestPayload":{}}'],
  ])('that is %s is plain, and is its own payload', (_, body) => {
    const message = decoded(body);
    expect([message.who, message.before, message.payload]).toEqual([{ kind: 'plain' }, [], body]);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['a cause without a reason', { DeadLetterCause: 'rejected' }],
    ['an error without a request', { ErrorCode: '200', ErrorMessage: 'x' }],
    ['an error of no rule', { ERROR_CODE: 'NO_PERMISSIONS', ERROR_MESSAGE: 'x' }],
    ['attributes of its sender', { tenant: 'blue', Destination: 'moon' }],
  ])('with %s is plain', (_, said) => {
    expect(decoded('hello', texts(said)).who).toEqual({ kind: 'plain' });
  });

  test('that is wrapped endlessly is unwrapped up to a limit', () => {
    let body = 'core';
    for (let wrapping = 0; wrapping < 10; wrapping += 1) body = JSON.stringify({ ...ENVELOPE, Message: body });
    const message = decoded(body);
    expect(message.notifications).toHaveLength(8);
    expect(JSON.parse(message.payload)).toMatchObject({ Type: 'Notification' });
  });

  test('from a relay without an attempt has no status and no number of attempts', () => {
    const said = { DeadLetterCause: 'gone', DeadLetterReason: 'x', LastStatusCode: '', AttemptsSpent: 'many' };
    const { who } = decoded('hello', texts(said));
    expect(who).toEqual({ kind: 'relayed', cause: 'gone', reason: 'x', destination: '' });
  });

  test('with a binary attribute has no text for it', () => {
    const RequestID = { DataType: 'Binary', BinaryValue: new Uint8Array([1]) };
    expect(decoded('hello', { ...FAILED, RequestID }).who).toEqual({ kind: 'plain' });
  });

  test.each<[string, Readonly<Record<string, string>>, object]>([
    ['a rule', { RULE_ARN: 'rule' }, { by: 'rule', byArn: 'rule' }],
    ['a schedule', { SCHEDULE_ARN: 'schedule' }, { by: 'schedule', byArn: 'schedule' }],
    ['one that was cut', { RULE_ARN: 'rule', IS_PAYLOAD_TRUNCATED: 'true' }, { by: 'rule', isTruncated: true }],
  ])('with an undelivered event says so: of %s', (_, said, undelivered) => {
    const message = decoded('{}', texts({ ERROR_CODE: 'NO_PERMISSIONS', ...said }));
    expect(message.who).toMatchObject({
      kind: 'undelivered-event',
      errorCode: 'NO_PERMISSIONS',
      errorMessage: '',
      ...undelivered,
    });
  });

  test('with a whole undelivered event does not say that it was cut', () => {
    const said = { ERROR_CODE: 'NO_PERMISSIONS', RULE_ARN: 'rule', IS_PAYLOAD_TRUNCATED: 'false' };
    expect(decoded('{}', texts(said)).who).not.toHaveProperty('isTruncated');
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['a rule without an error', { RULE_ARN: 'rule', ERROR_MESSAGE: 'x' }],
    ['a request without an error', { RequestID: 'e4b46cbf', ErrorMessage: 'x' }],
    ['a quarantine without a cause', { QuarantineReason: 'x', QuarantinedFrom: 'dead' }],
  ])('with %s is plain', (_, said) => {
    expect(decoded('hello', texts(said)).who).toEqual({ kind: 'plain' });
  });

  test('with an empty error message has no error message', () => {
    expect(decoded('hello', texts({ RequestID: 'e4b46cbf', ErrorCode: '200' })).who).toEqual({
      kind: 'function-event',
      errorCode: '200',
      errorMessage: '',
      requestId: 'e4b46cbf',
    });
  });

  describe('a message of an on-failure destination', () => {
    const requestContext = { functionArn: 'bill', condition: 'RetriesExhausted' };
    const recorded = (record: object) => decoded(JSON.stringify({ requestContext, ...record }));

    test('contains nothing if the record has no event', () => {
      expect(kinds(recorded({}))).toEqual(['invocation-record']);
      expect(recorded({}).who).toEqual({
        kind: 'invocation-record',
        functionArn: 'bill',
        condition: 'RetriesExhausted',
      });
    });

    test('contains an event that is a text unchanged', () => {
      expect(recorded({ requestPayload: 'hello' }).payload).toBe('hello');
    });

    test.each([
      [{ errorType: 'TypeError', errorMessage: 'no' }, 'TypeError: no'],
      [{ errorMessage: 'no' }, 'no'],
      [{ errorType: 'TypeError', errorMessage: 7 }, 'TypeError'],
      [{ statusCode: 500 }, undefined],
      ['no', undefined],
    ])('has the error of the answer %j', (responsePayload, error) => {
      expect(recorded({ responsePayload }).who).toMatchObject(error === undefined ? {} : { error });
      expect('error' in recorded({ responsePayload }).who).toBe(error !== undefined);
    });

    test('has the source of a Kafka batch', () => {
      const KafkaBatchInfo = { eventSourceArn: 'cluster', batchSize: null };
      expect(recorded({ KafkaBatchInfo }).who).toMatchObject({ batch: { sourceArn: 'cluster' } });
      expect(recorded({ KafkaBatchInfo }).who).not.toHaveProperty('batch.records');
    });

    test('is plain without a condition', () => {
      expect(recorded({ requestContext: { functionArn: 'bill' } }).who).toEqual({ kind: 'plain' });
    });
  });

  test('with two messages of SQS to a function contains neither as the payload', () => {
    const body = JSON.stringify({ Records: [{ body: 'a' }, { body: 'b' }] });
    const message = decoded(body, FAILED);
    expect(kinds(message)).toEqual(['function-event']);
    expect([message.payload, message.notifications]).toEqual([body, []]);
  });

  test.each(['null', '7', '"a"'])('with the record %s is plain', record => {
    expect(decoded(`{"Records":[${record}]}`).who).toEqual({ kind: 'plain' });
  });
});
