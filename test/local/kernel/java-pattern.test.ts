import { matchesJavaPattern } from '../../../local/kernel/java-pattern';

const LONG = 'a'.repeat(2_000);

describe('a pattern of Java', () => {
  it.each<[string, string, boolean]>([
    ['[a-z]+', 'abc', true],
    ['[a-z]+', 'abc1', false],
    ['a|b', 'ab', false],
    ['(a+)+$', `${'a'.repeat(5_000)}!`, false],
    ['(?i)ABC', 'abc', true],
    [String.raw`caf\u00e9`, 'café', true],
    [String.raw`[\u00e0-\u00ff]+`, 'éè', true],
    [String.raw`\\u00e9`, String.raw`\u00e9`, true],
    ['.{0,2048}', 'abc', true],
    ['[a-z]{5,4096}', 'abc', false],
    [String.raw`\{1,2000}`, '{1,2000}', true],
    ['[{1,2000}]+', '{0}', true],
    ['(?=.*[A-Z])(?=.*\\d).{4,}', 'abC1', true],
    ['^(?=.*[A-Z])(?=.*\\d).{4,}$', 'abc1', false],
    ['(?!aws|AWS)[a-zA-Z]+', 'awsome', false],
    ['(?!aws|AWS)[a-zA-Z]+', 'ours', true],
    ['(?=[)(|]*x)[)(|]+x', '()|x', true],
    ['(?=a)(b|ab)', 'ab', true],
  ])('%s, for %.20s: %s', (pattern, text, isMatch) => {
    expect(matchesJavaPattern(pattern, text)).toBe(isMatch);
  });

  it.each([
    ['(', 'a'],
    ['a(?=b)b', 'ab'],
    ['(?<=a)b', 'ab'],
    [String.raw`(a)\1`, 'aa'],
    ['(?=a)a|b', 'b'],
    ['a++', 'a'],
    ['.{0,2048}', LONG],
  ])('is not read: %s', (pattern, text) => {
    expect(matchesJavaPattern(pattern, text)).toBeUndefined();
  });
});
