import { ownMember } from '../../policy/json-members';
import { DeclaredConditions } from '../../template/evaluate';
import { type ConditionValue, mappedValue, type Problem, type Scope } from '../../template/intrinsics';
import { NO_VALUE, type NoteProblem, PENDING } from '../../template/values';
import { arnIn, type Place } from '../kernel/place';
import type { References } from './dynamic-references';
import { isLookedUp, lookedUpValue, type ParameterValue, type ParameterValues, parameterValue } from './parameters';
import type { Template } from './template';

export interface StackIdentity {
  readonly name: string;
  /** The ARN, the value of `AWS::StackId`. */
  readonly id: string;
  readonly place: Place;
  readonly notificationArns: readonly string[];
}

/** The resources of a stack; `PENDING` for one that does not exist yet. */
export interface ResourceValues {
  ref(logicalId: string, problem: Problem): unknown;
  attribute(logicalId: string, attribute: string, problem: Problem): unknown;
}

/** The exports and outputs of the stacks deployed before this one; `PENDING` is a value that is not known yet. */
export interface CrossStackValues {
  readonly exports: ReadonlyMap<string, unknown>;
  /** Values of all outputs by `outputKey`. */
  readonly outputs: ReadonlyMap<string, unknown>;
  /** Those of the account's stacks in another Region. */
  inRegion(region: string): CrossStackValues;
}

/** The key of an output among those of all stacks. Neither name can contain a dot. */
export function outputKey(stackName: string, logicalId: string): string {
  return `${stackName}.${logicalId}`;
}

interface TemplateScopeProps {
  readonly template: Template;
  readonly stack: StackIdentity;
  /** Parameter values that replace defaults. */
  readonly parameters: ParameterValues;
  readonly resources: ResourceValues;
  readonly crossStack: CrossStackValues;
  /** Looks up values of other services; without it they are pending. */
  readonly references?: References | undefined;
  readonly note: NoteProblem;
}

/**
 * Pseudo parameters by name.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/pseudo-parameter-reference.html
 */
const PSEUDO_PARAMETERS: Readonly<Record<string, (stack: StackIdentity) => unknown>> = {
  'AWS::AccountId': ({ place }) => place.account,
  'AWS::Region': ({ place }) => place.region,
  'AWS::Partition': ({ place }) => place.partition,
  'AWS::URLSuffix': ({ place }) => place.urlSuffix,
  'AWS::StackName': ({ name }) => name,
  'AWS::StackId': ({ id }) => id,
  'AWS::NotificationARNs': ({ notificationArns }) => notificationArns,
  'AWS::NoValue': () => NO_VALUE,
};

/** Regions have three or more Availability Zones, and accounts differ in which they see; three are simulated. */
const ZONE_SUFFIX = ['a', 'b', 'c'];

export function stackArn(place: Place, name: string, uuid: string): string {
  return arnIn(place, 'cloudformation', `stack/${name}/${uuid}`);
}

function valueOr(problem: Problem, found: ParameterValue): unknown {
  return 'value' in found ? found.value : problem(`cannot be evaluated: ${found.problem}`);
}

/** Resolves the names in a template's intrinsic functions. */
export class TemplateScope implements Scope {
  /** The exports of other stacks that were asked for. */
  readonly imports = new Set<string>();
  private readonly conditions: DeclaredConditions;
  private readonly lookedUp = new Map<string, string>();

  constructor(private readonly props: TemplateScopeProps) {
    this.conditions = new DeclaredConditions(props.template.conditions, this.operands(), props.note);
  }

  ref(name: string, problem: Problem): unknown {
    const { template, resources } = this.props;
    if (template.resources.has(name)) return resources.ref(name, problem);
    return this.parameter(name, problem);
  }

  attribute(logicalId: string, attribute: string, problem: Problem): unknown {
    if (!this.props.template.resources.has(logicalId))
      return problem(`names ${logicalId}, which the template does not declare`);
    return this.props.resources.attribute(logicalId, attribute, problem);
  }

  condition(name: string, problem: Problem): ConditionValue {
    return this.conditions.decideNamed(name, problem);
  }

  mapping(name: string, topLevelKey: string, secondLevelKey: string, problem: Problem): unknown {
    return mappedValue(this.props.template.mappings, [name, topLevelKey, secondLevelKey], problem);
  }

  exported(name: string, problem: Problem): unknown {
    const { exports } = this.props.crossStack;
    this.imports.add(name);
    return exports.has(name)
      ? exports.get(name)
      : problem(`finds no export ${name} in the stacks deployed before this one`);
  }

  output(stackName: string, logicalId: string, region: string | undefined, problem: Problem): unknown {
    const { crossStack } = this.props;
    const { outputs } = region === undefined ? crossStack : crossStack.inRegion(region);
    const key = outputKey(stackName, logicalId);
    const where = region === undefined ? '' : ` in ${region}`;
    return outputs.has(key)
      ? outputs.get(key)
      : problem(`finds no output ${logicalId} of a stack ${stackName}${where} deployed before this one`);
  }

  zones(region: string): readonly string[] {
    return ZONE_SUFFIX.map(suffix => `${region || this.props.stack.place.region}${suffix}`);
  }

  /** Values of the parameters that come from SSM. Parameters that nothing refers to are not looked up. */
  get lookedUpParameters(): ReadonlyMap<string, string> {
    return this.lookedUp;
  }

  private parameter(name: string, problem: Problem): unknown {
    const { template, stack, parameters } = this.props;
    const pseudo = Object.hasOwn(PSEUDO_PARAMETERS, name) ? PSEUDO_PARAMETERS[name] : undefined;
    if (pseudo) return pseudo(stack);
    if (!Object.hasOwn(template.parameters, name)) return problem(`names ${name}, which the template does not declare`);
    const given = ownMember(parameters, name);
    if (given === PENDING) return PENDING;
    const declaration = template.parameters[name];
    if (!isLookedUp(declaration)) return valueOr(problem, parameterValue(name, declaration, given));
    const { references } = this.props;
    if (!references) return PENDING;
    const value = valueOr(problem, lookedUpValue(name, declaration, given, references));
    if (value !== PENDING) this.lookedUp.set(name, String(value));
    return value;
  }

  private operands(): Scope {
    return {
      ref: (name, problem) =>
        this.props.template.resources.has(name)
          ? problem(`names the resource ${name}, and conditions cannot depend on resources`)
          : this.parameter(name, problem),
      attribute: (logicalId, _, problem) =>
        problem(`names the resource ${logicalId}, and conditions cannot depend on resources`),
      condition: (name, problem) => this.condition(name, problem),
      mapping: (name, first, second, problem) => this.mapping(name, first, second, problem),
      exported: (_, problem) => problem('cannot be used in conditions'),
      output: (_stack, _output, _region, problem) => problem('cannot be used in conditions'),
      zones: region => this.zones(region),
    };
  }
}
