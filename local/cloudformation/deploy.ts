import { isPending, type NoteProblem, PENDING } from '../../template/values';
import type { Clock } from '../kernel/clock';
import type { JsonObject } from '../kernel/json';
import type { Place } from '../kernel/place';
import type { Random } from '../kernel/random';
import type { Assembly, StackArtifact } from './assembly';
import type { References } from './dynamic-references';
import { type Environment, failOn } from './environment';
import { isNestedHere, nestedArtifact, nestedStackType, previewedParameters } from './nested-stack';
import { type ParameterValues, undeclaredValues } from './parameters';
import { givenIn, parametersOf, planStack, type StackPlan } from './plan-stack';
import type { AnyResourceType, ResourceType } from './resource-type';
import { type CollectedStackValues, type DeployedStack, StackDeployment } from './stack-deployment';
import { StackDirectory, StackRecord } from './stack-record';
import { type AllowsStandIns, isKnownType, NO_STAND_INS, type StandIn, standInType } from './stand-ins/stand-in';
import type { TemplateResource } from './template';
import { outputKey } from './template-scope';

/** Where stacks are deployed: an account in a Region. */
export interface DeployTarget {
  readonly types: readonly AnyResourceType[];
  readonly place: Place;
  /** A random stream of CloudFormation alone, which draws physical names. */
  readonly random: Random;
  /** Looks up values of other services for templates. */
  readonly references: References;
  /** Where the stacks are recorded. @default - a new directory */
  readonly directory?: StackDirectory;
  readonly noteStandIn?: (standIn: StandIn) => void;
}

/** How to deploy. The target is that of stacks that name neither account nor Region. */
export interface DeployOptions extends DeployTarget {
  readonly clock: Clock;
  /** The target of stacks that name an account or a Region. @default - they are refused unless it is that of `place` */
  readonly targetIn?: ((environment: Environment) => DeployTarget) | undefined;
  /** Parameter values that replace the templates' defaults, by name. @default - the templates' defaults */
  readonly parameters?: Readonly<Record<string, string>>;
  /** For which resource types stand-ins are allowed. @default - none */
  readonly allowsStandIns?: AllowsStandIns;
}

/**
 * Deploys every stack of an assembly. All templates are evaluated as far as possible before the first resource is
 * created. Problems that only resource types can find (in properties) are also collected over all stacks. Some
 * resources wait for due work, so the caller must let time move.
 *
 * @throws AssemblyError with every problem found; the services keep the resources created before
 */
export function deployAssembly(assembly: Assembly, options: DeployOptions): Promise<readonly DeployedStack[]> {
  return deployStacks(assembly.stacks, options);
}

/**
 * Deploys stacks in the order given.
 *
 * @returns the stacks, each after those that nest in it
 * @throws AssemblyError with every problem found
 */
export function deployStacks(
  stacks: readonly StackArtifact[],
  options: DeployOptions,
): Promise<readonly DeployedStack[]> {
  return new Deploy(options).run(stacks);
}

/** The first deployment neither updates nor deletes: `StackEngine` does. */
function onlyCreated(): never {
  throw new Error('a first deployment only creates stacks, and must not update or delete one');
}

/** One deployment of all stacks. */
class Deploy {
  private readonly problems = new Set<string>();
  private readonly crossStack = new ValuesByPlace();
  private readonly deployed: DeployedStack[] = [];
  private readonly directories = new Map<DeployTarget, StackDirectory>();
  private readonly types = new Map<DeployTarget, ReadonlyMap<string, AnyResourceType>>();
  private readonly nested: AnyResourceType;
  /** By the ARNs of the stacks. */
  private readonly created = new Map<string, StackRecord>();

  constructor(private readonly options: DeployOptions) {
    this.nested = nestedStackType({
      create: async ({ templateUrl, parameters }, properties, { parentId, ...names }) => {
        const parent = this.created.get(parentId);
        const note = (rule: string) =>
          parent && isNestedHere(parent.artifact, templateUrl)
            ? properties.problem('TemplateURL', rule, templateUrl)
            : properties.needsStandIn('TemplateURL', rule, templateUrl);
        const artifact = parent && nestedArtifact(parent.artifact, names, templateUrl, note);
        return artifact && this.create(artifact, parameters, parent);
      },
      update: onlyCreated,
      delete: onlyCreated,
    });
  }

  async run(stacks: readonly StackArtifact[]): Promise<readonly DeployedStack[]> {
    this.preview(stacks);
    for (const stack of stacks) await this.create(stack, this.options.parameters ?? {}, undefined);
    failOn([...this.problems]);
    return this.deployed;
  }

  /** Finds the problems that can be found before the first resource is created. */
  private preview(stacks: readonly StackArtifact[]): void {
    const values = new ValuesByPlace();
    const { parameters = {} } = this.options;
    const plans = stacks.map(stack => this.previewStack(stack, parameters, values));
    for (const problem of undeclaredParameters(stacks, plans, parameters)) this.problems.add(problem);
    failOn([...this.problems]);
  }

