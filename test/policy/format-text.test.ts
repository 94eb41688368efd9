import { execFileSync } from 'node:child_process';
import {
  andMore,
  capitalized,
  formatDuration,
  formatNumber,
  messagesText,
  roughDuration,
  shellWord,
} from '../../policy/format-text';

describe('wording', () => {
  test.each([
    [0, '0 s'],
    [0.004, '0 s'],
    [0.005, '0.01 s'],
    [60.005, '1 min 0.01 s'],
    [1.117, '1.12 s'],
    [59.994, '59.99 s'],
    [59.996, '1 min'],
    [60, '1 min'],
    [61.5, '1 min 1.5 s'],
    [3_600, '1 h'],
    [3_661, '1 h 1 min 1 s'],
    [86_399, '23 h 59 min 59 s'],
    [86_400, '1 d'],
    [86_431, '1 d 1 min'],
    [2_000_049.67, '23 d 3 h 34 min'],
  ])('%p seconds are %s', (seconds, words) => {
    expect(formatDuration(seconds)).toBe(words);
  });

  test('numbers have thousands separators, and two decimals', () => {
    expect(formatNumber(100_015)).toBe('100,015');
    expect(formatNumber(30.4423)).toBe('30.44');
  });

  test.each([
    [-1_000, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [119_999, '1 min'],
    [3_599_000, '59 min'],
    [7_380_000, '2 h 3 min'],
    [86_399_999, '23 h 59 min'],
    [86_400_000, '1 d'],
    [93_599_000, '1 d 1 h'],
  ])('%p milliseconds are roughly %s: the two largest units, rounded down', (milliseconds, words) => {
    expect(roughDuration(milliseconds)).toBe(words);
  });

  test.each([
    ['the role bill', 'The role bill'],
    ['', ''],
  ])('%j is %j at the beginning of a sentence', (text, sentence) => {
    expect(capitalized(text)).toBe(sentence);
  });

  test('one message is singular', () => {
    expect(messagesText(1)).toBe('1 message');
    expect(messagesText(1_200)).toBe('1,200 messages');
  });

  test('a long list shows the first items and the number of the others', () => {
    expect(andMore(['a', 'b'], 2)).toBe('a, b');
    expect(andMore(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more');
  });
});

describe('a word for a shell', () => {
  test.each(['orders-dlq', 'arn:aws:sqs:eu-central-1:123456789012:orders.fifo', '--rate=5', 'https://a.example/x'])(
    '%s is not quoted',
    text => {
      expect(shellWord(text)).toBe(text);
    },
  );

  test.each(['', 'a b', "it's", '$(id)', '`id`', "data.id == 'x' && a > `1`", 'a\nb', '"', '\\', '*', 'a;b', "''"])(
    'a shell reads %j back unchanged',
    text => {
      const command = `printf %s ${shellWord(text)}`;
      expect(execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' })).toBe(text);
    },
  );
});
