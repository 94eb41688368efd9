import { BadInput } from '../../../account/errors';
import { filterOf } from '../../../account/manual-redrive/filter';
import type { RedriveInput } from '../../../account/manual-redrive/read-and-plan';
import { dloCommand, type Site } from '../../../account/printed-commands';
import { MOVE_TASK_LIMITS } from '../../../policy/aws-limits';
import { wholeNumber } from '../../../policy/json-members';
import { formatProblem } from '../../../policy/problem';
import type { CommandOptions } from '../../shared/command-line';
import type { ChangeOptions } from '../queue-change';
import type { RedactOptions } from '../redact-option';

export interface ManualRedriveOptions extends CommandOptions, ChangeOptions, RedactOptions {
  readonly to?: string;
  readonly rate?: string;
  readonly canary?: string;
  readonly filter?: string;
  readonly subscription?: string;
  readonly force?: boolean;
  /** The id of a plan, or true without one. @default - only plan */
  readonly execute?: string | true;
}

/** Most consumers can handle it. SQS could move ten times as many. */
export const DEFAULT_RATE = 50;

/** Enough to notice a common failure, and few enough that it does little harm. */
export const DEFAULT_CANARY = 10;

/** A larger canary would be no canary. */
const MAX_CANARY = 10_000;

/**
 * Validates the options of the command.
 * @throws BadInput with all problems
 */
export function readRedriveInput(given: ManualRedriveOptions): RedriveInput {
  const { to, rate, canary, filter, subscription, force = false } = given;
  const { min, max } = MOVE_TASK_LIMITS.messagesPerSecond;
  const messagesPerSecond = rate === undefined ? DEFAULT_RATE : Number(rate);
  const canaries = canary === undefined ? DEFAULT_CANARY : Number(canary);
  const problems = [
    ...wholeNumber(min, max)(messagesPerSecond, '--rate'),
    ...wholeNumber(0, MAX_CANARY)(canaries, '--canary'),
  ];
  if (problems.length > 0) throw new BadInput(problems.map(formatProblem));
  return {
    isForced: force,
    options: {
      messagesPerSecond,
      canary: canaries,
      ...(to !== undefined && { to }),
      ...(filter !== undefined && { filter }),
      ...(subscription !== undefined && { subscription }),
    },
    ...(filter !== undefined && { matches: filterOf(filter) }),
  };
}

/** Commands for the user to copy. */
export interface Typed {
  /** The command line of this command, without `--execute` and `--json`. */
  readonly command: string;
  readonly site: Site;
}

export function typedFor(queue: string, options: ManualRedriveOptions, site: Site): Typed {
  const { to, rate, canary, filter, subscription, force = false } = options;
  const given = Object.entries({ subscription, to, rate, canary, filter }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const words = ['dlq', 'redrive', queue, ...given, ...(force ? ['--force'] : [])];
  return { command: dloCommand(words, site), site };
}
