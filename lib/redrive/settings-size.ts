import { Stack } from 'aws-cdk-lib';
import { CfnFunction, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Problem } from '../../policy/problem';

/**
 * The size of all environment variables of a function.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_BYTES = 4_096;

/** The characters that CloudFormation appends to a name that it generates. */
const GENERATED_CHARACTERS = 12;

/** The lengths of pseudo parameters. */
const PSEUDO: Readonly<Record<string, number>> = { 'AWS::AccountId': 12, 'AWS::Partition': 3, 'AWS::Region': 9 };

/**
 * The problem of a redrive whose settings do not fit into the environment of its function. What is not known before
 * deployment is counted with the length that it has at least: a generated name has the name of the stack, the logical
 * id and a suffix. An ARN counts as nothing.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-name.html
 */
export function settingsSizeProblems(handler: IFunction): Problem[] {
  const resource = handler.node.defaultChild;
  if (!(resource instanceof CfnFunction)) return [];
  const stack = Stack.of(resource);
  const { variables = {} } = Object(stack.resolve(resource.environment)) as { readonly variables?: object };
  const sizes = Object.entries(variables).map(([name, value]) => name.length + leastBytes(stack, value));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= MAX_BYTES) return [];
  const rule =
    "must have names that fit, with the other settings, into the 4,096 bytes of a function's environment; combine alarms in a composite alarm";
  return [{ property: 'healthAlarms', rule, value: `at least ${bytes.toLocaleString('en-US')} bytes` }];
}

function leastBytes(stack: Stack, value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  const { 'Fn::Join': join, Ref: reference } = Object(value) as Readonly<Record<string, unknown>>;
  if (Array.isArray(join) && Array.isArray(join[1])) {
    return join[1].reduce((sum: number, part: unknown) => sum + leastBytes(stack, part), 0);
  }
  if (typeof reference !== 'string') return 0;
  return PSEUDO[reference] ?? `${stack.stackName}-${reference}-`.length + GENERATED_CHARACTERS;
}
