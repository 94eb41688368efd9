import { awsText, formatProblem, formatValue } from '../../policy/problem';

test('A problem is a sentence: the property, the rule, and the value', () => {
  const problem = { property: 'healthyRetryPolicy.numRetries', rule: 'must be less than or equal to 100', value: 101 };
  expect(formatProblem(problem)).toBe('healthyRetryPolicy.numRetries must be less than or equal to 100, got 101');
  expect(formatProblem({ ...problem, value: 3, isDefault: true })).toBe(
    'healthyRetryPolicy.numRetries must be less than or equal to 100, got 3 (the default)',
  );
});

test('SNS’s answer has the property and the rule, unless SNS has a text of its own', () => {
  const problem = { property: 'numRetries', rule: 'must be less than or equal to 100', value: 101 };
  expect(awsText(problem)).toBe('numRetries must be less than or equal to 100');
  expect(awsText({ ...problem, awsText: 'too many' })).toBe('too many');
});

test.each([
  [undefined, 'nothing'],
  [null, 'null'],
  [1.5, '1.5'],
  [Number.NaN, 'NaN'],
  [Number.NEGATIVE_INFINITY, '-Infinity'],
  ['5', '"5"'],
  [[1, 2], '[1,2]'],
  [{ a: 1 }, '{"a":1}'],
  [10n, '10'],
  [Symbol.for('x'), 'Symbol(x)'],
])('%p is shown as %s', (value, text) => {
  expect(formatValue(value)).toBe(text);
});

test('A long value is cut at 120 characters', () => {
  expect(formatValue('x'.repeat(118))).toBe(`"${'x'.repeat(118)}"`);
  expect(formatValue('x'.repeat(119))).toBe(`"${'x'.repeat(118)}…`);
});
