import { AwsError } from '../kernel/aws-error';

/** Something a member of a request has to be; `rule` is undefined where it is. */
export interface Constraint {
  /** As AWS's texts write it: `batchSize`, `scalingConfig.maximumConcurrency`. */
  readonly member: string;
  readonly value: unknown;
  /** For example `Member must have value less than or equal to 10`. */
  readonly rule: string | undefined;
}

/** A number within limits; one that is not given is. */
export function between(member: string, value: number | undefined, least: number, most: number): Constraint {
  const isLess = value !== undefined && value < least;
  const isMore = value !== undefined && value > most;
  const rule = isLess
    ? `Member must have value greater than or equal to ${least}`
    : `Member must have value less than or equal to ${most}`;
  return { member, value, rule: isLess || isMore ? rule : undefined };
}

/** One of a few texts; one that is not given is. */
export function oneOfSet(member: string, value: string | undefined, allowed: readonly string[]): Constraint {
  const isOne = value === undefined || allowed.includes(value);
  return { member, value, rule: isOne ? undefined : `Member must satisfy enum value set: [${allowed.join(', ')}]` };
}

/** A text of a form; one that is not given is. */
export function ofForm(member: string, value: string | undefined, form: RegExp): Constraint {
  const isOfForm = value === undefined || form.test(value);
  const pattern = form.source.replace(/^\^|\$$/g, '');
  return {
    member,
    value,
    rule: isOfForm ? undefined : `Member must satisfy regular expression pattern: ${pattern}`,
  };
}

/** @throws AwsError `ValidationException`, with everything that is wrong, in the order given */
export function check(...constraints: readonly Constraint[]): void {
  const problems = constraints.flatMap(({ member, value, rule }) =>
    rule === undefined ? [] : [`Value '${value}' at '${member}' failed to satisfy constraint: ${rule}`],
  );
  if (problems.length === 0) return;
  const errors = problems.length === 1 ? 'error' : 'errors';
  throw new AwsError('ValidationException', `${problems.length} validation ${errors} detected: ${problems.join('; ')}`);
}
