import { quarantineAttributes } from '../../../policy/redrive/quarantine';

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

describe('What is said of a letter in quarantine', () => {
  test('stands beside what Lambda said of it', () => {
    const original = {
      RequestID: text('5e1ca6a2'),
      ErrorCode: { DataType: 'Number', StringValue: '200' },
      ErrorMessage: text('no'),
    };
    expect(quarantineAttributes(FACTS, '{}', original)).toEqual({ attributes: { ...SAID, ...original }, omitted: [] });
  });

  test('comes first where there is no room for everything: ten attributes, and a mebibyte in all', () => {
    const original = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`own${index}`, text('x')]));
    const { attributes, omitted } = quarantineAttributes(FACTS, '{}', original);
    expect(Object.keys(attributes)).toEqual([...Object.keys(SAID), 'own0', 'own1', 'own2', 'own3', 'own4']);
    expect(omitted).toEqual(['own5', 'own6', 'own7', 'own8', 'own9']);
    expect(quarantineAttributes(FACTS, 'x'.repeat(1_048_576), {}).attributes).toEqual({});
  });
});
