import fc from 'fast-check';
import type { QueueAttributes } from '../../../policy/messages/queue-attributes';
import {
  type DeadLetterFacts,
  deadLetterAttributes,
  quarantineAttributes,
} from '../../../policy/messages/reason-attributes';

describe('the reason on a dead letter', () => {
  const FACTS: DeadLetterFacts = {
    cause: 'refused',
    reason: 'the endpoint refuses it (404)',
    attemptsSpent: 12,
    lastStatusCode: 404,
    sentAtMs: Date.UTC(2026, 0, 5, 9),
    firstReceivedAtMs: Date.UTC(2026, 0, 5, 9, 0, 2),
    deadLetteredAtMs: Date.UTC(2026, 0, 6, 17, 30),
    destination: 'https://partner.example.com/orders',
  };

  const REPORTED: QueueAttributes = {
    DeadLetterCause: { DataType: 'String', StringValue: 'refused' },
    DeadLetterReason: { DataType: 'String', StringValue: 'the endpoint refuses it (404)' },
    AttemptsSpent: { DataType: 'Number', StringValue: '12' },
    LastStatusCode: { DataType: 'Number', StringValue: '404' },
    Destination: { DataType: 'String', StringValue: 'https://partner.example.com/orders' },
    SentAt: { DataType: 'String', StringValue: '2026-01-05T09:00:00.000Z' },
    FirstReceivedAt: { DataType: 'String', StringValue: '2026-01-05T09:00:02.000Z' },
    DeadLetteredAt: { DataType: 'String', StringValue: '2026-01-06T17:30:00.000Z' },
  };

  function texts(...names: readonly string[]): QueueAttributes {
    return Object.fromEntries(names.map(name => [name, { DataType: 'String', StringValue: 'x' }]));
  }

  function bytes(attributes: QueueAttributes): number {
    return Object.entries(attributes)
      .map(
        ([name, { DataType, StringValue = '', BinaryValue }]) =>
          name.length + DataType.length + (BinaryValue?.length ?? Buffer.byteLength(StringValue)),
      )
      .reduce((sum, each) => sum + each, 0);
  }

  test('says why, when and where the message failed', () => {
    expect(deadLetterAttributes(FACTS, '{}')).toEqual({ attributes: REPORTED, omitted: [] });
  });

  test('has no last status without an answer', () => {
    const { lastStatusCode: _, ...unanswered } = FACTS;
    const { LastStatusCode: __, ...reported } = REPORTED;
    expect(deadLetterAttributes(unanswered, '{}')).toEqual({ attributes: reported, omitted: [] });
  });

  test('leaves out an empty text, which SQS refuses', () => {
    const { attributes, omitted } = deadLetterAttributes({ ...FACTS, destination: '' }, '{}');
    expect(Object.keys(attributes)).not.toContain('Destination');
    expect(omitted).toEqual([]);
  });

  test('replaces characters that SQS refuses', () => {
    const reason = 'tab\tline\r\nbell\u0007 half\ud800 none\ufffe whole😀 é\ud7ff\ue000\ufffd\u{10ffff}';
    const { attributes } = deadLetterAttributes({ ...FACTS, reason }, '{}');
    expect(attributes['DeadLetterReason']?.StringValue).toBe(
      'tab\tline\r\nbell\ufffd half\ufffd none\ufffd whole😀 é\ud7ff\ue000\ufffd\u{10ffff}',
    );
  });

  describe('The attributes that the message came with', () => {
    test('fill up the ten attributes that SQS allows, and the names of the others are listed', () => {
      const { attributes, omitted } = deadLetterAttributes(FACTS, '{}', texts('a', 'b', 'c', 'd'));
      expect(attributes).toEqual({ ...REPORTED, ...texts('a', 'b') });
      expect(omitted).toEqual(['c', 'd']);
    });

    test('keep their binary values', () => {
      const original = { key: { DataType: 'Binary.png', BinaryValue: Uint8Array.of(1, 2, 3) } };
      expect(deadLetterAttributes(FACTS, '{}', original).attributes).toEqual({ ...REPORTED, ...original });
    });

    test('are replaced by the relay’s attributes of the same name', () => {
      const { attributes, omitted } = deadLetterAttributes(FACTS, '{}', texts('AttemptsSpent', 'a'));
      expect(attributes).toEqual({ ...REPORTED, ...texts('a') });
      expect(omitted).toEqual([]);
    });
  });

  // aws-semantics.md section 7: 1,048,576 bytes, names, types and values of attributes included.
  describe('The limit of 1,048,576 bytes', () => {
    const LIMIT = 1_048_576;

    test('keeps all attributes of a message that just fits', () => {
      const body = 'x'.repeat(LIMIT - bytes(REPORTED));
      expect(deadLetterAttributes(FACTS, body)).toEqual({ attributes: REPORTED, omitted: [] });
    });

    test('removes the last attribute if there is one byte more', () => {
      const body = 'x'.repeat(LIMIT - bytes(REPORTED) + 1);
      const { DeadLetteredAt: _, ...others } = REPORTED;
      expect(deadLetterAttributes(FACTS, body)).toEqual({ attributes: others, omitted: ['DeadLetteredAt'] });
    });

    test('SQS accepts every message with a reason, and attributes that are left out are listed', () => {
      const originals = fc.dictionary(fc.stringMatching(/^[A-Za-z]{1,8}$/), fc.string({ minLength: 1 }), {
        maxKeys: 12,
      });
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 1_000 }), originals, (free, values) => {
          const body = 'x'.repeat(LIMIT - free);
          const original = Object.fromEntries(
            Object.entries(values).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
          );
          const { attributes, omitted } = deadLetterAttributes(FACTS, body, original);
          expect(bytes(attributes)).toBeLessThanOrEqual(free);
          expect(Object.keys(attributes).length).toBeLessThanOrEqual(10);
          const named = new Set([...Object.keys(attributes), ...omitted]);
          expect(named).toEqual(new Set([...Object.keys(REPORTED), ...Object.keys(original)]));
        }),
      );
    });
  });
});

