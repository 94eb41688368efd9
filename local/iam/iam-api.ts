import type { Api, InputOf, OutputOf } from '../kernel/api';
import type { Caller } from '../kernel/caller';
import { accessDenied, RequestChecks } from '../kernel/doorkeeper';
import { ServiceApi } from '../kernel/front-door';
import type { ServiceContext } from '../kernel/services';
import { IAM_ACTIONS } from './actions';
import type { IamState } from './actions/iam-action';
import type { IamTraceEvent } from './happenings';
import type { Iam } from './iam';
import type { IamActionName, IamActions } from './iam-actions';

export type IamApiContext = Pick<ServiceContext<IamTraceEvent>, 'place' | 'access' | 'faults' | 'trace'>;

/**
 * How clients reach IAM. The services of the embedded AWS ask `Iam` itself, which no fault keeps from deciding.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/welcome.html
 */
export class IamApi implements Api<IamActions> {
  private readonly door: ServiceApi<IamState, IamActions>;

  constructor(context: IamApiContext, iam: Iam) {
    const { place } = context;
    const keeper = new RequestChecks('iam', context, accessDenied(place, 'AccessDenied', 403));
    this.door = new ServiceApi(keeper, IAM_ACTIONS, { place, iam });
  }

  call<Name extends IamActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<IamActions[Name]>,
  ): OutputOf<IamActions[Name]> {
    return this.door.call(action, caller, input);
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return this.door.implements(action);
  }
}
