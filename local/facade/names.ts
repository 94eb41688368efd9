import { parseArn } from '../../policy/arn';
import { nearestPaths } from '../../policy/near-names';
import type { DeployedResource, DeployedStack } from '../cloudformation';
import { alarmArn } from '../cloudwatch/alarms/alarm-configuration';
import { InvalidInput } from '../kernel/member-reader';
import type { Simulation } from '../simulation';

/** Something that a user can name. */
export interface Nameable<Value> {
  readonly value: Value;
  /** All its names except the ends of its path. The first is unique: an ARN. Errors show the second. */
  readonly names: readonly string[];
  /** The path of its construct, or `StackName/LogicalId`. @default - it belongs to no stack */
  readonly path?: string;
}

/** Attributes that name a resource in addition to its `Ref`. */
const NAMES = ['Arn', 'StreamArn', 'TopicArn', 'QueueName', 'TopicName'] as const;

/** @param types those of CloudFormation. @default - all */
function resourcesIn(
  stacks: readonly DeployedStack[],
  types?: readonly string[],
): readonly Nameable<DeployedResource>[] {
  return stacks.flatMap(stack =>
    [...stack.resources]
      .filter(([, { type }]) => types?.includes(type) ?? true)
      .map(([logicalId, value]) => {
        const unique = `${stack.name}/${logicalId}`;
        const path = value.path?.replace(/\/Resource$/, '') ?? unique;
        const physical = NAMES.flatMap(name => value.attributes[name] ?? []);
        return { value, path, names: [unique, logicalId, path, value.ref, ...physical] };
      }),
  );
}

/**
 * Finds the one thing that a user means: by one of its names or, if none is equal, by the end of its construct path.
 *
 * @throws RangeError when nothing matches, with the nearest paths; and when more than one does, with the paths of all
 */
function theOne<Value>(all: readonly Nameable<Value>[], what: string, id: string): Value {
  const equal = all.filter(({ names }) => names.includes(id));
  const found = equal.length > 0 ? equal : all.filter(({ path }) => path?.endsWith(`/${id}`));
  const [only, ...others] = found;
  if (only && others.length === 0) return only.value;
  const shown = ({ path, names: [first = '', second = first] }: Nameable<Value>): string => path ?? second;
  if (only) {
    const paths = new Set(found.map(shown));
    const candidates = paths.size === found.length ? [...paths] : found.map(({ names: [first = ''] }) => first);
    const rule = `is ambiguous: use one of ${candidates.join(', ')}`;
    throw new InvalidInput([{ property: what, rule, value: id }], `"${id}" ${rule}`);
  }
  const nearest = nearestPaths(id, all.map(shown)).join(', ');
  const instead = nearest === '' ? 'there are none' : `the nearest: ${nearest}`;
  const rule = `must exist; ${instead}`;
  throw new InvalidInput([{ property: what, rule, value: id }], `there is no ${what} "${id}"; ${instead}`);
}

/** Finds a resource of the deployed stacks. @throws RangeError when none matches, or more than one */
export const resourceNamed = (stacks: readonly DeployedStack[], id: string): DeployedResource =>
  theOne(resourcesIn(stacks), 'resource', id);

/** Finds the value of an output. @param id `Output` or `StackName.Output` @throws RangeError as `resourceNamed` does */
export function outputNamed(stacks: readonly DeployedStack[], id: string): string {
  const outputs = stacks.flatMap(({ name, outputs }) =>
    Object.entries(outputs).map(([output, value]) => ({
      value,
      names: [`${name}.${output}`, output],
      path: `${name}.${output}`,
    })),
  );
  return theOne(outputs, 'output', id);
}

/** The types of resources that a name can mean, by what errors call them. */
const TYPES = {
  queue: ['AWS::SQS::Queue'],
  topic: ['AWS::SNS::Topic'],
  function: ['AWS::Lambda::Function'],
  alarm: ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'],
  bucket: ['AWS::S3::Bucket'],
  'stream with an event source mapping': ['AWS::Kinesis::Stream'],
  'table with a stream and an event source mapping': ['AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable'],
} as const;

/**
 * Finds the resource of a service that a user means by its physical name, ARN, URL, logical id, construct path or the end
 * of its path. Resources that belong to no stack have only the first three.
 *
 * @throws RangeError when nothing matches, or more than one
 */
export function serviceNamed<Value>(
  stacks: readonly DeployedStack[],
  what: keyof typeof TYPES,
  all: readonly Nameable<Value>[],
  id: string,
): Value {
  const deployed = new Map(resourcesIn(stacks, TYPES[what]).flatMap(it => it.names.map(name => [name, it])));
  const named = all.map(thing => {
    const { names = [], path } = deployed.get(thing.names[0] ?? '') ?? {};
    return { ...thing, names: [...thing.names, ...names], ...(path !== undefined && { path }) };
  });
  return theOne(named, what, id);
}

/** What `arnNamed` finds. */
export type NamedKind = 'queue' | 'topic' | 'alarm';

const ARNS: Readonly<Record<NamedKind, (simulation: Simulation) => readonly string[]>> = {
  queue: ({ all }) => all.flatMap(({ sqs }) => sqs.queues().map(({ arn }) => arn)),
  topic: ({ all }) => all.flatMap(({ sns }) => sns.topics().map(({ arn }) => arn)),
  alarm: ({ all }) =>
    all.flatMap(({ cloudWatch, place }) => cloudWatch.alarms().map(({ name }) => alarmArn(place, name))),
};

/**
 * Finds the ARN of what a user means.
 *
 * @param past ARNs that may no longer exist
 * @throws RangeError when nothing matches, or more than one
 */
export function arnNamed(simulation: Simulation, kind: NamedKind, id: string, past: readonly string[] = []): string {
  const arns = [...new Set([...ARNS[kind](simulation), ...past])];
  const nameIn = (arn: string): string => (parseArn(arn)?.resource ?? arn).replace(/^alarm:/, '');
  const all = arns.map(arn => ({ value: arn, names: [arn, nameIn(arn)] }));
  return serviceNamed(simulation.stacks, kind, all, id);
}
