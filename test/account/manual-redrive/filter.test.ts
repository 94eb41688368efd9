import { BadInput } from '../../../account/errors';
import { filterOf } from '../../../account/manual-redrive/filter';
import type { QueueMessage } from '../../../policy/messages/decode-message';

const envelope = (Message: string) =>
  JSON.stringify({
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: 'arn:aws:sns:eu-west-1:111122223333:news',
    Message,
    Timestamp: '2026-01-05T09:00:00.000Z',
  });

const messageOf = (body: string, more: Partial<QueueMessage> = {}): QueueMessage => ({
  messageId: 'm',
  body,
  attributes: {
    tenant: { DataType: 'String', StringValue: 'blue' },
    seal: { DataType: 'Binary', BinaryValue: Buffer.from([255]) },
  },
  sentAtMs: Date.UTC(2026, 0, 5, 9),
  firstReceivedAtMs: 0,
  receiveCount: 4,
  groupId: 'g',
  ...more,
});

const MESSAGE = messageOf('{"id":"R-0042","total":150,"tags":["a"],"none":[],"nothing":null}');

describe('A filter', () => {
  test.each([
    "data.id == 'R-0042'",
    'data.total >= `150`',
    "contains(data.tags, 'a')",
    "attributes.tenant == 'blue' && attributes.seal == '/w=='",
    'receiveCount > `3`',
    "starts_with(sentAt, '2026-01-05T09:00')",
    `sentAtMs == \`${Date.UTC(2026, 0, 5, 9)}\``,
    "groupId == 'g' && movedFromArn == null",
    "who.kind == 'plain'",
    "body != ''",
    'data',
  ])('takes the message: %s', expression => {
    expect(filterOf(expression)(MESSAGE)).toEqual({ kind: 'matches' });
  });

  test.each(["data.id == 'R-1'", 'data.none', 'data.nothing', 'data.nobody', '`false`', "''", '!data', '`{}`'])(
    'leaves the message: %s',
    expression => {
      expect(filterOf(expression)(MESSAGE)).toEqual({ kind: 'differs', reason: 'does not match the filter' });
    },
  );

  test('sees what a message was to deliver, whatever was put around it', () => {
    expect(filterOf("data.id == 'x' && who.kind == 'notification'")(messageOf(envelope('{"id":"x"}')))).toEqual({
      kind: 'matches',
    });
    expect(filterOf("data == 'plain text'")(messageOf('plain text'))).toEqual({ kind: 'matches' });
  });

  test('leaves a message of which it cannot be asked, and says so', () => {
    const filter = filterOf("contains(data.id, 'R')");
    expect(filter(MESSAGE)).toEqual({ kind: 'matches' });
    expect(filter(messageOf('{}'))).toEqual({
      kind: 'differs',
      reason: 'does not fit the filter: JMESPathTypeError',
    });
  });

  test.each([
    ['data.[', 6],
    ['data.id ==', 10],
    ['`1` === `1`', 6],
    ['data.id == "x', 11],
    ["data.id = 'x'", 8],
  ])('that is none is refused with its place: %s', (expression, at) => {
    expect(() => filterOf(expression)).toThrow(BadInput);
    expect(() => filterOf(expression)).toThrow(`\n  ${expression}\n  ${' '.repeat(at)}^`);
  });

  test.each(['', 'nobody(data)', 'length()', 'length(data, data)'])('that is none is refused: %j', expression => {
    expect(() => filterOf(expression)).toThrow(/^--filter must be a JMESPath expression, as in aws --query: \S/);
  });

  test('takes no number that JSON cannot tell from its neighbours, and says how to look for it', () => {
    const wrong = () => filterOf('data.id == `9007199254740993`');
    expect(wrong).toThrow(BadInput);
    expect(wrong).toThrow('no number beyond 2^53, which would be rounded: got 9007199254740993');
    expect(wrong).toThrow("contains(body, '9007199254740993')");
    expect(filterOf('data.total < `9007199254740991`')(MESSAGE)).toEqual({ kind: 'matches' });
  });

  test.each(['data[::0]', 'data.tags[::0] && data.id'])('that steps nowhere is refused: %s', expression => {
    expect(() => filterOf(expression)).toThrow(BadInput);
    expect(() => filterOf(expression)).toThrow('--filter cannot be evaluated: Invalid slice, step cannot be 0');
  });
});
