import { dloCommand, type Site } from '../../../account/connection/printed-commands';
import type { ManualRedriveOptions } from '../../../diagnosis/manual-redrive/hand-facts';
import { wholeNumber } from '../../../policy/members';
import type { QueueMessage } from '../../../policy/messages/decoded-letter';
import { formatProblem } from '../../../policy/problem';
import { MOVE_LIMITS } from '../../../policy/redrive/redrive-limits';
import { BadInput } from '../../errors';
import { filterOf, type Match } from './filter';
import { DEFAULT_CANARY, DEFAULT_RATE, type RedriveOptions } from './redrive-options';

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
