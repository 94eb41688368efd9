import { BlockList, isIP } from 'node:net';
import { EventPatternError, type LocatedJson, type Refusals } from './located-json';

/** A value an event shows for a field. */
export type FieldValue = string | number | boolean | null;

/** Whether one value is as wanted. */
export type Condition = (value: FieldValue) => boolean;

/** Makes a condition on strings from the string an operator is given; a value of any other kind does not satisfy it. */
export type StringOperator = (wanted: string) => Condition;

/** The condition that a value is a string, and that `test` holds for it. */
export function onString(test: (value: string) => boolean): Condition {
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

/** Where AWS's matcher stops reading a wildcard; it reads bytes, the opening quote being the first. */
export class WildcardProblem extends Error {
  override readonly name = 'WildcardProblem';
}

function byteAt(pattern: string, index: number): number {
  return 1 + Buffer.byteLength(pattern.slice(0, index));
}

/** The literal texts between the asterisks. */
function pieces(pattern: string): readonly string[] {
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
 * `{"wildcard": "dir/*.png"}`: an asterisk stands for any characters, none included; a backslash makes an asterisk or a
 * backslash plain. AWS also refuses patterns whose matching is too much work, by a measure it does not publish; here
 * matching takes one pass whatever the pattern, so none is too complex.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#eb-filtering-wildcard-matching
 * @throws WildcardProblem
 */
export function wildcardCondition(pattern: string): Condition {
  const [first = '', ...others] = pieces(pattern);
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

/**
 * The condition of a wildcard at a place in a pattern.
 *
 * @throws EventPatternError
 */
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
 * `{"cidr": "10.0.0.0/24"}`. AWS tells none of its errors with a place in the pattern.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#eb-filtering-ip-matching
 * @throws EventPatternError
 */
export function cidrCondition(block: string): Condition {
  const [address = '', mask, ...rest] = block.split('/');
  if (mask === undefined || rest.length > 0) throw new EventPatternError("Malformed CIDR, one '/' required");
  const problem = MASK_PROBLEMS.find(({ of }) => of(mask));
  if (problem) throw new EventPatternError(problem.reason);
  const family = addressFamily(address);
  if (!family) throw new EventPatternError(`Nonstandard IP address: ${address}`);
  if (Number(mask) >= family.bits) {
    throw new EventPatternError(`${family.bits === 32 ? 'IPv4' : 'IPv6'} mask bits must be < ${family.bits}`);
  }
  return inAddressBlock(address, family, Number(mask));
}

/** The condition that a value equals a string; for an IP address, that it is the same address however it is written. */
export function equalsString(wanted: string): Condition {
  const family = addressFamily(wanted);
  return family ? inAddressBlock(wanted, family, family.bits) : value => value === wanted;
}

/** A family of IP addresses, and how many bits one of them has. */
export interface AddressFamily {
  readonly name: 'ipv4' | 'ipv6';
  readonly bits: number;
}

const FAMILIES: Readonly<Record<number, AddressFamily>> = {
  4: { name: 'ipv4', bits: 32 },
  6: { name: 'ipv6', bits: 128 },
};

/** The family of an IP address; undefined when the text is none. */
export function addressFamily(text: string): AddressFamily | undefined {
  return FAMILIES[isIP(text)];
}

/** The condition that a value is an address in the block that shares its first `maskBits` bits with `address`. */
export function inAddressBlock(address: string, family: AddressFamily, maskBits: number): Condition {
  const block = new BlockList();
  block.addSubnet(address, maskBits, family.name);
  return onString(value => addressFamily(value) === family && block.check(value, family.name));
}
