import type { AwsCall } from '../../diagnosis/fixes/fix';
import { OperatedAccount } from '../bin/operated-account';
import { MemoryIo } from '../bin/policy/memory-io';
import { applyCalls } from './apply-fix';
import type { Night } from './dlq-night';
import { shellWords } from './shell';

/** What is typed next, by what the terminal has shown so far. */
export type Step = (shown: readonly string[]) => string;

/** The newest line that begins like this, without what it is indented by. */
export const line =
  (start: string): Step =>
  shown => {
    const lines = shown.flatMap(text => text.split('\n').map(it => it.trim()));
    const found = lines.findLast(it => it.startsWith(start));
    if (found === undefined) throw new Error(`nothing that was shown begins with ${start}`);
    return found;
  };

/** `set-queue-attributes` is `SetQueueAttributes`. */
function operationOf(words: string): string {
  return words.replace(/(?:^|-)(\w)/g, (_, message: string) => message.toUpperCase());
}

/** The call a typed `aws` command makes. */
function callOf([, service = '', operation = '', ...options]: readonly string[]): AwsCall {
  const input = options[options.indexOf('--cli-input-json') + 1] ?? '';
  return { service, operation: operationOf(operation), input: JSON.parse(input) };
}

/** Somebody on call at a terminal, who types what stands there already; each command comes a minute after the last. */
export class AtWork {
  private readonly operator: OperatedAccount;
  private readonly io = new MemoryIo();

  constructor(private readonly night: Night) {
    this.operator = new OperatedAccount(night.shop, night.url, 'dlq');
  }

  /** Types a command, and answers its questions with the name in them: all that the terminal shows then. */
  async type(typed: string): Promise<string> {
    await this.night.shop.advance({ minutes: 1 });
    const words = shellWords(typed);
    if (words[0] === 'dlo') return this.dlo(words.slice(1));
    if (words[0] !== 'aws') throw new Error(`nobody here can type ${typed}`);
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
    // As the embedded AWS names queues to who reaches it over the wire.
    return `${err}${asked}${out}`.replaceAll(this.night.url, 'https://sqs.us-east-1.amazonaws.com');
  }
}
