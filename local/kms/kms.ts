import type { Caller } from '../kernel/caller';
import {
  type Api,
  accessDenied,
  type InputOf,
  type OutputOf,
  RequestChecks,
  type ServiceActions,
  ServiceApi,
} from '../kernel/service-api';
import * as aliases from './actions/aliases';
import * as cryptography from './actions/cryptography';
import * as keys from './actions/keys';
import type { KmsActionName, KmsActions } from './actions/kms-action';
import { withRequest } from './cipher';
import { KmsState } from './kms-state';
import type { KmsContext } from './trace-events';

/** Every API action by its name. */
const ACTIONS: ServiceActions<KmsState, KmsActions> = {
  CancelKeyDeletion: keys.cancelKeyDeletion,
  CreateAlias: aliases.createAlias,
  CreateKey: keys.createKey,
  Decrypt: cryptography.decrypt,
  DeleteAlias: aliases.deleteAlias,
  DescribeKey: keys.describeKey,
  DisableKey: keys.disableKey,
  DisableKeyRotation: keys.disableKeyRotation,
  EnableKey: keys.enableKey,
  EnableKeyRotation: keys.enableKeyRotation,
  Encrypt: cryptography.encrypt,
  GenerateDataKey: cryptography.generateDataKey,
  GenerateDataKeyWithoutPlaintext: cryptography.generateDataKeyWithoutPlaintext,
  GetKeyPolicy: keys.getKeyPolicy,
  GetKeyRotationStatus: keys.getKeyRotationStatus,
  ListAliases: aliases.listAliases,
  ListKeyPolicies: keys.listKeyPolicies,
  ListKeys: keys.listKeys,
  ListResourceTags: keys.listResourceTags,
  PutKeyPolicy: keys.putKeyPolicy,
  ScheduleKeyDeletion: keys.scheduleKeyDeletion,
  TagResource: keys.tagResource,
  UntagResource: keys.untagResource,
  UpdateAlias: aliases.updateAlias,
  UpdateKeyDescription: keys.updateKeyDescription,
};

/**
 * The Key Management Service. Other services only ask it whether a caller may use a key (`decide`): they store their data
 * unencrypted. Calls to the API encrypt and decrypt.
 */
export class Kms extends KmsState implements Api<KmsActions> {
  private readonly api: ServiceApi<KmsState, KmsActions>;

  constructor(context: KmsContext) {
    super(context);
    const checks = new RequestChecks('kms', context, accessDenied(context.place, 'AccessDeniedException', 400));
    this.api = new ServiceApi(checks, ACTIONS, this);
  }

  call<Name extends KmsActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<KmsActions[Name]>,
  ): OutputOf<KmsActions[Name]> {
    return this.api.call(action, withRequest(caller, input), input);
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return this.api.implements(action);
  }
}
