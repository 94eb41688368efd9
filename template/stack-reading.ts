import { isObject, ownMember } from '../policy/json-members';
import { DeclaredConditions, evaluate } from './evaluate';
import { type ConditionValue, intrinsicName, mappedValue, type Problem, type Scope } from './intrinsics';
import { PropertyValue } from './property-values';
import { attributeOf, environmentOf, refOf, type TemplateEnvironment, type ValuedResource } from './resource-values';
import { hasStandIn } from './stand-in';
import { type DeclaredResource, partsOf, propertyOf, type TemplateParts, type TemplateStack } from './template-stack';
import { NO_VALUE, PENDING, scalarText } from './values';

/** What a stack can look up in the other stacks of the app: `PENDING` if none of them has it. */
export interface OtherStacks {
  exported(name: string, by: StackReading): unknown;
  output(stackName: string, logicalId: string, region: string, by: StackReading): unknown;
}

const NESTED_STACK = 'AWS::CloudFormation::Stack';
const NOTHING = () => undefined;
const OF_A_CONDITION = 'depends on a condition that is only decided at deployment';

/** Pseudo parameters, except those whose value a template cannot know. */
const PSEUDO_PARAMETERS: Readonly<Record<string, (stack: StackReading) => unknown>> = {
  'AWS::AccountId': ({ environment }) => environment.account,
  'AWS::Region': ({ environment }) => environment.region,
  'AWS::Partition': ({ environment }) => environment.partition,
  'AWS::URLSuffix': ({ environment }) => environment.urlSuffix,
  'AWS::StackName': ({ name }) => name,
  'AWS::NoValue': () => NO_VALUE,
};

/** A template, evaluated as far as possible before deployment. */
export class StackReading implements Scope {
  readonly parts: TemplateParts;
  readonly environment: TemplateEnvironment;
  readonly waitsFor: ReadonlyMap<string, readonly string[]>;
  private readonly conditions: DeclaredConditions;
  private readonly nestedOnes = new Map<string, StackReading | undefined>();
  private readonly evaluating = new Set<string>();

  private readonly within: readonly string[];

  /**
   * @param isCertain whether the stack itself is certainly deployed
   * @param around the paths of the templates around it: a template that nests itself would never end
   */
  constructor(
    readonly stack: TemplateStack,
    private readonly others: OtherStacks,
    readonly isCertain = true,
    around: readonly string[] = [],
  ) {
    this.within = [...around, stack.templatePath];
    this.parts = partsOf(stack.template);
    this.environment = environmentOf(stack);
    this.waitsFor = waitsFor(this.parts.resources);
    this.conditions = new DeclaredConditions(this.parts.conditions, this.operands(), NOTHING);
  }

  get name(): string {
    return this.stack.stackName;
  }

  given(value: unknown, at: string): PropertyValue {
    const notes: string[] = [];
    const evaluated = evaluate(value, at, this, note => notes.push(note));
    const [first] = notes;
    return new PropertyValue(evaluated, first === undefined ? OF_A_CONDITION : `is only known at deployment: ${first}`);
  }

  /** Whether a resource or output is created. */
  isMade(condition: string | undefined): ConditionValue {
    return condition === undefined ? true : this.conditions.decideNamed(condition, () => PENDING);
  }

  ref(name: string, problem: Problem): unknown {
    const declared = this.parts.resources.get(name);
    if (!declared) return this.parameter(name, problem);
    return this.valueOf(declared, problem, refOf);
  }

  attribute(logicalId: string, attribute: string, problem: Problem): unknown {
    const declared = this.parts.resources.get(logicalId);
    if (!declared) return problem(`names ${logicalId}, which the template does not declare`);
    if (declared.type === NESTED_STACK) return this.nestedOutput(declared, attribute, problem);
    return this.valueOf(declared, problem, resource => attributeOf(resource, attribute));
  }

  condition(name: string, problem: Problem): ConditionValue {
    return this.conditions.decideNamed(name, problem);
  }

