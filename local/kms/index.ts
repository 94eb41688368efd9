import { type PropertyReader, tagsProperty } from '../cloudformation/property-reader';
import { changeTags, type PutResource, putType, type ResourceType } from '../cloudformation/resource-type';
import type { Caller } from '../kernel/caller';
import { type Api, accessDenied, type InputOf, type OutputOf, RequestChecks, ServiceApi } from '../kernel/service-api';
import { policyProperty } from '../policy-document/policy';
import { KMS_ACTIONS, type KmsActions } from './actions';
import { defaultKeyPolicy, ROTATION_DAYS } from './key';
import { KmsState } from './kms-state';
import type { KmsContext } from './trace-events';

export type { KeyStore } from './key-store';
export type { KmsTraceEvent } from './trace-events';

/**
 * The Key Management Service. Other services only ask it whether a caller may use a key (`decide`): they store their data
 * unencrypted. Calls to the API encrypt and decrypt.
 */
export class Kms extends KmsState implements Api<KmsActions> {
  private readonly api: ServiceApi<KmsState, KmsActions>;

  constructor(context: KmsContext) {
    super(context);
    const checks = new RequestChecks('kms', context, accessDenied(context.place, 'AccessDeniedException', 400));
    this.api = new ServiceApi<KmsState, KmsActions>(checks, KMS_ACTIONS, this);
  }

  call<Name extends keyof KmsActions & string>(
    action: Name,
    caller: Caller,
    input: InputOf<KmsActions[Name]>,
  ): OutputOf<KmsActions[Name]> {
    return this.api.call(action, caller, input);
  }

  implements(action: string): boolean {
    return this.api.implements(action);
  }
}

export function kmsResourceTypes(kms: Kms): ResourceType[] {
  return [keyResource(kms), aliasResource(kms)];
}

/** The only kind of key that services can use, and so the only kind there is here: property, and the value it may have. */
const ONLY_VALUES: readonly (readonly [property: string, value: string])[] = [
  ['KeySpec', 'SYMMETRIC_DEFAULT'],
  ['KeyUsage', 'ENCRYPT_DECRYPT'],
  ['MultiRegion', 'false'],
  ['Origin', 'AWS_KMS'],
];

function keyResource(kms: Kms): ResourceType {
  const read = (properties: PropertyReader) => {
    const policy = policyProperty(properties, 'KeyPolicy', 'resource');
    const enabled = properties.boolean('Enabled') ?? true;
    const bypassPolicyLockoutSafetyCheck = properties.boolean('BypassPolicyLockoutSafetyCheck') ?? false;
    for (const [property, only] of ONLY_VALUES) {
      const value = properties.string(property);
      if (value !== undefined && value !== only) properties.problem(property, `must be ${only} here`, value);
    }
    const description = properties.string('Description') ?? '';
    const isRotated = properties.boolean('EnableKeyRotation') ?? false;
    const periodDays = properties.number('RotationPeriodInDays') ?? ROTATION_DAYS;
    const tags = tagsProperty(properties);
    properties.withoutEffect('PendingWindowInDays');
    return {
      enabled,
      bypassPolicyLockoutSafetyCheck,
      description,
      tags,
      ...(policy ? { policy } : {}),
      ...(isRotated ? { rotationPeriodDays: periodDays } : {}),
    };
  };
  return {
    type: 'AWS::KMS::Key',
    create(properties) {
      const key = kms.createKey(read(properties));
      return { ref: key.keyId, attributes: { Arn: key.arn, KeyId: key.keyId } };
    },
    update(properties, _context, existing) {
      const { ref: keyId, attributes } = existing;
      const wanted = read(properties);
      const before = read(existing.properties);
      const key = kms.customerKey(keyId);
      const policy = wanted.policy ?? defaultKeyPolicy(kms.keys.accountRootArn);
      kms.putKeyPolicy(keyId, policy, wanted.bypassPolicyLockoutSafetyCheck);
      kms.change(keyId, { description: wanted.description });
      if (wanted.enabled !== before.enabled) {
        if (wanted.enabled) kms.enableKey(keyId);
        else kms.disableKey(keyId);
      }
      if (wanted.rotationPeriodDays !== before.rotationPeriodDays) {
        kms.changeRotation(keyId, wanted.rotationPeriodDays);
      }
      changeTags(
        wanted.tags,
        existing,
        tags => key.tags.put(tags),
        keys => key.tags.remove(keys),
      );
      return { ref: keyId, attributes };
    },
    delete: ({ ref, properties }) => kms.scheduleKeyDeletion(ref, properties.number('PendingWindowInDays')),
  };
}

function aliasResource(kms: Kms): ResourceType {
  const put: PutResource = (properties, _context, existing) => {
    const aliasName = properties.requiredString('AliasName');
    const targetKeyId = properties.requiredString('TargetKeyId');
    if (existing) kms.updateAlias(aliasName, targetKeyId);
    else kms.createAlias(aliasName, targetKeyId);
    return { ref: aliasName, attributes: {} };
  };
  return putType('AWS::KMS::Alias', put, ({ ref }) => kms.deleteAlias(ref));
}
