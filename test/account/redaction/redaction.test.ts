import { Redaction } from '../../../account/redaction/redaction';
import type { QueueMessage } from '../../../policy/messages/decode-message';

const messageWith = (body: string): QueueMessage => ({
  messageId: 'm',
  body,
  attributes: {},
  sentAtMs: 0,
  firstReceivedAtMs: 0,
  receiveCount: 1,
});

const shown = (body: string, ...paths: string[]) => new Redaction(paths).message(messageWith(body)).body;

const SECRET = '4111111111111111';

const X = '[redacted]';

describe('redaction', () => {
  test.each<[string, unknown, unknown]>([
    ['card.number', { card: { number: SECRET, kind: 'visa' } }, { card: { number: X, kind: 'visa' } }],
    ['card', { card: { number: SECRET }, id: 7 }, { card: X, id: 7 }],
    [
      'number',
      { a: [{ number: 1 }, { number: null }], number: { deep: true } },
      { a: [{ number: X }, { number: X }], number: X },
    ],
    [
      'customers[*].email',
      { customers: [{ email: 'a@b' }, { name: 'c' }] },
      { customers: [{ email: X }, { name: 'c' }] },
    ],
    ['lines[-1]', { lines: [1, 2] }, { lines: [1, X] }],
    ['*.secret', { a: { secret: 1 }, b: { secret: 2 } }, { a: { secret: X }, b: { secret: X } }],
    [
      "fields[?name=='iban'].value",
      {
        fields: [
          { name: 'iban', value: 'DE1' },
          { name: 'city', value: 'Ulm' },
        ],
      },
      {
        fields: [
          { name: 'iban', value: X },
          { name: 'city', value: 'Ulm' },
        ],
      },
    ],
    ['"a.b"', { 'a.b': 1, a: { b: 2 } }, { 'a.b': X, a: { b: 2 } }],
    ['card.number', { detail: { card: { number: SECRET } } }, { detail: { card: { number: X } } }],
    [
      'card.number',
      { inner: JSON.stringify({ card: { number: SECRET } }) },
      { inner: JSON.stringify({ card: { number: X } }) },
    ],
    ['card.number', { nothing: 'here' }, { nothing: 'here' }],
  ])('%s of %j', (path, body, expected) => {
    expect(JSON.parse(shown(JSON.stringify(body), path))).toEqual(expected);
  });

  test('hides a body that is not JSON, and a text in an envelope, and nothing without a path', () => {
    expect(shown(`card ${SECRET}`, 'card')).toBe('[redacted: not JSON]');
    expect(shown('{"cut":', 'card')).toBe('[redacted: not JSON]');
    const TopicArn = 'arn:aws:sns:us-east-1:123456789012:orders';
    const envelope = JSON.stringify({
      Type: 'Notification',
      MessageId: 'n',
      TopicArn,
      Message: SECRET,
      Timestamp: '2026-01-01T00:00:00.000Z',
    });
    expect(JSON.parse(shown(envelope, 'card'))).toMatchObject({ TopicArn, Message: '[redacted: not JSON]' });
    expect(shown('plain')).toBe('plain');
  });

  test('hides what it found in every other text, as it is and inside of JSON, and leaves short values', () => {
    const redaction = new Redaction(['card', 'pin', 'note']);
    redaction.observe(
      messageWith(JSON.stringify({ card: { number: SECRET, of: 'Jo "J" Doe' }, pin: 12, note: 'abc' })),
    );
    expect(
      redaction.everywhere({
        line: `12 abc refused ${SECRET}0`,
        json: JSON.stringify({ who: 'Jo "J" Doe' }),
        deep: [{ text: SECRET }],
        bytes: Uint8Array.of(1),
      }),
    ).toEqual({
      line: `12 abc refused ${X}0`,
      json: `{"who":"${X}"}`,
      deep: [{ text: X }],
      bytes: Uint8Array.of(1),
    });
  });

  test.each(['', 'card.', 'length(card)', 'card | number', '{a: b}', 'card[', 'a[?]', "a[?b=='"])(
    'refuses the path %j',
    path => {
      expect(() => new Redaction([path])).toThrow(/--redact/);
    },
  );
});
