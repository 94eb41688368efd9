import type { Assembly, StackArtifact } from './assembly';
import { type Environment, failOn } from './environment';
import { undeclaredValues } from './parameters';
import type { CollectedStackValues } from './stack-deployment';
import type { StackEngine } from './stack-engine';
import type { StackRecord } from './stack-record';
import type { CrossStackValues } from './template-scope';

/** A stack could not be created, updated or deleted. CloudFormation has rolled back what it could. */
export class StackFailed extends Error {
  override readonly name = 'StackFailed';

  constructor(
    readonly stackName: string,
    /** The status of the stack now, for example `UPDATE_ROLLBACK_COMPLETE`. */
    readonly status: string,
    /** Why it failed: each problem names the resource. */
    readonly problems: readonly string[],
  ) {
    super(`${stackName} is ${status}: ${problems.join('; ')}`);
  }
}

/** It failed only because of what the embedded AWS does not have: AWS would do it. */
export class StackNotFollowed extends StackFailed {}

type Values = Readonly<Record<string, string>>;

/**
 * Updates the stacks of an assembly, each after those it depends on, as `cdk deploy` does. A stack that does not exist is
 * created, and one whose creation was rolled back is deleted first. Stacks that are not in the assembly stay. A
 * parameter without a value keeps its previous one.
 *
 * @returns the names of the stacks that were created or changed
 */
export async function updateAssembly(
  engineOf: (environment: Environment) => StackEngine,
  { stacks }: Assembly,
  parameters: Values,
): Promise<readonly string[]> {
  preview(engineOf, stacks, parameters);
  const changed: string[] = [];
  for (const stack of stacks) {
    const engine = engineOf(stack.environment);
    let record = engine.options.directory.find(stack.name);
    if (record?.status === 'ROLLBACK_COMPLETE') {
      await destroyStack(engine, record);
      record = undefined;
    }
    const given = givenTo(stack, record, parameters);
    if (record && engine.isUnchanged(record, stack, given)) {
      record.artifact = stack;
      continue;
    }
    const operation = engine.plan(stack, given);
    if (!(await engine.run(operation))) {
      const Failure = operation.isStoppedByOwnLimits ? StackNotFollowed : StackFailed;
      throw new Failure(stack.name, operation.stack.status, operation.problems);
    }
    changed.push(stack.name);
  }
  return changed;
}

/** @throws AssemblyError with every problem that can be found before anything changes */
function preview(
  engineOf: (environment: Environment) => StackEngine,
  stacks: readonly StackArtifact[],
  parameters: Values,
): void {
  const valuesByRegion = new Map<string, CollectedStackValues>();
  const valuesIn = (engine: StackEngine): CollectedStackValues => {
    const { place, inRegion } = engine.options;
    const collected = (key: string, { exports, outputs }: CrossStackValues): CollectedStackValues => {
      const known = valuesByRegion.get(key);
      if (known) return known;
      const regionally = (region: string) => collected(`${place.account}/${region}`, inRegion(region));
      const made = { exports: new Map(exports), outputs: new Map(outputs), inRegion: regionally };
      valuesByRegion.set(key, made);
      return made;
    };
    return collected(`${place.account}/${place.region}`, engine.values);
  };
  const problems = stacks.flatMap(stack => {
    const engine = engineOf(stack.environment);
    const given = givenTo(stack, engine.options.directory.find(stack.name), parameters);
    return engine.preview(stack, given, valuesIn(engine));
  });
  const declared = new Set(stacks.flatMap(({ template }) => Object.keys(Object(template['Parameters']))));
  failOn([...new Set([...undeclaredValues(declared, parameters), ...problems])]);
}

/** Deletes stacks, those that depend on others first. @throws StackFailed for the first that could not be deleted */
export async function destroyStacks(engines: readonly StackEngine[], names: readonly string[]): Promise<void> {
  const roots = engines.flatMap(engine =>
    engine.options.directory
      .all()
      .filter(({ description }) => description.parent === undefined)
      .map(record => ({ engine, record })),
  );
  const unknown = names.filter(name => !roots.some(({ record }) => record.name === name));
  const known = roots.map(({ record }) => record.name).join(', ') || 'none';
  failOn(unknown.map(name => `there is no stack ${name}: the stacks are ${known}`));
  const wanted = roots.filter(({ record }) => names.length === 0 || names.includes(record.name));
  // The stacks of one account and Region are in the order of their creation, those of several are not.
  const position = ({ engine, record }: (typeof wanted)[number]): number => engine.options.directory.positionOf(record);
  const inOrder = wanted.toSorted((a, b) => position(a) - position(b));
  for (const { engine, record } of inOrder.reverse()) await destroyStack(engine, record);
}

async function destroyStack(engine: StackEngine, record: StackRecord): Promise<void> {
  if (await engine.delete(record)) return;
  throw new StackFailed(record.name, record.status, [record.statusReason ?? 'a resource could not be deleted']);
}

export function givenTo(stack: StackArtifact, record: StackRecord | undefined, parameters: Values): Values {
  const { Parameters: declared = {} } = stack.template;
  const isDeclared = ([name]: readonly [string, unknown]) => Object.hasOwn(Object(declared), name);
  return Object.fromEntries(
    Object.entries({ ...record?.given, ...stack.parameters, ...parameters }).filter(isDeclared),
  );
}