const FACTS = {
  cause: 'came-back',
  reason: 'was replayed, and the function failed again',
  quarantinedAtMs: Date.UTC(2026, 0, 5, 9),
  sentAtMs: Date.UTC(2026, 0, 5, 8),
  sourceArn: 'arn:aws:sqs:us-east-1:123456789012:dead',
} as const;

const text = (StringValue: string) => ({ DataType: 'String', StringValue });

const SAID = {
  QuarantineCause: text('came-back'),
  QuarantineReason: text('was replayed, and the function failed again'),
  QuarantinedFrom: text('arn:aws:sqs:us-east-1:123456789012:dead'),
  QuarantinedAt: text('2026-01-05T09:00:00.000Z'),
  DeadLetterSentAt: text('2026-01-05T08:00:00.000Z'),
};

describe('The attributes of a message in quarantine', () => {
  test('are added to the reason of Lambda', () => {
    const original = {
      RequestID: text('5e1ca6a2'),
      ErrorCode: { DataType: 'Number', StringValue: '200' },
      ErrorMessage: text('no'),
    };
    expect(quarantineAttributes(FACTS, '{}', original)).toEqual({
      attributes: { ...SAID, ...original },
      omitted: [],
    });
  });

  test('come before other attributes if there is no room for all: ten attributes, and 1 MiB in all', () => {
    const original = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`own${index}`, text('x')]));
    const { attributes, omitted } = quarantineAttributes(FACTS, '{}', original);
    expect(Object.keys(attributes)).toEqual([...Object.keys(SAID), 'own0', 'own1', 'own2', 'own3', 'own4']);
    expect(omitted).toEqual(['own5', 'own6', 'own7', 'own8', 'own9']);
    expect(quarantineAttributes(FACTS, 'x'.repeat(1_048_576), {}).attributes).toEqual({});
  });
});
