import type { Api, InputOf, OutputOf } from '../kernel/api';
import { administrator, type Caller } from '../kernel/caller';
import { accessDenied, RequestChecks } from '../kernel/doorkeeper';
import { ServiceApi } from '../kernel/front-door';
import type { Random } from '../kernel/random';
import { SECRETS_MANAGER_ACTIONS } from './actions';
import type { SecretsManagerActionName, SecretsManagerActions } from './secrets-manager-actions';
import { type SecretsManagerContext, SecretsState } from './secrets-state';

/**
 * AWS Secrets Manager, without rotation and replicas.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/Welcome.html
 */
export class SecretsManager implements Api<SecretsManagerActions> {
  /** An administrator of the account the secrets belong to. */
  readonly owner: Caller;
  private readonly door: ServiceApi<SecretsState, SecretsManagerActions>;
  private readonly state: SecretsState;

  constructor(private readonly context: SecretsManagerContext) {
    this.owner = administrator(context.place.account);
    this.state = new SecretsState(context);
    const keeper = new RequestChecks(
      'secretsmanager',
      context,
      accessDenied(context.place, 'AccessDeniedException', 400),
    );
    this.door = new ServiceApi(keeper, SECRETS_MANAGER_ACTIONS, this.state);
  }

  call<Name extends SecretsManagerActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<SecretsManagerActions[Name]>,
  ): OutputOf<SecretsManagerActions[Name]> {
    return this.door.call(action, caller, input);
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return this.door.implements(action);
  }

  /** A generator for what a deploy draws for one secret, so that another secret leaves it as it was. */
  passwordsOf(secretName: string): Random {
    return this.context.random.stream(`password/${secretName}`);
  }
}
