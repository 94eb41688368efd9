import type { Api, InputOf, OutputOf } from '../kernel/api';
import type { Caller } from '../kernel/caller';
import { accessDenied, RequestChecks } from '../kernel/doorkeeper';
import { type ServiceActions, ServiceApi } from '../kernel/front-door';
import { assumeRole } from './actions/assume-role';
import { getCallerIdentity } from './actions/get-caller-identity';
import { getSessionToken } from './actions/get-session-token';
import type { StsState } from './actions/sts-action';
import type { Roles, StsContext } from './ports';
import type { StsActionName, StsActions } from './sts-actions';

const STS_ACTIONS: ServiceActions<StsState, StsActions> = {
  AssumeRole: assumeRole,
  GetCallerIdentity: getCallerIdentity,
  GetSessionToken: getSessionToken,
};

/**
 * The Security Token Service: sessions of roles, as long as they last in virtual time.
 *
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/welcome.html
 */
export class Sts implements Api<StsActions> {
  private readonly door: ServiceApi<StsState, StsActions>;

  constructor(context: StsContext, roles: Roles) {
    const keeper = new RequestChecks('sts', context, accessDenied(context.place, 'AccessDenied', 403));
    this.door = new ServiceApi(keeper, STS_ACTIONS, { context, roles });
  }

  call<Name extends StsActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<StsActions[Name]>,
  ): OutputOf<StsActions[Name]> {
    return this.door.call(action, withRequest(caller, input), input);
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return this.door.implements(action);
  }
}

/** The caller with what a trust policy may ask of the request. */
function withRequest(caller: Caller, input: object): Caller {
  const asked: { readonly ExternalId?: unknown; readonly RoleSessionName?: unknown } = input;
  const { ExternalId: externalId, RoleSessionName: sessionName } = asked;
  return {
    ...caller,
    context: {
      ...caller.context,
      ...(typeof externalId === 'string' && { 'sts:ExternalId': externalId }),
      ...(typeof sessionName === 'string' && { 'sts:RoleSessionName': sessionName }),
    },
  };
}
