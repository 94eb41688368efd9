import type { Api, InputOf, OutputOf } from '../kernel/api';
import { administrator, type Caller } from '../kernel/caller';
import { accessDenied, RequestChecks } from '../kernel/doorkeeper';
import { ServiceApi } from '../kernel/front-door';
import { SSM_ACTIONS } from './actions';
import type { SsmActionName, SsmActions } from './ssm-actions';
import { type SsmContext, SsmState } from './ssm-state';

/**
 * The Parameter Store of Systems Manager; nothing else of it exists here.
 *
 * @see https://docs.aws.amazon.com/systems-manager/latest/userguide/systems-manager-parameter-store.html
 */
export class Ssm implements Api<SsmActions> {
  /** An administrator of the account the parameters belong to. */
  readonly owner: Caller;
  private readonly door: ServiceApi<SsmState, SsmActions>;

  constructor(context: SsmContext) {
    this.owner = administrator(context.place.account);
    const keeper = new RequestChecks('ssm', context, accessDenied(context.place, 'AccessDeniedException', 400));
    this.door = new ServiceApi(keeper, SSM_ACTIONS, new SsmState(context, keeper));
  }

  call<Name extends SsmActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<SsmActions[Name]>,
  ): OutputOf<SsmActions[Name]> {
    return this.door.call(action, caller, input);
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return this.door.implements(action);
  }
}
