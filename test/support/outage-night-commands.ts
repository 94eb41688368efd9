import type { AwsCall } from '../../diagnosis/fixes/fix';
import { OperatedAccount } from '../bin/operated-account';
import { MemoryIo } from '../bin/shared/memory-io';
import { applyCalls } from './apply-fix';
import type { Night } from './outage-night';
import { shellWords } from './shell';

/** Returns the next command, from what the terminal has shown so far. */
export type Step = (shown: readonly string[]) => string;

/** The newest line that begins with this text, without its indentation. */
export const line =
  (start: string): Step =>
  shown => {
    const lines = shown.flatMap(text => text.split('\n').map(it => it.trim()));
    const found = lines.findLast(it => it.startsWith(start));
    if (found === undefined) throw new Error(`the terminal showed no line that begins with ${start}`);
    return found;
  };

/** `set-queue-attributes` is `SetQueueAttributes`. */
function operationOf(words: string): string {
  return words.replace(/(?:^|-)(\w)/g, (_, message: string) => message.toUpperCase());
}

/** The API call of an `aws` command. */
function callOf([, service = '', operation = '', ...options]: readonly string[]): AwsCall {
  const input = options[options.indexOf('--cli-input-json') + 1] ?? '';
  return { service, operation: operationOf(operation), input: JSON.parse(input) };
}

/** An operator at a terminal, who types commands that it has printed. Each command comes a minute after the last. */
export class AtWork {
  private readonly operator: OperatedAccount;
  private readonly io = new MemoryIo();

  constructor(private readonly night: Night) {
    this.operator = new OperatedAccount(night.shop, night.url, 'dlq');
  }

  /** Types a command and answers its questions with the name in them. Returns everything that the terminal shows. */
  async type(typed: string): Promise<string> {
    await this.night.shop.advance({ minutes: 1 });
    const words = shellWords(typed);
    if (words[0] === 'dlo') return this.dlo(words.slice(1));
    if (words[0] !== 'aws') throw new Error(`only dlo and aws commands can be typed: got ${typed}`);
    await applyCalls(this.night.url, [callOf(words)]);
    return '';
  }

  private async dlo(words: readonly string[]): Promise<string> {
    let asked = '';
    this.io.answer = question => {
      const answer = /Type (\S+) to/.exec(question)?.[1] ?? '';
      asked += `${question}${answer}\n`;
      return answer;
    };
    const { out, err } = await this.operator.typed(words, {}, this.io);
    // Over the wire, the embedded AWS names queues by its own address.
    return `${err}${asked}${out}`.replaceAll(this.night.url, 'https://sqs.us-east-1.amazonaws.com');
  }
}
