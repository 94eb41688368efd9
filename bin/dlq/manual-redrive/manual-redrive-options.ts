import type { RedriveInput } from '../../../account/manual-redrive/read-and-plan';
import { type RedriveTerms, redriveInputOf } from '../../../account/manual-redrive/redrive-terms';
import type { CommandOptions } from '../../shared/command-line';
import type { ChangeOptions } from '../queue-change';
import type { RedactOptions } from '../redact-option';

export interface ManualRedriveOptions
  extends CommandOptions,
    ChangeOptions,
    RedactOptions,
    Omit<RedriveTerms, 'rate' | 'canary'> {
  readonly rate?: string;
  readonly canary?: string;
  /** The id of a plan, or true without one. @default - only plan */
  readonly execute?: string | true;
}

/** The options that decide what is moved, and how. */
export function termsOf({ to, subscription, rate, canary, filter, force }: ManualRedriveOptions): RedriveTerms {
  return {
    ...(subscription !== undefined && { subscription }),
    ...(to !== undefined && { to }),
    ...(rate !== undefined && { rate: Number(rate) }),
    ...(canary !== undefined && { canary: Number(canary) }),
    ...(filter !== undefined && { filter }),
    ...(force !== undefined && { force }),
  };
}

/**
 * Validates the options of the command.
 * @throws BadInput with all problems
 */
export function readRedriveInput(options: ManualRedriveOptions): RedriveInput {
  return redriveInputOf(termsOf(options));
}
