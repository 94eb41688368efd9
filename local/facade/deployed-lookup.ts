import type { DeployedResource, DeployedStack } from '../cloudformation';

/** Something that was found, by the name that is its own in all stacks. */
interface Found<Value> {
  readonly name: string;
  readonly value: Value;
}

/**
 * The resource with a logical id, or the path of its construct without `/Resource`. In several stacks, a logical id is
 * told apart by its stack: `StackName/LogicalId`.
 *
 * @throws Error when there is none, or more than one
 */
export function resourceNamed(stacks: readonly DeployedStack[], id: string): DeployedResource {
  const found = stacks.flatMap(({ name, resources }) =>
    [...resources]
      .filter(([logicalId, { path }]) =>
        [logicalId, `${name}/${logicalId}`, path?.replace(/\/Resource$/, '')].includes(id),
      )
      .map(([logicalId, value]) => ({ value, name: `${name}/${logicalId}` })),
  );
  return theOne(found, 'a resource', id);
}

/**
 * The value of an output. In several stacks, it is told apart by its stack: `StackName.Output`.
 *
 * @throws Error when there is none, or more than one
 */
export function outputNamed(stacks: readonly DeployedStack[], id: string): string {
  const found = stacks.flatMap(({ name, outputs }) =>
    Object.entries(outputs)
      .filter(([output]) => [output, `${name}.${output}`].includes(id))
      .map(([output, value]) => ({ value, name: `${name}.${output}` })),
  );
  return theOne(found, 'an output', id);
}

function theOne<Value>(found: readonly Found<Value>[], what: string, id: string): Value {
  const [only, ...others] = found;
  if (!only) throw new Error(`no deployed stack has ${what} "${id}"`);
  if (others.length === 0) return only.value;
  throw new Error(`"${id}" is ambiguous, name one of ${found.map(({ name }) => name).join(', ')}`);
}
