import { BadInput } from '../account/errors';
import type { RentalOrdersProps } from '../examples/rental';
import { formatProblem, type Problem } from '../policy/problem';

/** What the CDK context says of the rental backend. */
export interface AppSettings {
  /** The name of the stack, `<prefix>Orders`: another prefix is another stack, and leaves the first alone. */
  readonly stackName: string;
  readonly rentalOrders: RentalOrdersProps;
}

/** Reads one value of the context: `-c name=value`, or `cdk.json`. */
export type ReadContext = (name: string) => unknown;

const DEFAULT_PREFIX = 'Rental';

/** What the stack may be named after; RentalOrders itself takes underscores and digits first too. */
const STACK_PREFIX = /^[A-Za-z][A-Za-z0-9-]{0,49}$/;

function prefixProblems(prefix: string | undefined): Problem[] {
  if (prefix === undefined || STACK_PREFIX.test(prefix)) return [];
  const rule = 'must be 1 to 50 letters, digits and hyphens, a letter first, for the stack is named after it';
  return [{ property: 'namePrefix', rule, value: prefix }];
}

/**
 * The settings in the context; an empty text counts as absent.
 *
 * @throws BadInput naming each value that is not of its kind
 */
export function readSettings(read: ReadContext): AppSettings {
  const problems: Problem[] = [];

  function text(property: string): string | undefined {
    const value = read(property);
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'string') return value;
    problems.push({ property, rule: 'must be a text', value });
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
    namePrefix,
    setAccountLoggingRole: flag('setAccountLoggingRole'),
  };
  problems.push(...prefixProblems(namePrefix));
  if (problems.length > 0) throw new BadInput(problems.map(formatProblem));
  return { stackName: `${namePrefix ?? DEFAULT_PREFIX}Orders`, rentalOrders };
}