  mapping(name: string, topLevelKey: string, secondLevelKey: string, problem: Problem): unknown {
    return mappedValue(this.parts.mappings, [name, topLevelKey, secondLevelKey], problem);
  }

  exported(name: string, problem: Problem): unknown {
    return this.orProblem(this.others.exported(name, this), problem, `names the export ${name}`);
  }

  output(stackName: string, logicalId: string, region: string | undefined, problem: Problem): unknown {
    const value = this.others.output(stackName, logicalId, region ?? this.environment.region, this);
    return this.orProblem(value, problem, `names the output ${logicalId} of ${stackName}`);
  }

  /** The Availability Zones of an account cannot be known from a template. */
  zones(): readonly string[] {
    return [];
  }

  /** The value of an output; undefined if the template has no such output. */
  outputValue(logicalId: string): unknown {
    const output = ownMember(this.parts.outputs, logicalId);
    if (!isObject(output) || this.isMade(scalarText(output['Condition'])) === false) return undefined;
    return this.guarded(`Outputs.${logicalId}`, () => evaluate(output['Value'], logicalId, this, NOTHING));
  }

  exportName(logicalId: string): unknown {
    const output = ownMember(this.parts.outputs, logicalId);
    const exported = isObject(output) ? output['Export'] : undefined;
    return isObject(exported) ? evaluate(exported['Name'], logicalId, this, NOTHING) : undefined;
  }

  /** The nested stack under a logical id, if its template can be read. */
  nested(declared: DeclaredResource): StackReading | undefined {
    const { logicalId } = declared;
    if (!this.nestedOnes.has(logicalId)) {
      // Its own URL and parameters may refer to it. While it is being read, it counts as missing.
      this.nestedOnes.set(logicalId, undefined);
      this.nestedOnes.set(logicalId, this.readNested(declared));
    }
    return this.nestedOnes.get(logicalId);
  }

  /** The nested stacks. Those that cannot be read are undefined. */
  nestedStacks(): (StackReading | undefined)[] {
    const declared = [...this.parts.resources.values()].filter(({ type }) => type === NESTED_STACK);
    return declared.filter(it => this.isMade(it.condition) !== false).map(it => this.nested(it));
  }

  private readNested(declared: DeclaredResource): StackReading | undefined {
    const { logicalId, metadata } = declared;
    const templateUrl = scalarText(evaluate(propertyOf(declared, 'TemplateURL'), 'TemplateURL', this, NOTHING));
    const assetPath = scalarText(metadata['aws:asset:path']);
    const read = this.stack.nested?.({ logicalId, templateUrl, assetPath });
    if (!read || this.within.includes(read.templatePath)) return undefined;
    const parameters = evaluate(propertyOf(declared, 'Parameters'), 'Parameters', this, NOTHING);
    const { account, region } = this.environment;
    const isCertain = this.isCertain && this.isMade(declared.condition) === true;
    const stackName = `${this.name}.${logicalId}`;
    const { place, stackPath } = this.stack;
    const nested: TemplateStack = {
      ...read,
      stackName,
      stackPath,
      account,
      region,
      place,
      ...(isObject(parameters) && { parameters }),
    };
    return new StackReading(nested, this.others, isCertain, this.within);
  }

  private nestedOutput(declared: DeclaredResource, attribute: string, problem: Problem): unknown {
    const value = this.nested(declared)?.outputValue(attribute.replace(/^Outputs\./, '')) ?? PENDING;
    return this.orProblem(value, problem, `names ${attribute} of the nested stack ${declared.logicalId}`);
  }

  private valueOf(declared: DeclaredResource, problem: Problem, value: (it: ValuedResource) => unknown): unknown {
    const { logicalId, type } = declared;
    const { name: stackName, environment } = this;
    const property = (name: string) =>
      this.guarded(`${logicalId}.${name}`, () => evaluate(propertyOf(declared, name), name, this, NOTHING));
    const found = value({ type, logicalId, stackName, environment, property });
    return this.orProblem(found, problem, `names ${logicalId}, a ${type}`);
  }

