import { MOVE_TASK_LIMITS } from '../../policy/aws-limits';
import { wholeNumber } from '../../policy/json-members';
import { formatProblem } from '../../policy/problem';
import { BadInput } from '../errors';
import { dloCommand, type Site } from '../printed-commands';
import { filterOf } from './filter';
import type { RedriveInput } from './read-and-plan';

/** What is moved, and how, as the user says it. */
export interface RedriveTerms {
  /** The ARN of a subscription: only its messages move. @default - all move */
  readonly subscription?: string;
  /** The ARN of a queue or a function. @default - where the messages were sent first */
  readonly to?: string;
  /** Messages a second, 1 to 500. @default 50 */
  readonly rate?: number;
  /** How many messages go first, 0 for none. @default 10 */
  readonly canary?: number;
  /** JMESPath: which messages move. @default - all */
  readonly filter?: string;
  /** Whether to receive although that brings messages nearer to another dead-letter queue. @default false */
  readonly force?: boolean;
}

/** Most consumers can handle it. SQS could move ten times as many. */
export const DEFAULT_RATE = 50;

/** Enough to notice a common failure, and few enough that it does little harm. */
export const DEFAULT_CANARY = 10;

/** A larger canary would be no canary. */
const MAX_CANARY = 10_000;

export function redriveInputOf(terms: RedriveTerms): RedriveInput {
  const { to, rate = DEFAULT_RATE, canary = DEFAULT_CANARY, filter, subscription, force = false } = terms;
  const { min, max } = MOVE_TASK_LIMITS.messagesPerSecond;
  const problems = [...wholeNumber(min, max)(rate, '--rate'), ...wholeNumber(0, MAX_CANARY)(canary, '--canary')];
  if (problems.length > 0) throw new BadInput(problems.map(formatProblem));
  return {
    isForced: force,
    options: {
      messagesPerSecond: rate,
      canary,
      ...(to !== undefined && { to }),
      ...(filter !== undefined && { filter }),
      ...(subscription !== undefined && { subscription }),
    },
    ...(filter !== undefined && { matches: filterOf(filter) }),
  };
}

/** Commands for the user to copy. */
export interface TypedRedrive {
  /** The command line of `dlo dlq redrive`, without `--execute` and `--json`. */
  readonly command: string;
  readonly site: Site;
}

export function typedRedrive(queue: string, terms: RedriveTerms, site: Site): TypedRedrive {
  const { to, rate, canary, filter, subscription, force = false } = terms;
  const given = Object.entries({ subscription, to, rate, canary, filter }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  const words = ['dlq', 'redrive', queue, ...given, ...(force ? ['--force'] : [])];
  return { command: dloCommand(words, site), site };
}
