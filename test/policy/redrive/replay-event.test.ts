import { readReplay } from '../../../policy/redrive/replay-event';

const SUBSCRIPTION = 'arn:aws:sns:us-east-1:123456789012:orders:21be56ed-a058-49f5-8c98-aedd2564c486';

const ENVELOPE = {
  Type: 'Notification',
  MessageId: '95df01b4-ee98-5cb9-9903-4c221d41eb5e',
  TopicArn: 'arn:aws:sns:us-east-1:123456789012:orders',
  Subject: 'TestInvoke',
  Message: 'Hello from SNS!',
  Timestamp: '2019-01-02T12:45:07.000Z',
  SignatureVersion: '1',
  Signature: 'tcc6faL2yUC6dgZdmrwh1Y4cGa==',
  SigningCertURL: 'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-ac565b8b.pem',
  UnsubscribeURL: `https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=${SUBSCRIPTION}`,
  MessageAttributes: { Test: { Type: 'String', Value: 'TestString' } },
};

/** The example of https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html, with the names that functions see. */
const SNS = {
  Type: 'Notification',
  MessageId: ENVELOPE.MessageId,
  TopicArn: ENVELOPE.TopicArn,
  Subject: 'TestInvoke',
  Message: 'Hello from SNS!',
  Timestamp: '2019-01-02T12:45:07.000Z',
  SignatureVersion: '1',
  Signature: ENVELOPE.Signature,
  SigningCertUrl: ENVELOPE.SigningCertURL,
  UnsubscribeUrl: ENVELOPE.UnsubscribeURL,
  MessageAttributes: { Test: { Type: 'String', Value: 'TestString' } },
};

const EVENT = {
  Records: [{ EventSource: 'aws:sns', EventVersion: '1.0', EventSubscriptionArn: SUBSCRIPTION, Sns: SNS }],
};

function eventIn(body: string, settings: Parameters<typeof readReplay>[1]): unknown {
  const reading = readReplay(body, settings);
  if (reading.kind === 'none') throw new Error(reading.reason);
  return JSON.parse(reading.event);
}

describe('A replayed event', () => {
  test('is the event with which SNS invokes a function, made of the envelope in the dead-letter queue', () => {
    expect(eventIn(JSON.stringify(ENVELOPE, null, 2), { bodyIs: 'envelope' })).toEqual(EVENT);
  });

  test('has an empty subject and no attributes if the message had none', () => {
    const { Subject: _subject, MessageAttributes: _attributes, ...bare } = ENVELOPE;
    const Sns = { ...SNS, Subject: null, MessageAttributes: {} };
    expect(eventIn(JSON.stringify(bare), { bodyIs: 'envelope' })).toEqual({ Records: [{ ...EVENT.Records[0], Sns }] });
  });

  test('names the subscription that it is given, if the envelope names another or none', () => {
    const { UnsubscribeURL: _, ...unsubscribed } = ENVELOPE;
    const settings = { bodyIs: 'envelope', subscriptionArn: `${SUBSCRIPTION}0` } as const;
    for (const envelope of [ENVELOPE, unsubscribed]) {
      expect(eventIn(JSON.stringify(envelope), settings)).toMatchObject({
        Records: [{ EventSubscriptionArn: `${SUBSCRIPTION}0` }],
      });
    }
    const nameless = readReplay(JSON.stringify(unsubscribed), { bodyIs: 'envelope' });
    expect(nameless).toMatchObject({ kind: 'none', reason: 'names no subscription, and neither do the settings' });
  });

  test('is the message itself if Lambda put it there, also among envelopes', () => {
    const body = JSON.stringify(EVENT);
    for (const bodyIs of ['event', 'envelope'] as const) {
      expect(readReplay(body, { bodyIs })).toEqual({ kind: 'event', event: body });
    }
  });

  test.each([
    ['an order with a payload of its own', '{"requestPayload":{"order":1}}'],
    ['an order with the context of a request', '{"requestContext":{"condition":"new"}}'],
    ['an order with a context that is no record’s', '{"requestContext":{"condition":1},"requestPayload":{}}'],
  ])('is the message itself if a function got %s, and not the record of an invocation', (_, body) => {
    expect(readReplay(body, { bodyIs: 'event' })).toEqual({ kind: 'event', event: body });
  });

  test.each([
    { body: 'not JSON', bodyIs: 'event', reason: 'is not JSON' },
    { body: 'not JSON', bodyIs: 'envelope', reason: 'is not JSON' },
    {
      body: '{"version":"1.0","requestContext":{"condition":"RetriesExhausted"},"requestPayload":{"order":1}}',
      bodyIs: 'event',
      reason: 'is the record of an invocation, for a destination, and not an event',
    },
    { body: '{"order":1}', bodyIs: 'envelope', reason: 'is without a Type, not an SNS Notification' },
    { body: '{"Records":[{"eventSource":"aws:sqs"}]}', bodyIs: 'envelope', reason: /^is without a Type/ },
  ] as const)('cannot be made of $body if messages are $bodyIs', ({ body, bodyIs, reason }) => {
    const none = { kind: 'none', cause: 'not-an-event', reason: expect.stringMatching(reason) };
    expect(readReplay(body, { bodyIs })).toEqual(none);
  });
});