  /** A value that is requested while it is being evaluated refers to itself. */
  private guarded(what: string, evaluated: () => unknown): unknown {
    if (this.evaluating.has(what)) return PENDING;
    this.evaluating.add(what);
    const value = evaluated();
    this.evaluating.delete(what);
    return value === NO_VALUE ? undefined : value;
  }

  private orProblem(value: unknown, problem: Problem, rule: string): unknown {
    return value === PENDING ? problem(rule) : value;
  }

  private parameter(name: string, problem: Problem): unknown {
    const pseudo = Object.hasOwn(PSEUDO_PARAMETERS, name) ? PSEUDO_PARAMETERS[name] : undefined;
    if (pseudo) return pseudo(this);
    const declaration = this.parts.parameters[name];
    const type = scalarText(isObject(declaration) ? declaration['Type'] : '') ?? '';
    const { parameters = {} } = this.stack;
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (value === undefined || value === PENDING || type.startsWith('AWS::SSM::')) {
      return problem(`names the parameter ${name}`);
    }
    return asDeclared(value, type);
  }

  private operands(): Scope {
    const cannot = (problem: Problem) => problem('cannot be used in conditions');
    const inPlace = ['AWS::Region', 'AWS::AccountId', 'AWS::Partition', 'AWS::URLSuffix'];
    return {
      ref: (name, problem) => {
        const { account, region } = this.environment;
        const isOpen = inPlace.includes(name) && hasStandIn(name === 'AWS::AccountId' ? account : region);
        return isOpen ? problem('is chosen when the stack is deployed') : this.parameter(name, problem);
      },
      attribute: (_id, _attribute, problem) => cannot(problem),
      condition: (name, problem) => this.condition(name, problem),
      mapping: (name, first, second, problem) => this.mapping(name, first, second, problem),
      exported: (_, problem) => cannot(problem),
      output: (_stack, _output, _region, problem) => cannot(problem),
      zones: () => this.zones(),
    };
  }
}

const LIST_TYPE = /^(CommaDelimitedList|List<.*>)$/;

/** A list parameter has its items as a text, separated by commas. */
function asDeclared(value: unknown, type: string): unknown {
  const text = scalarText(value);
  return LIST_TYPE.test(type) && text !== undefined ? text.split(',').map(item => item.trim()) : value;
}

const PLACEHOLDER = /\$\{([^}!.]+)[^}]*\}/g;

function namedInText(argument: unknown): string[] {
  const text: unknown = Array.isArray(argument) ? argument[0] : argument;
  return typeof text === 'string' ? [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim()) : [];
}

/** The names that intrinsic functions use directly. */
const NAMED: Readonly<Record<string, (argument: unknown) => unknown[]>> = {
  Ref: argument => [argument],
  'Fn::GetAtt': argument => [Array.isArray(argument) ? argument[0] : scalarText(argument)?.split('.')[0]],
  'Fn::Sub': namedInText,
};

/** Every name that a value refers to, including parameters. */
function namesIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isObject(value)) return [];
  const name = intrinsicName(value);
  const named = name === undefined ? [] : (NAMED[name]?.(value[name]) ?? []);
  return [...named, ...Object.values(value).flatMap(namesIn)];
}

/**
 * For each logical id, the resources that CloudFormation creates first: those it refers to, those in its `DependsOn`,
 * and what those wait for. A resource that waits for itself is part of a cycle.
 */
function waitsFor(resources: ReadonlyMap<string, DeclaredResource>): ReadonlyMap<string, readonly string[]> {
  const direct = new Map(
    [...resources.values()].map(({ logicalId, properties, dependsOn }) => {
      const names = [...dependsOn, ...namesIn(properties)].filter(it => typeof it === 'string' && resources.has(it));
      return [logicalId, new Set(names as string[])] as const;
    }),
  );
  return new Map([...direct.keys()].map(logicalId => [logicalId, reachable(logicalId, direct)]));
}

function reachable(from: string, direct: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reached = new Set<string>();
  const open = [...(direct.get(from) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(direct.get(next) ?? []));
  }
  return [...reached].sort();
}
