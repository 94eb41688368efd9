import { isObject, type JsonObject, ownMember } from '../policy/json-members';
import { isPending, PENDING, scalarText, shown } from './values';

/** An address as a number, and the width of addresses of its family. */
interface Address {
  readonly value: bigint;
  readonly width: 32 | 128;
}

/** Parses an IPv4 or IPv6 address; undefined for anything else. */
function parseAddress(text: string): Address | undefined {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) {
    const bytes = text.split('.').map(Number);
    return bytes.every(it => it < 256) ? { value: joined(bytes, 8n), width: 32 } : undefined;
  }
  if (!/^[0-9a-f:]*$/i.test(text) || text.split('::').length > 2) return undefined;
  const [head = '', tail] = text.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const known = [groups(head), groups(tail ?? '')];
  const missing = 8 - known.flat().length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...(known[0] ?? []), ...Array<string>(missing).fill('0'), ...(known[1] ?? [])];
  if (!all.every(group => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return {
    value: joined(
      all.map(group => Number.parseInt(group, 16)),
      16n,
    ),
    width: 128,
  };
}

const joined = (parts: readonly number[], bits: bigint): bigint =>
  parts.reduce((value, part) => (value << bits) + BigInt(part), 0n);

function addressText({ value, width }: Address): string {
  const [bits, count] = width === 32 ? [8n, 4] : [16n, 8];
  const parts = Array.from(
    { length: count },
    (_, i) => (value >> (bits * BigInt(count - 1 - i))) & ((1n << bits) - 1n),
  );
  if (width === 32) return parts.join('.');
  return parts
    .map(part => part.toString(16))
    .join(':')
    .replace(/(?:^|:)0(?::0)+(?::|$)/, '::');
}

/**
 * Splits a block of addresses into the first `count` blocks of `bits` host bits.
 *
 * @returns undefined when the block is invalid, or does not hold so many
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-cidr.html
 */
function cidrBlocks(block: string, count: number, bits: number): readonly string[] | undefined {
  const [, text = '', mask = ''] = /^(.+)\/(\d{1,3})$/.exec(block) ?? [];
  const address = parseAddress(text);
  if (!address || Number(mask) > address.width || bits < 1) return undefined;
  const { value, width } = address;
  const hostBits = width - Number(mask);
  if (bits > hostBits || BigInt(count) > 1n << BigInt(hostBits - bits)) return undefined;
  const first = (value >> BigInt(hostBits)) << BigInt(hostBits);
  return Array.from(
    { length: count },
    (_, i) => `${addressText({ value: first + (BigInt(i) << BigInt(bits)), width })}/${width - bits}`,
  );
}

/** What an intrinsic function can look up. Each method reports its own problem, and then returns `PENDING`. */
export interface Scope {
  /** The value of a parameter, a pseudo parameter or a resource. */
  ref(name: string, problem: Problem): unknown;
  attribute(logicalId: string, attribute: string, problem: Problem): unknown;
  condition(name: string, problem: Problem): ConditionValue;
  mapping(name: string, topLevelKey: string, secondLevelKey: string, problem: Problem): unknown;
  exported(name: string, problem: Problem): unknown;
  /** An output of another stack, exported or not. @param region undefined means the stack's own */
  output(stackName: string, logicalId: string, region: string | undefined, problem: Problem): unknown;
  /** The Availability Zones of a Region; an empty name means the stack's own. */
  zones(region: string): readonly string[];
}

/** Reports a problem, and returns a value that causes no further problems. */
export type Problem = (rule: string) => typeof PENDING;

interface Use {
  readonly scope: Scope;
  readonly problem: Problem;
  /** Evaluates an argument, which may contain other functions. */
  evaluate(value: unknown): unknown;
}

type Intrinsic = (argument: unknown, use: Use) => unknown;

/**
 * The intrinsic functions that resource properties may use. Those of the language-extensions transform are missing,
 * because the transform is not implemented.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
 */
export const INTRINSICS: Readonly<Record<string, Intrinsic>> = {
  Ref: (argument, { scope, problem }) =>
    typeof argument === 'string' ? scope.ref(argument, problem) : problem(`takes a name, got ${shown(argument)}`),
  'Fn::GetAtt': getAtt,
  'Fn::Sub': sub,
  'Fn::Join': join,
  'Fn::Select': select,
  'Fn::Split': split,
  'Fn::Base64': (argument, use) => textThen(argument, use, text => Buffer.from(text, 'utf8').toString('base64')),
  'Fn::FindInMap': findInMap,
  'Fn::If': chooseByCondition,
  'Fn::ImportValue': (argument, use) => textThen(argument, use, name => use.scope.exported(name, use.problem)),
  'Fn::GetStackOutput': getStackOutput,
  'Fn::Cidr': cidr,
  'Fn::GetAZs': (argument, use) => textThen(argument, use, region => use.scope.zones(region)),
};

/** The name of the intrinsic function that an object calls: `Ref`, or a name that begins with `Fn::`. */
export function intrinsicName(value: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(value);
  const [only] = names;
  if (names.length === 1 && only === 'Ref') return only;
  return names.find(name => name.startsWith('Fn::'));
}

function getAtt(argument: unknown, use: Use): unknown {
  const [logicalId, attribute] = typeof argument === 'string' ? halves(argument) : listOf(argument);
  if (typeof logicalId !== 'string' || attribute === undefined) {
    return use.problem(`takes a logical id and an attribute, got ${shown(argument)}`);
  }
  return textThen(attribute, use, name => use.scope.attribute(logicalId, name, use.problem));
}

const PLACEHOLDER = /\$\{([^}]*)\}/g;