  private previewStack(stack: StackArtifact, parameters: ParameterValues, values: ValuesByPlace): StackPlan {
    const note = this.noteFor(stack);
    const target = this.targetOf(stack);
    const crossStack = values.in(target.place);
    const nested = (resource: TemplateResource, properties: JsonObject, noteHere: NoteProblem): void => {
      const url = properties['TemplateURL'];
      if (typeof url !== 'string' || isPending(url)) return;
      const { logicalId } = resource;
      if (!isNestedHere(stack, url) && this.options.allowsStandIns?.(resource.type)) return;
      const artifact = nestedArtifact(stack, { name: `${stack.name}-${logicalId}`, logicalId }, url, noteHere);
      if (artifact) this.previewStack(artifact, previewedParameters(properties), values);
    };
    const plan = planStack(stack, { target: this.planned(target), parameters, crossStack, nested }, note);
    for (const { logicalId, exportName } of plan.outputs) {
      crossStack.outputs.set(outputKey(stack.name, logicalId), PENDING);
      if (exportName === undefined) continue;
      if (crossStack.exports.has(exportName)) note(`another stack already exports ${exportName}`);
      crossStack.exports.set(exportName, PENDING);
    }
    return plan;
  }

  /** Plans the stack again, now that the values of other stacks are known, and creates it. */
  private async create(
    stack: StackArtifact,
    parameters: ParameterValues,
    parent: StackRecord | undefined,
  ): Promise<StackRecord | undefined> {
    const { clock } = this.options;
    const target = this.targetOf(stack);
    const { random, references } = target;
    const crossStack = this.crossStack.in(target.place);
    const note = this.noteFor(stack);
    const before = this.problems.size;
    const plan = planStack(stack, { target: this.planned(target), parameters, crossStack, references }, note);
    const record = this.record(plan, target, parent);
    this.created.set(plan.identity.id, record);
    const hasFailed = () => this.problems.size > 0;
    const standIns = {
      allows: this.options.allowsStandIns ?? NO_STAND_INS,
      of: (type: string) => this.standIn(type, target),
      note: target.noteStandIn ?? (() => {}),
      nowMs: () => clock.nowMs,
    };
    const deployment = new StackDeployment({
      plan,
      record,
      random,
      clock,
      crossStack,
      references,
      note,
      hasFailed,
      standIns,
    });
    const deployed = await deployment.run(crossStack);
    this.deployed.push(deployed);
    record.given = givenIn(plan);
    return this.problems.size > before ? undefined : record;
  }

  private record(plan: StackPlan, target: DeployTarget, parent: StackRecord | undefined): StackRecord {
    const { clock } = this.options;
    const { random } = target;
    const { stack, identity } = plan;
    const { name } = stack;
    const eventIds = random.stream(`events/${name}`);
    const description = { name, id: identity.id, createdAtMs: clock.nowMs, parent, incarnation: 1 };
    const record = new StackRecord(description, stack, () => eventIds.uuid());
    record.parameters = parametersOf(plan, new Map());
    record.enter('CREATE_IN_PROGRESS', clock.nowMs, 'User Initiated');
    this.directoryOf(target).add(record);
    return record;
  }

  private targetOf({ environment }: StackArtifact): DeployTarget {
    return this.options.targetIn?.(environment) ?? this.options;
  }

  private directoryOf(target: DeployTarget): StackDirectory {
    const directory = target.directory ?? this.directories.get(target) ?? new StackDirectory();
    this.directories.set(target, directory);
    return directory;
  }

  private planned(target: DeployTarget) {
    const { place, random } = target;
    const types = this.types.get(target) ?? new Map([...target.types, this.nested].map(type => [type.type, type]));
    this.types.set(target, types);
    const { allowsStandIns = NO_STAND_INS } = this.options;
    const standIn = (type: string): ResourceType | undefined =>
      allowsStandIns(type) && isKnownType(type) ? this.standIn(type, target) : undefined;
    return { types, place, random, standIn };
  }

  private standIn(type: string, { place, random }: DeployTarget): ResourceType {
    const { clock } = this.options;
    return standInType(type, { place, random, nowMs: () => clock.nowMs });
  }

  private noteFor({ name }: StackArtifact): NoteProblem {
    return problem => this.problems.add(`${name}: ${problem}`);
  }
}

/** The exports and outputs of all stacks. Both belong to an account in a Region. */
class ValuesByPlace {
  private readonly byPlace = new Map<string, CollectedStackValues>();

  in({ account, region }: Pick<Place, 'account' | 'region'>): CollectedStackValues {
    const key = `${account}/${region}`;
    const known = this.byPlace.get(key);
    if (known) return known;
    const inRegion = (other: string) => this.in({ account, region: other });
    const made = { exports: new Map<string, unknown>(), outputs: new Map<string, unknown>(), inRegion };
    this.byPlace.set(key, made);
    return made;
  }
}

/** Finds values for parameters that do not exist. A misspelt name would silently leave the default in place. */
function undeclaredParameters(
  stacks: readonly StackArtifact[],
  plans: readonly StackPlan[],
  parameters: Readonly<Record<string, string>>,
): readonly string[] {
  const byApp = stacks.flatMap((stack, i) => {
    const declared = plans[i]?.template.parameters ?? {};
    const undeclared = Object.keys(stack.parameters).filter(name => !Object.hasOwn(declared, name));
    return undeclared.map(
      name => `${stack.name}: the app gives parameter ${name} a value, which the template does not declare`,
    );
  });
  const declared = new Set(plans.flatMap(({ template }) => Object.keys(template.parameters)));
  return [...byApp, ...undeclaredValues(declared, parameters)];
}
