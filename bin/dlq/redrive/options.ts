import { BadInput } from '../../../account/errors';
import { filterOf, type Match } from '../../../account/manual-redrive/filter';
import { dloCommand, type Site } from '../../../account/printed-commands';
import type { ManualRedriveOptions } from '../../../diagnosis/manual-redrive/facts';
import { wholeNumber } from '../../../policy/json-members';
import type { QueueMessage } from '../../../policy/messages/decode-message';
import { formatProblem } from '../../../policy/problem';
import { MOVE_LIMITS } from '../../../policy/redrive/redrive-settings';
import type { DlqOptions } from '../command';

/** What `dlo dlq redrive` is told. */
export interface RedriveOptions extends DlqOptions {
  readonly to?: string;
  readonly rate?: string;
  readonly canary?: string;
  readonly filter?: string;
  readonly force?: boolean;
  /** The id of a plan, or that there is none. @default - it only plans */
  readonly execute?: string | true;
}

/** Our choice: what most consumers take, and ten times less than SQS can. */
export const DEFAULT_RATE = 50;

/** Our choice: enough to see a failure that is not rare, and few enough to see it ten times. */
export const DEFAULT_CANARY = 10;

/** Our choice: a canary is few. */
const MOST_CANARIES = 10_000;

/** What letters are moved by, and which of them. */
export interface RedriveInput {
  readonly terms: ManualRedriveOptions;
  /** Whether letters are received although each time brings them nearer to yet another dead-letter queue. */
  readonly isForced: boolean;
  /** @default - all go */
  readonly matches?: (message: QueueMessage) => Match;
}

/**
 * Reads what a user gave.
 * @throws BadInput with all that is wrong with it
 */
export function readRedriveInput({ to, rate, canary, filter, force = false }: RedriveOptions): RedriveInput {
  const { min, max } = MOVE_LIMITS.messagesPerSecond;
  const messagesPerSecond = rate === undefined ? DEFAULT_RATE : Number(rate);
  const canaries = canary === undefined ? DEFAULT_CANARY : Number(canary);
  const problems = [
    ...wholeNumber(min, max)(messagesPerSecond, '--rate'),
    ...wholeNumber(0, MOST_CANARIES)(canaries, '--canary'),
  ];
  if (problems.length > 0) throw new BadInput(problems.map(formatProblem));
  return {
    isForced: force,
    terms: {
      messagesPerSecond,
      canary: canaries,
      ...(to !== undefined && { to }),
      ...(filter !== undefined && { filter }),
    },
    ...(filter !== undefined && { matches: filterOf(filter) }),
  };
}

/** What can be typed next. */
export interface Typed {
  /** The same command once more, without `--execute` and `--json`. */
  readonly command: string;
  readonly site: Site;
}

/** How a command goes on that was typed for a queue. */
export function typedFor(queue: string, options: RedriveOptions, site: Site): Typed {
  const { to, rate, canary, filter, force = false } = options;
  const given = Object.entries({ to, rate, canary, filter }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const words = ['dlq', 'redrive', queue, ...given, ...(force ? ['--force'] : [])];
  return { command: dloCommand(words, site), site };
}
