import { type PENDING, scalarText, shown } from '../../template/values';
import { AwsError } from '../kernel/aws-error';
import { matchesJavaPattern } from '../kernel/java-pattern';
import { isObject, type JsonObject } from '../kernel/json';
import type { References } from './dynamic-references';

/** A parameter's value, or why it has none. */
export type ParameterValue = { readonly value: string | readonly string[] } | { readonly problem: string };

/**
 * Types of values. AWS checks that the resource of an AWS-specific value exists, such as the VPC of an `AWS::EC2::VPC::Id`, which is not
 * simulated.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-supplied-parameter-types.html
 */
const LIST_TYPE = /^(?:CommaDelimitedList|List<(?:Number|String|AWS::[\w:]+)>)$/;
const SCALAR_TYPE = /^(?:String|Number|AWS::[\w:]+)$/;

/** `AWS::SSM::Parameter::Value<String>`: captures the type of the value. */
const SSM_TYPE = /^AWS::SSM::Parameter::Value<(.+)>$/;

/** Values of parameters by name; `PENDING` is one that is not known yet. */
export type ParameterValues = Readonly<Record<string, string | typeof PENDING>>;

export function undeclaredValues(declared: ReadonlySet<string>, given: ParameterValues): readonly string[] {
  const names = [...declared].join(', ') || 'none';
  return Object.keys(given)
    .filter(name => !declared.has(name))
    .map(name => `parameter ${name} has a value, but no template declares it: the parameters are ${names}`);
}

/** Whether the parameter's value comes from the SSM parameter store. */
export function isLookedUp(declaration: unknown): boolean {
  return isObject(declaration) && SSM_TYPE.test(String(declaration['Type']));
}

const withoutValue = (name: string): string =>
  `parameter ${name} has no default, and no value was given (dlo local: --parameter ${name}=…; in the library: parameters)`;

/**
 * The value of a parameter: the given value, otherwise its default, checked against the parameter's constraints.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html
 */
export function parameterValue(name: string, declaration: unknown, given: string | undefined): ParameterValue {
  if (!isObject(declaration)) return { problem: `parameter ${name} must be an object, got ${shown(declaration)}` };
  const type = String(declaration['Type']);
  const text = given ?? scalarText(declaration['Default']);
  const isList = LIST_TYPE.test(type);
  if (!isList && !SCALAR_TYPE.test(type)) {
    return { problem: `parameter ${name} is of type ${type}, which the embedded AWS does not implement` };
  }
  if (text === undefined) return { problem: withoutValue(name) };
  const items = isList ? text.split(',').map(item => item.trim()) : [text];
  const broken = items.flatMap(item => brokenRules(item, type, declaration));
  if (broken.length > 0) return { problem: `parameter ${name} ${broken.join(' and ')}, got ${shown(text)}` };
  return { value: isList ? items : text };
}

/**
 * The value of a parameter that names a parameter of SSM: the value of that one.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-supplied-parameter-types.html
 */
export function lookedUpValue(
  name: string,
  declaration: unknown,
  given: string | undefined,
  references: References,
): ParameterValue {
  if (!isObject(declaration)) return { problem: `parameter ${name} must be an object, got ${shown(declaration)}` };
  const type = SSM_TYPE.exec(String(declaration['Type']))?.[1] ?? '';
  const key = given ?? scalarText(declaration['Default']);
  if (key === undefined) return { problem: withoutValue(name) };
  try {
    return parameterValue(name, { Type: type }, references.parameter(key));
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    const madeUp = references.missing?.('ssm', key);
    if (madeUp !== undefined) return parameterValue(name, { Type: type }, madeUp);
    return { problem: `parameter ${name} names ${shown(key)} in SSM, which answers ${error.code}: ${error.message}` };
  }
}

/** The constraints of parameters. Each returns its rule when a value breaks it. */
const CONSTRAINTS: Readonly<Record<string, (text: string, limit: unknown) => string | undefined>> = {
  AllowedValues: (text, limit) =>
    Array.isArray(limit) && !limit.map(String).includes(text) ? `must be one of ${shown(limit)}` : undefined,
  AllowedPattern: (text, limit) => {
    const isMatch = matchesJavaPattern(String(limit), text);
    if (isMatch === undefined)
      return `must match ${String(limit)}, a regular expression that the embedded AWS cannot read`;
    return isMatch ? undefined : `must match ${String(limit)}`;
  },
  MinLength: (text, limit) =>
    text.length < Number(limit) ? `must be ${String(limit)} characters or longer` : undefined,
  MaxLength: (text, limit) =>
    text.length > Number(limit) ? `must be ${String(limit)} characters or shorter` : undefined,
  MinValue: (text, limit) => (Number(text) < Number(limit) ? `must be ${String(limit)} or more` : undefined),
  MaxValue: (text, limit) => (Number(text) > Number(limit) ? `must be ${String(limit)} or less` : undefined),
};

function brokenRules(text: string, type: string, declaration: JsonObject): readonly string[] {
  const mustBeNumber = type === 'Number' || type === 'List<Number>';
  if (mustBeNumber && (text.trim() === '' || !Number.isFinite(Number(text)))) return ['must be a number'];
  return Object.entries(CONSTRAINTS).flatMap(([name, broken]) =>
    declaration[name] === undefined ? [] : (broken(text, declaration[name]) ?? []),
  );
}
