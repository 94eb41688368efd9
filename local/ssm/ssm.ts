import { administrator, type Caller } from '../kernel/caller';
import {
  type Api,
  accessDenied,
  type InputOf,
  type OutputOf,
  RequestChecks,
  type ServiceActions,
  ServiceApi,
} from '../kernel/service-api';
import { deleteParameter, deleteParameters } from './actions/delete-parameters';
import { labelParameterVersion, putParameter } from './actions/put-parameter';
import {
  describeParameters,
  getParameter,
  getParameterHistory,
  getParameters,
  getParametersByPath,
} from './actions/read-parameters';
import type { SsmActionName, SsmActions } from './actions/ssm-action';
import { addTagsToResource, listTagsForResource, removeTagsFromResource } from './actions/tags';
import { SsmState } from './ssm-state';
import type { SsmContext } from './trace-events';

/**
 * The Parameter Store of Systems Manager. Its other features are not simulated.
 *
 * @see https://docs.aws.amazon.com/systems-manager/latest/userguide/systems-manager-parameter-store.html
 */
export class Ssm implements Api<SsmActions> {
  /** An administrator of the parameters' account. */
  readonly owner: Caller;
  private readonly api: ServiceApi<SsmState, SsmActions>;

  constructor(context: SsmContext) {
    this.owner = administrator(context.place.account);
    const checks = new RequestChecks('ssm', context, accessDenied(context.place, 'AccessDeniedException', 400));
    this.api = new ServiceApi(checks, SSM_ACTIONS, new SsmState(context, checks));
  }

  call<Name extends SsmActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<SsmActions[Name]>,
  ): OutputOf<SsmActions[Name]> {
    return this.api.call(action, caller, input);
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return this.api.implements(action);
  }
}

/** Every API action by its name. */
const SSM_ACTIONS: ServiceActions<SsmState, SsmActions> = {
  AddTagsToResource: addTagsToResource,
  DeleteParameter: deleteParameter,
  DeleteParameters: deleteParameters,
  DescribeParameters: describeParameters,
  GetParameter: getParameter,
  GetParameterHistory: getParameterHistory,
  GetParameters: getParameters,
  GetParametersByPath: getParametersByPath,
  LabelParameterVersion: labelParameterVersion,
  ListTagsForResource: listTagsForResource,
  PutParameter: putParameter,
  RemoveTagsFromResource: removeTagsFromResource,
};
