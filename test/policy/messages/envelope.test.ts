import fc from 'fast-check';
import {
  isHeaderValue,
  type NotificationEnvelope,
  readEnvelope,
  subscriptionArnOf,
} from '../../../policy/messages/envelope';

const SUBSCRIPTION_ARN = 'arn:aws:sns:us-west-2:123456789012:MyTopic:c9135db0-26c4-47ec-8998-413945fb5a96';

/** Has every member that a standard topic sends: aws-semantics.md section 2.3. */
const ENVELOPE: NotificationEnvelope = {
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic',
  Subject: 'My First Message',
  Message: 'Hello world!',
  Timestamp: '2012-05-02T00:54:06.655Z',
  SignatureVersion: '1',
  Signature: 'EXAMPLEw6JRN==',
  SigningCertURL: 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem',
  UnsubscribeURL: `https://sns.us-west-2.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=${SUBSCRIPTION_ARN}`,
  MessageAttributes: { kind: { Type: 'String', Value: 'order' }, key: { Type: 'Binary', Value: 'AQID' } },
};

/** As a FIFO topic sends it: with a sequence number, and not signed. */
const FIFO_ENVELOPE: NotificationEnvelope = {
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  SequenceNumber: '10000000000000003000',
  TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic.fifo',
  Message: '',
  Timestamp: '2012-05-02T00:54:06.655Z',
};

function reading(value: unknown) {
  return readEnvelope(JSON.stringify(value));
}

test('An envelope is read with all its members, and absent members stay absent', () => {
  for (const envelope of [ENVELOPE, FIFO_ENVELOPE]) {
    expect(reading(envelope)).toStrictEqual({ kind: 'notification', envelope });
  }
});

test('Unknown members are ignored', () => {
  expect(reading({ ...ENVELOPE, Token: 'x' })).toStrictEqual({ kind: 'notification', envelope: ENVELOPE });
});

describe('A body that is no envelope', () => {
  test.each([
    ['', 'is not JSON'],
    ['Hello world!', 'is not JSON'],
    ['null', 'is not a JSON object'],
    ['[]', 'is not a JSON object'],
    ['"text"', 'is not a JSON object'],
    ['7', 'is not a JSON object'],
    ['{}', 'is without a Type, not an SNS Notification'],
    ['{"Type":1}', 'is without a Type, not an SNS Notification'],
    ['{"Type":"SubscriptionConfirmation"}', 'is a SubscriptionConfirmation, not an SNS Notification'],
    ['{"Type":"Notification"}', 'is a Notification without a valid MessageId, TopicArn, Message, Timestamp'],
  ])('%s %s', (body, reason) => {
    expect(readEnvelope(body)).toEqual({ kind: 'none', reason });
  });

  test.each([
    'MessageId',
    'TopicArn',
    'Message',
    'Timestamp',
    'Subject',
    'SequenceNumber',
    'SignatureVersion',
    'Signature',
    'SigningCertURL',
    'UnsubscribeURL',
  ])('has a %s that is no text', name => {
    expect(reading({ ...ENVELOPE, [name]: 7 })).toEqual({
      kind: 'none',
      reason: `is a Notification without a valid ${name}`,
    });
  });

  test.each(['a\nb', 'a\r\nX-Injected: b', '\u0000', '\u007f', 'naïve\u2028', '\u{1f4e6}', 'Ł'])(
    'has an id of the message, or an ARN, that can be no header: %j',
    text => {
      const reason = (name: string) => `is a Notification without a valid ${name}`;
      expect(reading({ ...ENVELOPE, MessageId: text })).toEqual({ kind: 'none', reason: reason('MessageId') });
      expect(reading({ ...ENVELOPE, TopicArn: text })).toEqual({ kind: 'none', reason: reason('TopicArn') });
      const UnsubscribeURL = `https://sns.us-west-2.amazonaws.com/?SubscriptionArn=${encodeURIComponent(text)}`;
      expect(reading({ ...ENVELOPE, UnsubscribeURL })).toEqual({ kind: 'none', reason: reason('UnsubscribeURL') });
    },
  );

  test('does not include one with such characters in a member that becomes no header', () => {
    const odd = { Subject: 'a\nb', Message: '\u0000\u{1f4e6}', SigningCertURL: 'Ł' };
    expect(reading({ ...ENVELOPE, ...odd })).toMatchObject({ kind: 'notification', envelope: odd });
  });

  test.each([
    'none',
    [],
    { kind: null },
    { kind: 'order' },
    { kind: { Type: 'String' } },
    { kind: { Value: 'order' } },
    { kind: { Type: 'Number', Value: 7 } },
    { kind: { Type: 'String', Value: 'order' }, other: {} },
  ])('has the attributes %j', MessageAttributes => {
    expect(reading({ ...ENVELOPE, MessageAttributes })).toEqual({
      kind: 'none',
      reason: 'is a Notification without a valid MessageAttributes',
    });
  });

  test('never makes the reader throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), body => {
        expect(['notification', 'none']).toContain(readEnvelope(body).kind);
      }),
    );
  });
});

describe('The subscription of an envelope', () => {
  test('is read from its UnsubscribeURL', () => {
    expect(subscriptionArnOf(ENVELOPE)).toBe(SUBSCRIPTION_ARN);
  });

  test.each([
    'https://sns.us-west-2.amazonaws.com/?Action=Unsubscribe',
    'https://sns.us-west-2.amazonaws.com/?SubscriptionArn=',
    'not a URL',
  ])('is unknown with %s', UnsubscribeURL => {
    expect(subscriptionArnOf({ ...ENVELOPE, UnsubscribeURL })).toBeUndefined();
  });

  test('is unknown without an UnsubscribeURL', () => {
    expect(subscriptionArnOf(FIFO_ENVELOPE)).toBeUndefined();
  });
});

test.each([
  ['', true],
  ['token a\tb', true],
  ['café', true],
  ['a\nb', false],
  ['a\u007f', false],
  ['€', false],
])('%j as a value of an HTTP header: %p', (text, isValue) => {
  expect(isHeaderValue(text)).toBe(isValue);
});
