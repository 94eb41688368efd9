import type { ResourceType, StackArtifact } from '../../../local/cloudformation';
import {
  AssemblyError,
  type DeployedStack,
  type DeployOptions,
  deployStacks,
  type References,
} from '../../../local/cloudformation';
import { AwsError } from '../../../local/kernel/aws-error';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';

export type Json = Readonly<Record<string, unknown>>;

/** What a test's resource was created with. */
export interface Creation {
  readonly logicalId: string;
  readonly value: Json | undefined;
  readonly name: string;
}

/** What a type has that a test only creates. */
export const NEVER_CHANGED: Pick<ResourceType, 'update' | 'delete'> = {
  update: () => {
    throw new Error('nothing updates this');
  },
  delete: () => {},
};

/** A resource type that remembers what it was created with: `Value` may be any object, `Fail` makes AWS refuse it. */
export class ThingService {
  readonly creations: Creation[] = [];
  readonly type: ResourceType = {
    ...NEVER_CHANGED,
    type: 'Test::Thing',
    create: (properties, context) => {
      const value = properties.document('Value');
      const fail = properties.string('Fail');
      const size = properties.number('Size') ?? 0;
      if (size > 10) properties.problem('Size', 'must be 10 or less', size);
      if (fail !== undefined) throw new AwsError('Refused', fail);
      properties.withoutEffect('Tags');
      const name = properties.string('Name') ?? context.physicalName(40);
      this.creations.push({ logicalId: context.logicalId, value, name });
      return { ref: name, attributes: { Arn: `arn:aws:test:us-east-1:123456789012:${name}`, List: 'a,b,c' } };
    },
  };
}

export function stack(template: Json, more: Partial<StackArtifact> = {}): StackArtifact {
  return {
    name: 'App',
    template,
    environment: {},
    parameters: {},
    notificationArns: [],
    paths: new Map(),
    assets: new Map(),
    ...more,
  };
}

export function thing(Value: Json, more: Json = {}): Json {
  return { Type: 'Test::Thing', Properties: { Value }, ...more };
}

export interface Deployed {
  readonly stacks: readonly DeployedStack[];
  readonly creations: readonly Creation[];
}

/** Holds nothing. */
export const NO_REFERENCES: References = {
  parameter: name => {
    throw new AwsError('ParameterNotFound', `Parameter ${name} not found.`);
  },
  secret: () => {
    throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  },
};

export async function deploy(
  stacks: readonly StackArtifact[],
  options: Partial<DeployOptions> = {},
): Promise<Deployed> {
  const service = new ThingService();
  const deployed = await deployStacks(stacks, {
    types: [service.type],
    place: EXAMPLE_PLACE,
    random: new Random('cloudformation test'),
    clock: { nowMs: Date.UTC(2026, 0, 1) },
    references: NO_REFERENCES,
    ...options,
  });
  return { stacks: deployed, creations: service.creations };
}

/** What a deploy complains of. */
export async function problemsOf(act: () => Promise<unknown>): Promise<readonly string[]> {
  return problemsIn(await Promise.allSettled([act()]));
}

/** What reading complains of. */
export function problemsAtOnce(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    return problemsIn([{ status: 'rejected', reason: error }]);
  }
  return [];
}

function problemsIn([result]: readonly PromiseSettledResult<unknown>[]): readonly string[] {
  if (result?.status !== 'rejected') return [];
  if (result.reason instanceof AssemblyError) return result.reason.problems;
  throw result.reason;
}

/** A value as a resource gets it, beside a resource `Other` and whatever else the template has. */
export async function evaluated(
  value: unknown,
  template: Json = {},
  options: Partial<DeployOptions> = {},
): Promise<unknown> {
  const { creations } = await deploy([stack(templateWith(value, template))], options);
  return creations.find(({ logicalId }) => logicalId === 'It')?.value?.['x'];
}

export function evaluationProblems(
  value: unknown,
  template: Json = {},
  options: Partial<DeployOptions> = {},
): Promise<readonly string[]> {
  return problemsOf(() => deploy([stack(templateWith(value, template))], options));
}

function templateWith(x: unknown, template: Json): Json {
  const other = { Type: 'Test::Thing', Properties: { Name: 'other' } };
  return { ...template, Resources: { It: thing({ x }), Other: other } };
}
