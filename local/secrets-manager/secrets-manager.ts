import { administrator, type Caller } from '../kernel/caller';
import type { Random } from '../kernel/random';
import {
  type Api,
  accessDenied,
  type InputOf,
  type OutputOf,
  RequestChecks,
  type ServiceActions,
  ServiceApi,
} from '../kernel/service-api';
import { describeSecret, listSecrets, listSecretVersionIds } from './actions/describe-secrets';
import {
  deleteResourcePolicy,
  getResourcePolicy,
  putResourcePolicy,
  tagResource,
  untagResource,
} from './actions/policy-and-tags';
import { createSecret, deleteSecret, restoreSecret, updateSecret } from './actions/secret-lifecycle';
import { getSecretValue, putSecretValue, updateSecretVersionStage } from './actions/secret-values';
import type { SecretsManagerActionName, SecretsManagerActions } from './actions/secrets-manager-action';
import { getRandomPassword } from './random-password';
import { SecretsState } from './secrets-state';
import type { SecretsManagerContext } from './trace-events';

/**
 * AWS Secrets Manager, without rotation and replicas.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/Welcome.html
 */
export class SecretsManager implements Api<SecretsManagerActions> {
  /** An administrator of the secrets' account. */
  readonly owner: Caller;
  private readonly api: ServiceApi<SecretsState, SecretsManagerActions>;
  private readonly state: SecretsState;

  constructor(private readonly context: SecretsManagerContext) {
    this.owner = administrator(context.place.account);
    this.state = new SecretsState(context);
    const checks = new RequestChecks(
      'secretsmanager',
      context,
      accessDenied(context.place, 'AccessDeniedException', 400),
    );
    this.api = new ServiceApi(checks, SECRETS_MANAGER_ACTIONS, this.state);
  }

  call<Name extends SecretsManagerActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<SecretsManagerActions[Name]>,
  ): OutputOf<SecretsManagerActions[Name]> {
    return this.api.call(action, caller, input);
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return this.api.implements(action);
  }

  /** A random stream for the generated values of one secret, independent of other secrets. */
  passwordsOf(secretName: string): Random {
    return this.context.random.stream(`password/${secretName}`);
  }
}

/** Every API action by its name. */
const SECRETS_MANAGER_ACTIONS: ServiceActions<SecretsState, SecretsManagerActions> = {
  CreateSecret: createSecret,
  DeleteResourcePolicy: deleteResourcePolicy,
  DeleteSecret: deleteSecret,
  DescribeSecret: describeSecret,
  GetRandomPassword: getRandomPassword,
  GetResourcePolicy: getResourcePolicy,
  GetSecretValue: getSecretValue,
  ListSecrets: listSecrets,
  ListSecretVersionIds: listSecretVersionIds,
  PutResourcePolicy: putResourcePolicy,
  PutSecretValue: putSecretValue,
  RestoreSecret: restoreSecret,
  TagResource: tagResource,
  UntagResource: untagResource,
  UpdateSecret: updateSecret,
  UpdateSecretVersionStage: updateSecretVersionStage,
};
