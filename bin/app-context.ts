import { BadInput } from '../account/errors';
import type { RentalOrdersProps } from '../examples/rental';
import { formatProblem, type Problem } from '../policy/problem';

/** The settings of the rental backend in the CDK context. */
export interface AppSettings {
  /** The name of the stack, `<prefix>Orders`. Another prefix is another stack. */
  readonly stackName: string;
  readonly rentalOrders: RentalOrdersProps;
}

/** Reads a value of the context, from `-c name=value` or `cdk.json`. */
export type ReadContext = (name: string) => unknown;

const DEFAULT_PREFIX = 'Rental';

/** A prefix that is allowed in a stack name. RentalOrders itself also allows underscores, and digits at the beginning. */
const STACK_PREFIX = /^[A-Za-z][A-Za-z0-9-]{0,49}$/;

function prefixProblems(prefix: string | undefined): Problem[] {
  if (prefix === undefined || STACK_PREFIX.test(prefix)) return [];
  const rule =
    'must have 1 to 50 characters A-Z, a-z, 0-9 and -, and begin with A-Z or a-z, because it is part of the stack name';
  return [{ property: 'namePrefix', rule, value: prefix }];
}

/**
 * Reads the settings from the context. An empty text counts as absent.
 *
 * @throws BadInput that names each invalid value
 */
export function readSettings(read: ReadContext): AppSettings {
  const problems: Problem[] = [];

  function text(property: string): string | undefined {
    const value = read(property);
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'string') return value;
    problems.push({ property, rule: 'must be a string', value });
    return undefined;
  }

  function flag(property: string): boolean | undefined {
    const value = read(property);
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'boolean') return value;
    if (value === 'true' || value === 'false') return value === 'true';
    problems.push({ property, rule: 'must be true or false', value });
    return undefined;
  }

  const namePrefix = text('namePrefix');
  const rentalOrders: RentalOrdersProps = {
    opsEmail: text('opsEmail'),
    billingEndpoint: text('billingEndpoint'),
    systems: flag('systems'),
    namePrefix,
    setAccountLoggingRole: flag('setAccountLoggingRole'),
  };
  problems.push(...prefixProblems(namePrefix));
  if (problems.length > 0) throw new BadInput(problems.map(formatProblem));
  return { stackName: `${namePrefix ?? DEFAULT_PREFIX}Orders`, rentalOrders };
}