function sub(argument: unknown, use: Use): unknown {
  const [template, variables] = typeof argument === 'string' ? [argument, {}] : listOf(argument);
  if (typeof template !== 'string' || !isObject(variables)) {
    return use.problem(`takes a string, or a string and its variables, got ${shown(argument)}`);
  }
  let pending = false;
  const text = template.replace(PLACEHOLDER, (_, name: string) => {
    if (name.startsWith('!')) return `\${${name.slice(1)}}`;
    const value = substitute(name.trim(), variables, use);
    if (value === PENDING) pending = true;
    else if (scalarText(value) === undefined) use.problem(`\${${name}} must be a string, got ${shown(value)}`);
    return scalarText(value) ?? '';
  });
  return pending ? PENDING : text;
}

function substitute(name: string, variables: Readonly<Record<string, unknown>>, use: Use): unknown {
  if (Object.hasOwn(variables, name)) return use.evaluate(variables[name]);
  const [logicalId = '', attribute] = halves(name);
  return attribute === undefined
    ? use.scope.ref(name, use.problem)
    : use.scope.attribute(logicalId, attribute, use.problem);
}

function join(argument: unknown, use: Use): unknown {
  const [delimiter, list] = listOf(argument);
  if (typeof delimiter !== 'string' || list === undefined) {
    return use.problem(`takes a delimiter and a list, got ${shown(argument)}`);
  }
  const items = use.evaluate(list);
  if (items === PENDING) return PENDING;
  if (!Array.isArray(items)) return use.problem(`takes a list to join, got ${shown(items)}`);
  if (items.includes(PENDING)) return PENDING;
  const wrong = items.find(item => scalarText(item) === undefined);
  return wrong === undefined
    ? items.map(scalarText).join(delimiter)
    : use.problem(`joins only strings, got ${shown(wrong)}`);
}

function select(argument: unknown, use: Use): unknown {
  const [index, list] = listOf(argument).map(use.evaluate);
  if (index === PENDING || list === PENDING) return PENDING;
  const position = Number(scalarText(index) ?? Number.NaN);
  if (!Array.isArray(list) || !Number.isInteger(position)) {
    return use.problem(`takes an index and a list, got ${shown(argument)}`);
  }
  const item: unknown = list[position];
  return item === undefined ? use.problem(`has no item ${position} in ${shown(list)}`) : item;
}

