import type { Place } from '../kernel/place';
import type { Random } from '../kernel/random';
import type { Assembly, StackArtifact } from './assembly';
import { failOn, type NoteProblem } from './assembly-error';
import { type DeployTarget, planStack, type StackPlan } from './plan-stack';
import type { ResourceType } from './resource-type';
import { type DeployedStack, StackDeployment } from './stack-deployment';
import { PENDING } from './values';

export interface DeployOptions {
  /** Every resource type there is, of all services. */
  readonly types: readonly ResourceType[];
  readonly place: Place;
  /** A stream of the world's generator that belongs to CloudFormation alone: physical names come from it. */
  readonly random: Random;
  /** Parameter values by name, where the templates' own defaults are not wanted. @default the defaults */
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * Deploys every stack of an assembly. Templates are evaluated in full, all of them, before the first resource is
 * created; what only the resource types can tell (their properties) is collected over all stacks as well.
 *
 * @throws AssemblyError with every problem found, after which the services hold what was created up to there
 */
export function deployAssembly(assembly: Assembly, options: DeployOptions): readonly DeployedStack[] {
  return deployStacks(assembly.stacks, options);
}

/**
 * Deploys stacks in the order given.
 *
 * @throws AssemblyError with every problem found
 */
export function deployStacks(stacks: readonly StackArtifact[], options: DeployOptions): readonly DeployedStack[] {
  const { place, random, parameters = {} } = options;
  const target: DeployTarget = {
    types: new Map(options.types.map(type => [type.type, type])),
    place,
    random,
    parameters,
  };
  const plans = planAll(stacks, target);
  const problems = new Set<string>();
  const exports = new Map<string, unknown>();
  const deployed = plans.map(plan => {
    const note: NoteProblem = problem => problems.add(`${plan.stack.name}: ${problem}`);
    const deployment = new StackDeployment(plan, random, exports, note);
    return deployment.run(exports);
  });
  failOn([...problems]);
  return deployed;
}

function planAll(stacks: readonly StackArtifact[], target: DeployTarget): readonly StackPlan[] {
  const problems = new Set<string>();
  const exports = new Map<string, unknown>();
  const plans = stacks.map(stack => {
    const note: NoteProblem = problem => problems.add(`${stack.name}: ${problem}`);
    const plan = planStack(stack, target, exports, note);
    for (const name of plan.exportNames) {
      if (exports.has(name)) note(`the export ${name} is already made by another stack`);
      exports.set(name, PENDING);
    }
    return plan;
  });
  for (const problem of undeclaredParameters(stacks, plans, target)) problems.add(problem);
  failOn([...problems]);
  return plans;
}

/** Values nobody asked for: a misspelt name would leave the default in place, in silence. */
function undeclaredParameters(
  stacks: readonly StackArtifact[],
  plans: readonly StackPlan[],
  { parameters }: DeployTarget,
): readonly string[] {
  const byApp = stacks.flatMap((stack, i) => {
    const declared = plans[i]?.template.parameters ?? {};
    const undeclared = Object.keys(stack.parameters).filter(name => !Object.hasOwn(declared, name));
    return undeclared.map(
      name => `${stack.name}: the app gives parameter ${name} a value, which the template does not declare`,
    );
  });
  const declared = new Set(plans.flatMap(({ template }) => Object.keys(template.parameters)));
  const names = [...declared].join(', ') || 'none';
  const given = Object.keys(parameters)
    .filter(name => !declared.has(name))
    .map(name => `parameter ${name} is given a value, and no template declares it; the parameters are ${names}`);
  return [...byApp, ...given];
}
