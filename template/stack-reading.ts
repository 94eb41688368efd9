import { isObject } from '../policy/json-members';
import { DeclaredConditions, evaluate } from './evaluate';
import { intrinsicName, mappedValue, type Problem, type Scope, type Verdict } from './intrinsics';
import { PropertyValue } from './property-values';
import { attributeOf, environmentOf, refOf, type TemplateEnvironment, type ValuedResource } from './resource-values';
import { hasStandIn } from './stand-in';
import { type DeclaredResource, partsOf, propertyOf, type TemplateParts, type TemplateStack } from './template-stack';
import { NO_VALUE, PENDING, scalarText } from './values';

/** What a stack may ask of the others that are read with it: `PENDING` where none of them tells. */
export interface OtherStacks {
  exported(name: string, by: StackReading): unknown;
  output(stackName: string, logicalId: string, region: string, by: StackReading): unknown;
}

const NESTED_STACK = 'AWS::CloudFormation::Stack';
const NOTHING = () => undefined;
const OF_A_CONDITION = 'hangs on a condition that only the deployment decides';

/** Pseudo parameters; those of which a template knows nothing are not here. */
const PSEUDO_PARAMETERS: Readonly<Record<string, (stack: StackReading) => unknown>> = {
  'AWS::AccountId': ({ environment }) => environment.account,
  'AWS::Region': ({ environment }) => environment.region,
  'AWS::Partition': ({ environment }) => environment.partition,
  'AWS::URLSuffix': ({ environment }) => environment.urlSuffix,
  'AWS::StackName': ({ name }) => name,
  'AWS::NoValue': () => NO_VALUE,
};

/** A template, read as far as can be before it is deployed. */
export class StackReading implements Scope {
  readonly parts: TemplateParts;
  readonly environment: TemplateEnvironment;
  readonly waitsFor: ReadonlyMap<string, readonly string[]>;
  private readonly conditions: DeclaredConditions;
  private readonly nestedOnes = new Map<string, StackReading | undefined>();
  private readonly evaluating = new Set<string>();

  private readonly within: readonly string[];

  /**
   * @param isCertain whether the stack itself is surely deployed
   * @param around the paths of the templates it nests in: one that nests in itself has no end
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

  /** A value of the template, evaluated. */
  given(value: unknown, at: string): PropertyValue {
    const notes: string[] = [];
    const evaluated = evaluate(value, at, this, note => notes.push(note));
    const [first] = notes;
    return new PropertyValue(
      evaluated,
      first === undefined ? OF_A_CONDITION : `is only known once it is deployed: ${first}`,
    );
  }

  /** Whether a resource, or an output, is made. */
  isMade(condition: string | undefined): Verdict {
    return condition === undefined ? true : this.conditions.verdict(condition, () => PENDING);
  }

  ref(name: string, problem: Problem): unknown {
    const declared = this.parts.resources.get(name);
    if (!declared) return this.parameter(name, problem);
    return this.valueOf(declared, problem, refOf);
  }

  attribute(logicalId: string, attribute: string, problem: Problem): unknown {
    const declared = this.parts.resources.get(logicalId);
    if (!declared) return problem(`names ${logicalId}, which the template lacks`);
    if (declared.type === NESTED_STACK) return this.nestedOutput(declared, attribute, problem);
    return this.valueOf(declared, problem, resource => attributeOf(resource, attribute));
  }

  condition(name: string, problem: Problem): Verdict {
    return this.conditions.verdict(name, problem);
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

  /** Which Availability Zones an account sees is its own affair. */
  zones(): readonly string[] {
    return [];
  }

  /** An output's value; undefined where the template has none such. */
  outputValue(logicalId: string): unknown {
    const output = this.parts.outputs[logicalId];
    if (!isObject(output) || this.isMade(scalarText(output['Condition'])) === false) return undefined;
    return this.guarded(`Outputs.${logicalId}`, () => evaluate(output['Value'], logicalId, this, NOTHING));
  }

  /** The name an output is exported under. */
  exportName(logicalId: string): unknown {
    const output = this.parts.outputs[logicalId];
    const exported = isObject(output) ? output['Export'] : undefined;
    return isObject(exported) ? evaluate(exported['Name'], logicalId, this, NOTHING) : undefined;
  }

  /** The stack that nests under a logical id, where its template can be read. */
  nested(declared: DeclaredResource): StackReading | undefined {
    const { logicalId } = declared;
    if (!this.nestedOnes.has(logicalId)) {
      // Its own URL and parameters may name it: while it is read there is none.
      this.nestedOnes.set(logicalId, undefined);
      this.nestedOnes.set(logicalId, this.readNested(declared));
    }
    return this.nestedOnes.get(logicalId);
  }

  /** The stacks that nest in it, those that cannot be read as undefined. */
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
    const { place } = this.stack;
    const nested: TemplateStack = {
      ...read,
      stackName,
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

  /** What is asked for while it is being evaluated names itself. */
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

/** A list is given as its items, joined with commas. */
function asDeclared(value: unknown, type: string): unknown {
  const text = scalarText(value);
  return LIST_TYPE.test(type) && text !== undefined ? text.split(',').map(item => item.trim()) : value;
}

const PLACEHOLDER = /\$\{([^}!.]+)[^}]*\}/g;

function namedInText(argument: unknown): string[] {
  const text: unknown = Array.isArray(argument) ? argument[0] : argument;
  return typeof text === 'string' ? [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim()) : [];
}

/** The logical ids that intrinsic functions name by themselves. */
const NAMED: Readonly<Record<string, (argument: unknown) => unknown[]>> = {
  Ref: argument => [argument],
  'Fn::GetAtt': argument => [Array.isArray(argument) ? argument[0] : scalarText(argument)?.split('.')[0]],
  'Fn::Sub': namedInText,
};

/** Every name a value refers to, parameters included. */
function namesIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isObject(value)) return [];
  const name = intrinsicName(value);
  const named = name === undefined ? [] : (NAMED[name]?.(value[name]) ?? []);
  return [...named, ...Object.values(value).flatMap(namesIn)];
}

/**
 * By logical id, the resources that CloudFormation makes before it: those it names, those it depends on, and what those wait
 * for. A resource that waits for itself is part of a circle.
 */
export function waitsFor(resources: ReadonlyMap<string, DeclaredResource>): ReadonlyMap<string, readonly string[]> {
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
