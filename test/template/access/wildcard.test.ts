import fc from 'fast-check';
import { arnMatcher, parsePattern, wildcardMatcher } from '../../../template/access/wildcard';

const matches = (pattern: string, text: string): boolean => wildcardMatcher(parsePattern(pattern))(text);
const arnMatches = (pattern: string, text: string): boolean => arnMatcher(parsePattern(pattern))(text);

/** The meaning of wildcards as a regular expression: slow, so the tests use few characters. */
function reference(pattern: string, text: string): boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\/-]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.');
  return new RegExp(`^${escaped}$`, 's').test(text);
}

const smallAlphabet = fc.string({ unit: fc.constantFrom('a', 'b', ':', '.'), maxLength: 12 });
const smallPattern = fc.string({ unit: fc.constantFrom('a', 'b', ':', '.', '*', '?'), maxLength: 8 });

describe('a wildcard pattern', () => {
  it.each([
    ['*', '', true],
    ['sqs:*', 'sqs:SendMessage', true],
    ['sqs:Send*', 'sqs:ReceiveMessage', false],
    ['kms:GenerateDataKey*', 'kms:GenerateDataKey', true],
    ['arn:aws:sqs:*:*:orders-?', 'arn:aws:sqs:us-east-1:123456789012:orders-1', true],
    ['arn:aws:sqs:*:*:orders-?', 'arn:aws:sqs:us-east-1:123456789012:orders-', false],
    ['*Message', 'SendMessageBatch', false],
    ['a*b*c', 'a-b-b-c', true],
    ['', 'a', false],
    ['a.c', 'abc', false],
  ])('%s against %s: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  it('matches what its meaning in regular expressions matches', () => {
    fc.assert(
      fc.property(smallPattern, smallAlphabet, (pattern, text) => {
        expect(matches(pattern, text)).toBe(reference(pattern, text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('without wildcards matches exactly itself', () => {
    fc.assert(
      fc.property(smallAlphabet, smallAlphabet, (pattern, text) => {
        expect(matches(pattern, text)).toBe(pattern === text);
      }),
    );
  });

  it('still matches when a part of what it matched becomes a star', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.nat(), (text, a, b) => {
        const from = Math.min(a, b) % (text.length + 1);
        const to = Math.max(from, Math.max(a, b) % (text.length + 1));
        expect(matches(`${text.slice(0, from)}*${text.slice(to)}`, text)).toBe(true);
      }),
    );
  });

  it('with many stars does not take for ever against a text that almost matches', () => {
    expect(matches(`${'a*'.repeat(60)}b`, 'a'.repeat(5_000))).toBe(false);
  });
});

describe('an ARN pattern in a condition', () => {
  it.each([
    ['arn:aws:sns:us-east-1:123456789012:*', 'arn:aws:sns:us-east-1:123456789012:rental', true],
    ['arn:aws:sns:*:123456789012:rental', 'arn:aws:sns:eu-west-1:123456789012:rental', true],
    ['arn:*:sns:*:*:*', 'arn:aws-cn:sns:cn-north-1:123456789012:rental:sub', true],
    ['arn:aws:cloudwatch:*:*:alarm:*', 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:Dlq', true],
    ['arn:aws:sns:us-east-1:123456789012:rental', 'arn:aws:sns:us-east-1:123456789012:rental2', false],
  ])('%s against %s: %s', (pattern, text, expected) => {
    expect(arnMatches(pattern, text)).toBe(expected);
  });

  it('keeps each star within its part, so an account cannot be skipped over', () => {
    expect(arnMatches('arn:aws:sns:*:rental', 'arn:aws:sns:us-east-1:123456789012:rental')).toBe(false);
    expect(arnMatches('arn:aws:s*:us-east-1:123456789012:rental', 'arn:aws:sns:us-east-1:123456789012:rental')).toBe(
      true,
    );
  });

  it('that is no ARN matches nothing', () => {
    expect(arnMatches('*', 'arn:aws:sns:us-east-1:123456789012:rental')).toBe(false);
    expect(arnMatches('arn:aws:sns:*:*:*', 'rental')).toBe(false);
  });
});
