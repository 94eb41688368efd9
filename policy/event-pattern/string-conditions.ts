import { type Address, isWithin, parseAddress } from '../ip-address';
import { EventPatternError, type LocatedJson, type Refusals } from './located-json';

export type FieldValue = string | number | boolean | null;

export type Condition = (value: FieldValue) => boolean;

/** Compiles the string operand of an operator. Values that are not strings do not match. */
export type StringOperator = (wanted: string) => Condition;

/** Returns a condition that a value is a string for which `test` holds. */
function onString(test: (value: string) => boolean): Condition {
  return value => typeof value === 'string' && test(value);
}

export const startsWith: StringOperator = wanted => onString(value => value.startsWith(wanted));
export const endsWith: StringOperator = wanted => onString(value => value.endsWith(wanted));

export const equalsIgnoringCase: StringOperator = wanted => {
  const lowerCase = wanted.toLowerCase();
  return onString(value => value.toLowerCase() === lowerCase);
};

export const startsWithIgnoringCase: StringOperator = wanted => {
  const lowerCase = wanted.toLowerCase();
  return onString(value => value.toLowerCase().startsWith(lowerCase));
};

export const endsWithIgnoringCase: StringOperator = wanted => {
  const lowerCase = wanted.toLowerCase();
  return onString(value => value.toLowerCase().endsWith(lowerCase));
};

export function not(condition: Condition): Condition {
  return value => !condition(value);
}

export function anyOf(conditions: readonly Condition[]): Condition {
  return value => conditions.some(holds => holds(value));
}

/**
 * An invalid wildcard. Its message names the position in bytes at which the matcher of AWS stops reading, counting the
 * opening quote as the first byte.
 */
class WildcardProblem extends Error {
  override readonly name = 'WildcardProblem';
}

function byteAt(pattern: string, index: number): number {
  return 1 + Buffer.byteLength(pattern.slice(0, index));
}

/** Returns the literal texts between the asterisks of a wildcard. */
export function literalsOf(pattern: string): readonly string[] {
  const found = [''];
  const append = (text: string): void => {
    found.push(`${found.pop() ?? ''}${text}`);
  };
  for (let i = 0; i < pattern.length; i += 1) {
    const [character = '', next] = [pattern[i], pattern[i + 1]];
    if (character === '*') {
      if (next === '*') throw new WildcardProblem(`Consecutive wildcard characters at pos ${byteAt(pattern, i)}`);
      found.push('');
    } else if (character !== '\\') {
      append(character);
    } else if (next === '*' || next === '\\') {
      append(next);
      i += 1;
    } else {
      throw new WildcardProblem(`Invalid escape character at pos ${byteAt(pattern, i)}`);
    }
  }
  return found;
}

/**
 * Compiles `{"wildcard": "dir/*.png"}`. An asterisk matches any characters, also none. A backslash escapes an asterisk
 * or a backslash. `isTooComplex` judges all wildcards of a field together.
 * @see
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#eb-filtering-wildcard-matching
 * @throws WildcardProblem
 */
function wildcardCondition(pattern: string): Condition {
  const [first = '', ...others] = literalsOf(pattern);
  const last = others.pop();
  if (last === undefined) return value => value === first;
  return onString(value => {
    if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false;
    let from = first.length;
    for (const piece of others) {
      const found = value.indexOf(piece, from);
      if (found < 0) return false;
      from = found + piece.length;
    }
    return from <= value.length - last.length;
  });
}

export function wildcardCount(pattern: string): number {
  return literalsOf(pattern).length - 1;
}

/** Compiles a wildcard at a position in a pattern. */
export function wildcardAt(operand: LocatedJson, refusals: Refusals): Condition {
  if (operand.kind !== 'string') throw refusals.at(operand.metAt, 'wildcard match pattern must be a string');
  try {
    return wildcardCondition(operand.value);
  } catch (error) {
    if (!(error instanceof WildcardProblem)) throw error;
    throw refusals.at(operand.endAt, error.message);
  }
}

const MASK_PROBLEMS: readonly { readonly reason: string; readonly of: (mask: string) => boolean }[] = [
  { reason: 'Malformed CIDR, mask bits must be an integer', of: mask => !/^[+-]?\d{1,9}$/.test(mask) },
  { reason: 'Malformed CIDR, mask bits must not be negative', of: mask => Number(mask) < 0 },
];

/**
 * Compiles `{"cidr": "10.0.0.0/24"}`. The errors of AWS do not name the position here.
 * @see
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#eb-filtering-ip-matching
 */
export function cidrCondition(block: string): Condition {
  const [address = '', mask, ...rest] = block.split('/');
  if (mask === undefined || rest.length > 0) throw new EventPatternError("Malformed CIDR, one '/' required");
  const problem = MASK_PROBLEMS.find(({ of }) => of(mask));
  if (problem) throw new EventPatternError(problem.reason);
  const network = parseAddress(address);
  if (!network) throw new EventPatternError(`Nonstandard IP address: ${address}`);
  if (Number(mask) >= network.bits) {
    throw new EventPatternError(`${network.bits === 32 ? 'IPv4' : 'IPv6'} mask bits must be < ${network.bits}`);
  }
  return inAddressBlock(network, Number(mask));
}

/** Returns a condition that a value equals a string. IP addresses are equal in any notation. */
export function equalsString(wanted: string): Condition {
  const address = parseAddress(wanted);
  return address ? inAddressBlock(address, address.bits) : value => value === wanted;
}

/** Returns a condition that a value is an address whose first `prefix` bits are those of `network`. */
export function inAddressBlock(network: Address, prefix: number): Condition {
  return onString(value => {
    const address = parseAddress(value);
    return address !== undefined && isWithin(address, { network, prefix });
  });
}
