import type { JsonObject } from '../kernel/json';
import type { Random } from '../kernel/random';
import { accessDenied, RequestChecks, ServiceApi } from '../kernel/service-api';
import { CLOUD_FORMATION_ACTIONS, type CloudFormationActions } from './actions';
import type { CloudFormationState } from './actions/cloud-formation-action';
import type { Assembly, StackArtifact } from './assembly';
import { CustomResource } from './custom-resource';
import { type DeployOptions, type DeployTarget, deployAssembly } from './deploy';
import type { CloudFormationDependencies } from './ports';
import type { AnyResourceType, ResourceType } from './resource-type';
import { type DeployedStack, deployedStack } from './stack-deployment';
import { crossStackValues, StackEngine } from './stack-engine';
import { StackDirectory, type StackRecord } from './stack-record';
import { allowsStandIns, type StandIn, type StandIns } from './stand-ins/stand-in';
import type { CrossStackValues } from './template-scope';
import type { CloudFormationContext } from './trace-events';
import { givenTo } from './update';

export interface DeployInput extends Pick<DeployOptions, 'targetIn'> {
  /** Where to deploy stacks that name neither account nor Region. */
  readonly target: DeployTarget;
  /** Parameter values that replace the templates' defaults, by name. @default - the templates' defaults */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** What to do with what is not simulated. @default refuse */
  readonly standIns?: StandIns | undefined;
}

interface DeployedResource {
  readonly stackName: string;
  readonly logicalId: string;
  readonly physicalId: string;
  readonly properties: JsonObject;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * CloudFormation in one account and Region: creates, updates, deletes and describes stacks.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/Welcome.html
 */
export class CloudFormation extends ServiceApi<CloudFormationState, CloudFormationActions> {
  private readonly ownTypes: readonly AnyResourceType[];
  private readonly noted: StandIn[] = [];
  /** Made-up values, by service and reference. */
  private readonly madeUp = new Map<string, string>();

  constructor(
    private readonly context: CloudFormationContext,
    private readonly neighbours: CloudFormationDependencies,
  ) {
    const { place } = context;
    const checks = new RequestChecks('cloudformation', context, accessDenied(place, 'AccessDenied', 403));
    super(checks, CLOUD_FORMATION_ACTIONS, {
      place,
      directory: new StackDirectory(neighbours.stackRecords),
      timeline: context.timeline,
      random: context.random.stream('change-sets'),
      changeSets: new Map(),
      engine: () => this.engine(),
    });
    const { bucket } = neighbours;
    this.ownTypes = [new CustomResource(context, neighbours, bucket), waitConditionHandle(bucket.hostName)];
  }

  /** The existing resources of a type, with their resolved properties. */
  resourcesOfType(type: string | RegExp): readonly DeployedResource[] {
    const isWanted = (it: string): boolean => (typeof type === 'string' ? it === type : type.test(it));
    return this.state.directory.all().flatMap(({ name: stackName, live }) =>
      [...live.values()]
        .filter(resource => isWanted(resource.type))
        .map(({ logicalId, ref: physicalId, properties, attributes }) => {
          return { stackName, logicalId, physicalId, properties, attributes };
        }),
    );
  }

  /** What the deployed stacks have that the embedded AWS does not simulate, in the order of deployment. */
  get standIns(): readonly StandIn[] {
    return this.noted;
  }

  /**
   * Deploys the stacks of an assembly. Custom resources take virtual time, so the caller must let time move while it
   * awaits the promise.
   *
   * @throws AssemblyError with every problem found
   */
  deploy(
    assembly: Assembly,
    { target, targetIn, parameters = {}, standIns = 'refuse' }: DeployInput,
  ): Promise<readonly DeployedStack[]> {
    for (const reason of assembly.missingContext ?? []) {
      this.note({ stack: '', logicalId: '', type: 'AWS::CDK::Context', what: 'context', reason });
    }
    return deployAssembly(assembly, {
      ...target,
      targetIn,
      clock: this.context.timeline,
      parameters,
      allowsStandIns: allowsStandIns(standIns),
    });
  }

