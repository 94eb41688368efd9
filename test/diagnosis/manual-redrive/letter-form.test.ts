import { inForm } from '../../../diagnosis/manual-redrive/letter-form';
import { withReplayMark } from '../../../policy/redrive/replay-mark';

const ENVELOPE = {
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: 'arn:aws:sns:eu-west-1:111122223333:news',
  Message: 'hello',
  Timestamp: '2026-01-05T09:00:00.000Z',
  MessageAttributes: {
    tenant: { Type: 'String', Value: 'blue' },
    seal: { Type: 'Binary', Value: 'AP8H' },
  },
};

const RECORD = {
  version: '1.0',
  requestContext: {
    requestId: '1',
    functionArn: 'arn:aws:lambda:eu-west-1:111122223333:function:bill:$LATEST',
    condition: 'RetriesExhausted',
  },
  requestPayload: { order: 7 },
};

const messageOf = (body: string) => ({ body, attributes: {}, messageId: 'kept' });

describe('A letter', () => {
  test('goes as it is where nothing else is asked', () => {
    const message = messageOf(JSON.stringify(ENVELOPE));
    expect(inForm(message, 'as-they-are')).toBe(message);
  });

  test('goes out of its envelope as SNS sends it raw, with its attributes', () => {
    expect(inForm(messageOf(JSON.stringify(ENVELOPE)), 'unwrapped')).toEqual({
      messageId: 'kept',
      body: 'hello',
      attributes: {
        tenant: { DataType: 'String', StringValue: 'blue' },
        seal: { DataType: 'Binary', BinaryValue: Buffer.from([0, 255, 7]) },
      },
    });
  });

  test('that has no envelope stays as it is', () => {
    const message = messageOf('hello');
    expect(inForm(message, 'unwrapped')).toBe(message);
  });

  test('for a function has another replay, and is the event of the invocation a record tells of', () => {
    expect(inForm(messageOf(withReplayMark('{"order":7}')), 'event').body).toBe('{"order":7}');
    expect(inForm(messageOf(JSON.stringify(RECORD)), 'event').body).toBe('{"order":7}');
    expect(inForm(messageOf('{"requestPayload":1}'), 'event').body).toBe('{"requestPayload":1}');
    expect(inForm(messageOf('no JSON'), 'event').body).toBe('no JSON');
  });
});