function split(argument: unknown, use: Use): unknown {
  const [delimiter, source] = listOf(argument);
  if (typeof delimiter !== 'string' || delimiter === '' || source === undefined) {
    return use.problem(`takes a delimiter and a string, got ${shown(argument)}`);
  }
  return textThen(source, use, text => text.split(delimiter));
}

const MOST_BLOCKS = 256;

function cidr(argument: unknown, use: Use): unknown {
  const given = listOf(argument).map(use.evaluate);
  if (given.includes(PENDING)) return PENDING;
  const [block, count, bits] = given.map(scalarText);
  const [blocks, hostBits] = [Number(count), Number(bits ?? Number.NaN)];
  if (block === undefined || !(blocks >= 1 && blocks <= MOST_BLOCKS) || !Number.isInteger(hostBits)) {
    return use.problem(
      `takes a CIDR block, a count of 1 to ${MOST_BLOCKS} and a number of bits, got ${shown(argument)}`,
    );
  }
  const made = cidrBlocks(block, blocks, hostBits);
  return made ?? use.problem(`cannot make ${count} blocks of ${bits} bits of ${block}`);
}

function findInMap(argument: unknown, use: Use): unknown {
  const keys = listOf(argument).map(use.evaluate);
  if (keys.includes(PENDING)) return PENDING;
  const [name, first, second] = keys.map(scalarText);
  if (keys.length !== 3 || name === undefined || first === undefined || second === undefined) {
    return use.problem(`takes a mapping's name and two keys, got ${shown(argument)}`);
  }
  return use.scope.mapping(name, first, second, use.problem);
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-getstackoutput.html */
function getStackOutput(argument: unknown, use: Use): unknown {
  const given = use.evaluate(argument);
  if (given === PENDING) return PENDING;
  const { StackName, OutputName, Region, ...more } = isObject(given) ? given : {};
  if ([StackName, OutputName, Region].includes(PENDING)) return PENDING;
  const names = [StackName, OutputName].every(name => typeof name === 'string');
  if (!names || (Region !== undefined && typeof Region !== 'string')) {
    return use.problem(`takes a StackName, an OutputName and optionally a Region, got ${shown(argument)}`);
  }
  const [other] = Object.keys(more);
  if (other !== undefined) return use.problem(`has ${other}, which is not implemented here`);
  return use.scope.output(String(StackName), String(OutputName), Region, use.problem);
}

function chooseByCondition(argument: unknown, use: Use): unknown {
  const [condition, whenTrue, whenFalse] = listOf(argument);
  if (typeof condition !== 'string' || whenTrue === undefined || whenFalse === undefined) {
    return use.problem(`takes a condition's name and two values, got ${shown(argument)}`);
  }
  const value = use.scope.condition(condition, use.problem);
  if (value !== PENDING) return use.evaluate(value ? whenTrue : whenFalse);
  // Either branch may be used, so problems in both are reported.
  for (const branch of [whenTrue, whenFalse]) use.evaluate(branch);
  return PENDING;
}

function textThen(argument: unknown, use: Use, then: (text: string) => unknown): unknown {
  const value = use.evaluate(argument);
  if (value === PENDING) return PENDING;
  const text = scalarText(value);
  return text === undefined ? use.problem(`takes a string, got ${shown(value)}`) : then(text);
}

function listOf(argument: unknown): readonly unknown[] {
  return Array.isArray(argument) ? argument : [];
}

/** Splits `Queue.Arn` at the first dot. Attributes of nested stacks (`Stack.Outputs.Url`) contain more dots. */
function halves(text: string): readonly [string, string?] {
  const dot = text.indexOf('.');
  return dot < 0 ? [text] : [text.slice(0, dot), text.slice(dot + 1)];
}

/** Whether a condition holds; `PENDING` if that depends on a value that is not known yet. */
export type ConditionValue = boolean | typeof PENDING;

/** What a condition function needs to evaluate its arguments. */
interface ConditionUse {
  readonly problem: Problem;
  /** Evaluates an operand of `Fn::Equals`: parameters, pseudo parameters and mappings. */
  operand(value: unknown): unknown;
  decide(value: unknown): ConditionValue;
  named(name: string): ConditionValue;
}

type ConditionFunction = (argument: unknown, use: ConditionUse) => ConditionValue;

/** `Fn::And` and `Fn::Or` take 2 to 10 conditions. */
const MOST_OPERANDS = 10;

/**
 * The condition functions.
 *
 * @see
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-conditions.html
 */
const CONDITION_FUNCTIONS: Readonly<Record<string, ConditionFunction>> = {
  Condition: (argument, use) =>
    typeof argument === 'string' ? use.named(argument) : falseFor(use, `takes a name, got ${shown(argument)}`),
  'Fn::And': (argument, use) => combined(operands(argument, use), false),
  'Fn::Or': (argument, use) => combined(operands(argument, use), true),
  'Fn::Not': (argument, use) =>
    Array.isArray(argument) && argument.length === 1
      ? opposite(use.decide(argument[0]))
      : falseFor(use, `takes one condition in a list, got ${shown(argument)}`),
  'Fn::Equals': (argument, use) => {
    if (!Array.isArray(argument) || argument.length !== 2) {
      return falseFor(use, `takes two values, got ${shown(argument)}`);
    }
    const [left, right] = argument.map(use.operand);
    return isPending(left) || isPending(right) ? PENDING : comparable(left) === comparable(right);
  },
};

/** Decides a condition that is written as an object. */
export function decideCondition(value: unknown, use: (name: string) => ConditionUse): ConditionValue {
  const [name, ...others] = isObject(value) ? Object.keys(value) : [];
  const condition =
    name !== undefined && Object.hasOwn(CONDITION_FUNCTIONS, name) ? CONDITION_FUNCTIONS[name] : undefined;
  if (!isObject(value) || name === undefined || !condition || others.length > 0) {
    return falseFor(use(name ?? 'a condition'), `is not a condition function, got ${shown(value)}`);
  }
  return condition(value[name], use(name));
}

function operands(argument: unknown, use: ConditionUse): readonly ConditionValue[] {
  if (Array.isArray(argument) && argument.length >= 2 && argument.length <= MOST_OPERANDS) {
    return argument.map(use.decide);
  }
  falseFor(use, `takes 2 to ${MOST_OPERANDS} conditions, got ${shown(argument)}`);
  return [];
}

/** One `decisive` value decides. Otherwise all values must be known. */
function combined(values: readonly ConditionValue[], decisive: boolean): ConditionValue {
  if (values.includes(decisive)) return decisive;
  return values.includes(PENDING) ? PENDING : !decisive;
}

function opposite(value: ConditionValue): ConditionValue {
  return value === PENDING ? PENDING : !value;
}

function comparable(value: unknown): string {
  return scalarText(value) ?? JSON.stringify(value);
}

function falseFor({ problem }: ConditionUse, rule: string): boolean {
  problem(rule);
  return false;
}

/** Looks up a value in the template's mappings, for `Fn::FindInMap`. */
export function mappedValue(
  mappings: JsonObject,
  [name, topLevelKey, secondLevelKey]: readonly [string, string, string],
  problem: Problem,
): unknown {
  const mapping = ownMember(mappings, name);
  const inner = isObject(mapping) && Object.hasOwn(mapping, topLevelKey) ? mapping[topLevelKey] : undefined;
  if (isObject(inner) && Object.hasOwn(inner, secondLevelKey)) return inner[secondLevelKey];
  return problem(`finds no ${topLevelKey}.${secondLevelKey} in the mapping ${name}`);
}