  /**
   * What stacks are deployed with in this account and Region.
   *
   * @param types the resource types of all other services
   * @param random draws physical names
   */
  target(types: readonly AnyResourceType[], random: Random): DeployTarget {
    const references = { ...this.neighbours.references, missing: this.missing };
    const { place } = this.context;
    const { note: noteStandIn } = this;
    const { directory } = this.state;
    return { types: [...types, ...this.ownTypes], place, random, references, directory, noteStandIn };
  }

  /**
   * What creates, updates and deletes stacks in virtual time.
   *
   * @param operationMs how long an operation on one resource takes. @default 10,000
   */
  engine(operationMs = OPERATION_MS): StackEngine {
    const { timeline, trace } = this.context;
    const { deployTarget, stacksIn, standIns } = this.neighbours;
    const { directory } = this.state;
    const allows = allowsStandIns(standIns());
    return new StackEngine({ ...deployTarget(), directory, timeline, trace, operationMs, allows, inRegion: stacksIn });
  }

  /** The stacks that exist, those that nest in others before these. */
  get stacks(): readonly DeployedStack[] {
    const all = this.state.directory.all();
    const nesting = (parent: StackRecord | undefined): readonly StackRecord[] =>
      all.filter(({ description }) => description.parent === parent).flatMap(it => [...nesting(it), it]);
    return nesting(undefined).map(deployedStack);
  }

  /** The properties of every resource of the stacks that exist. */
  get properties(): readonly JsonObject[] {
    return this.state.directory.all().flatMap(({ live }) => [...live.values()].map(({ properties }) => properties));
  }

  /** What an update of a stack would do; undefined if the stack does not exist. @throws AssemblyError */
  predict(stack: StackArtifact, parameters: Readonly<Record<string, string>>) {
    const known = this.state.directory.find(stack.name);
    if (!known) return undefined;
    const changes = this.engine()
      .plan(stack, givenTo(stack, known, parameters))
      .predict();
    return { changes, live: [...known.live.values()] };
  }

  get values(): CrossStackValues {
    return crossStackValues(this.state.directory, this.neighbours.stacksIn);
  }

  /** A value of SSM or Secrets Manager that does not exist here, because another app creates it, or AWS does. */
  private readonly missing = (service: string, reference: string): string | undefined => {
    const type = service === 'ssm' ? 'AWS::SSM::Parameter' : 'AWS::SecretsManager::Secret';
    if (!allowsStandIns(this.neighbours.standIns())(type)) return undefined;
    const known = this.madeUp.get(`${service}:${reference}`);
    if (known !== undefined) return known;
    const isImage = /^\/aws\/service\/.*(?:ami|image)/.test(reference);
    const random = this.context.random.stream(`reference/${reference}`);
    const value = isImage ? `ami-${random.hex(17)}` : `stand-in-${reference.split('/').at(-1)}`;
    this.madeUp.set(`${service}:${reference}`, value);
    const reason = `${reference} does not exist in ${service} here: its value is made up`;
    this.note({ stack: '', logicalId: '', type, what: 'value', member: reference, reason });
    return value;
  };

  private readonly note = (standIn: StandIn): void => {
    this.noted.push(standIn);
    const { type: resourceType, path: _, ...about } = standIn;
    this.context.trace.record({ type: 'cloudformation.stand-in', ...about, resourceType });
  };
}

/** How long an operation on one resource takes. */
const OPERATION_MS = 10_000;

/**
 * A wait condition handle is only a URL: without a wait condition it has no effect. CDK uses it as a resource without
 * cost.
 *
 * @see
 *   https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-waitconditionhandle.html
 */
function waitConditionHandle(hostName: string): ResourceType {
  return {
    type: 'AWS::CloudFormation::WaitConditionHandle',
    create: (_, { stackName, logicalId }) => ({
      ref: `https://${hostName}/${encodeURIComponent(`${stackName}|${logicalId}`)}`,
      attributes: {},
    }),
    update: (_properties, _context, { ref, attributes }) => ({ ref, attributes }),
    delete: () => {},
  };
}
