import type { Api, InputOf, OutputOf } from '../kernel/api';
import type { Caller } from '../kernel/caller';
import { accessDenied, RequestChecks } from '../kernel/doorkeeper';
import { ServiceApi } from '../kernel/front-door';
import type { Random } from '../kernel/random';
import { CLOUD_FORMATION_ACTIONS } from './actions';
import type { CloudFormationState } from './actions/cloud-formation-action';
import type { Assembly } from './assembly';
import type { CloudFormationActionName, CloudFormationActions } from './cloud-formation-actions';
import { CustomResource } from './custom-resources/custom-resource';
import { ResponseBucket } from './custom-resources/response-bucket';
import { deployAssembly } from './deploy';
import type { CloudFormationContext, CloudFormationDependencies } from './ports';
import type { AnyResourceType } from './resource-type';
import { waitConditionHandle } from './resources/wait-condition-handle';
import type { DeployedStack } from './stack-deployment';
import { StackDirectory } from './stack-record';

export interface DeployInput {
  /** The resource types of all other services. */
  readonly types: readonly AnyResourceType[];
  /** Physical names come from it. */
  readonly random: Random;
  /** Parameter values by name, where the templates' own defaults are not wanted. @default the defaults */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

/**
 * CloudFormation: it deploys an assembly, once, and tells of its stacks. Nothing is changed or deleted by it.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/Welcome.html
 */
export class CloudFormation implements Api<CloudFormationActions> {
  private readonly directory = new StackDirectory();
  private readonly door: ServiceApi<CloudFormationState, CloudFormationActions>;
  private readonly ownTypes: readonly AnyResourceType[];

  constructor(
    private readonly context: CloudFormationContext,
    private readonly neighbours: CloudFormationDependencies,
  ) {
    const { place } = context;
    const bucket = new ResponseBucket(place);
    neighbours.network.attach(bucket.hostName, bucket.answer);
    this.ownTypes = [new CustomResource(context, neighbours, bucket), waitConditionHandle(bucket.hostName)];
    const keeper = new RequestChecks('cloudformation', context, accessDenied(place, 'AccessDenied', 403));
    this.door = new ServiceApi(keeper, CLOUD_FORMATION_ACTIONS, { place, directory: this.directory });
  }

  call<Name extends CloudFormationActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<CloudFormationActions[Name]>,
  ): OutputOf<CloudFormationActions[Name]> {
    return this.door.call(action, caller, input);
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return this.door.implements(action);
  }

  /**
   * Deploys the stacks of an assembly. Custom resources take virtual time, which whoever waits for the promise lets move.
   *
   * @throws AssemblyError with every problem found
   */
  deploy(assembly: Assembly, { types, random, parameters = {} }: DeployInput): Promise<readonly DeployedStack[]> {
    const { place, timeline } = this.context;
    const { references } = this.neighbours;
    return deployAssembly(assembly, {
      types: [...types, ...this.ownTypes],
      place,
      random,
      clock: timeline,
      references,
      directory: this.directory,
      parameters,
    });
  }
}
