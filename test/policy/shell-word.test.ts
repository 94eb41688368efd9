import { execFileSync } from 'node:child_process';
import { shellWord } from '../../policy/shell-word';

describe('a word for a shell', () => {
  test.each(['orders-dlq', 'arn:aws:sqs:eu-central-1:123456789012:orders.fifo', '--rate=5', 'https://a.example/x'])(
    'is %s as it is',
    text => {
      expect(shellWord(text)).toBe(text);
    },
  );

  test.each(['', 'a b', "it's", '$(id)', '`id`', "data.id == 'x' && a > `1`", 'a\nb', '"', '\\', '*', 'a;b', "''"])(
    'is %j when the shell has read it',
    text => {
      const command = `printf %s ${shellWord(text)}`;
      expect(execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' })).toBe(text);
    },
  );
});
