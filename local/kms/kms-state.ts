import { excessText, policyExcesses } from '../../policy/resource-policy';
import { DAY_MS } from '../../policy/time-units';
import { KEY_ACCESS_DENIED, type KeyAccess, type KeyDecision, type PolicyDocument } from '../kernel/access';
import { AwsError } from '../kernel/aws-error';
import { accountOf, administrator, type Caller, callerName } from '../kernel/caller';
import { type ResourceTag, ResourceTags } from '../kernel/tags';
import { conditionKeysOf, encryptionContextKeys } from './condition-keys';
import { defaultKeyPolicy, KEY_TAGS, type Key, type KeyState } from './key';
import { KeyStore } from './key-store';
import type { KmsContext } from './trace-events';

export interface CreateKeyInput {
  /** @default - the policy delegates to the account's identity policies */
  readonly policy?: PolicyDocument;
  /** @default true */
  readonly enabled?: boolean;
  /** @default false */
  readonly bypassPolicyLockoutSafetyCheck?: boolean;
  /** @default '' */
  readonly description?: string;
  /** The number of days between two rotations. @default - rotation is off */
  readonly rotationPeriodDays?: number;
  readonly tags?: readonly ResourceTag[];
}

/** The error for a key that the caller may use but that is not enabled. */
const UNUSABLE: Readonly<Record<Exclude<KeyState, 'Enabled'>, { readonly code: string; readonly reason: string }>> = {
  Disabled: { code: 'KMS.DisabledException', reason: 'the key is disabled' },
  PendingDeletion: { code: 'KMS.InvalidStateException', reason: 'the key is pending deletion' },
};

/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_ScheduleKeyDeletion.html */
const PENDING_WINDOW_DAYS = { min: 7, max: 30 };
const ALIAS_NAME = /^alias\/[a-zA-Z0-9/_-]+$/;

/** The keys and aliases of KMS, and the decision who may use them. */
export class KmsState implements KeyAccess {
  readonly keys: KeyStore;
  private created = 0;

  constructor(readonly context: KmsContext) {
    this.keys = new KeyStore(context.place, context.random, context.timeline);
  }

  /**
   * Decides by the key's policy first, then by its state. **Assumption KMS-1:** AWS does not publish the order. This
   * way a caller learns nothing about a key it may not use.
   *
   * @see https://docs.aws.amazon.com/kms/latest/developerguide/policy-evaluation.html
   */
  decide(keyId: string, action: string, caller: Caller, viaService: string): KeyDecision {
    const key = this.keys.find(keyId);
    const decision: KeyDecision = key
      ? this.decideOnKey(key, { keyId, action, caller, viaService })
      : { allowed: false, code: 'KMS.NotFoundException', reason: `there is no key ${keyId}` };
    if (!decision.allowed) {
      const { code = KEY_ACCESS_DENIED, reason } = decision;
      const principal = callerName(caller, this.context.place.partition);
      const resource = key?.arn ?? keyId;
      this.context.trace.record({ type: 'kms.refused', action, resource, code, reason, principal, viaService });
    }
    return decision;
  }

  /** The keys of the account of a key, which may be another one: a ciphertext names its key, and not the account. */
  keysWith(keyId: string): KeyStore {
    const others = this.keys.find(keyId) ? [] : (this.context.keysOfOthers?.() ?? []);
    return others.find(keys => keys.find(keyId) !== undefined) ?? this.keys;
  }

  /** @param keyId a key id, key ARN, alias name or alias ARN @throws AwsError `NotFoundException` */
  describeKey(keyId: string): Key {
    return this.keys.get(keyId);
  }

  createKey(input: CreateKeyInput = {}): Key {
    const { policy, enabled = true, bypassPolicyLockoutSafetyCheck = false, rotationPeriodDays: periodDays } = input;
    if (policy) checkPolicySize(policy);
    const { nowMs: createdAtMs } = this.context.timeline;
    const tags = new ResourceTags(KEY_TAGS);
    tags.put(input.tags);
    this.created += 1;
    const key = this.keys.add(`key/${this.created}`, {
      manager: 'CUSTOMER',
      policy: policy ?? defaultKeyPolicy(this.keys.accountRootArn),
      state: enabled ? 'Enabled' : 'Disabled',
      description: input.description ?? '',
      createdAtMs,
      tags,
      ...(periodDays === undefined ? {} : { rotation: { periodDays, sinceMs: createdAtMs } }),
    });
    if (!bypassPolicyLockoutSafetyCheck && this.locksOut(key)) {
      this.keys.delete(key.keyId);
      throw lockedOut();
    }
    this.context.trace.record({ type: 'kms.key-created', keyArn: key.arn });
    return key;
  }

  putKeyPolicy(keyId: string, policy: PolicyDocument, bypassPolicyLockoutSafetyCheck = false): void {
    const key = this.customerKey(keyId);
    checkPolicySize(policy);
    if (!bypassPolicyLockoutSafetyCheck && this.locksOut({ ...key, policy })) throw lockedOut();
    this.keys.replace({ ...key, policy });
    this.context.trace.record({ type: 'kms.key-policy-put', keyArn: key.arn });
  }

  /** @throws AwsError `NotFoundException`, `KMSInvalidStateException` for a key that is pending deletion */
  enableKey(keyId: string): void {
    this.changeState(keyId, 'Enabled');
    this.context.trace.record({ type: 'kms.key-enabled', keyArn: this.keys.get(keyId).arn });
  }

  /** @throws AwsError `NotFoundException`, `KMSInvalidStateException` for a key that is pending deletion */
  disableKey(keyId: string): void {
    this.changeState(keyId, 'Disabled');
    this.context.trace.record({ type: 'kms.key-disabled', keyArn: this.keys.get(keyId).arn });
  }

  /** Makes the key unusable now, and deletes it after the waiting period. */
  scheduleKeyDeletion(keyId: string, pendingWindowInDays = PENDING_WINDOW_DAYS.max): void {
    const { min, max } = PENDING_WINDOW_DAYS;
    if (!(pendingWindowInDays >= min && pendingWindowInDays <= max)) {
      throw new AwsError(
        'ValidationException',
        `PendingWindowInDays must be from ${min} to ${max}, got ${pendingWindowInDays}`,
      );
    }
    const deletionAtMs = this.context.timeline.nowMs + pendingWindowInDays * DAY_MS;
    const key = { ...this.changeState(keyId, 'PendingDeletion'), deletionAtMs };
    this.keys.replace(key);
    this.context.trace.record({ type: 'kms.key-deletion-scheduled', keyArn: key.arn, deletionAtMs });
    this.context.timeline.inBackground(deletionAtMs, () => {
      // The deletion was cancelled, or scheduled for another day.
      if (this.keys.find(key.keyId)?.deletionAtMs !== deletionAtMs) return;
      this.keys.delete(key.keyId);
      this.context.trace.record({ type: 'kms.key-deleted', keyArn: key.arn });
    });
  }

  /** The key is disabled afterwards, as on AWS. */
  cancelKeyDeletion(keyId: string): void {
    const key = this.customerKey(keyId);
    if (key.state !== 'PendingDeletion') {
      throw new AwsError('KMSInvalidStateException', `${key.arn} is not pending deletion.`);
    }
    const { deletionAtMs: _, ...kept } = key;
    this.keys.replace({ ...kept, state: 'Disabled' });
    this.context.trace.record({ type: 'kms.key-deletion-cancelled', keyArn: key.arn });
  }

  createAlias(aliasName: string, targetKeyId: string): void {
    if (!ALIAS_NAME.test(aliasName) || aliasName.startsWith('alias/aws/')) {
      throw new AwsError(
        'InvalidAliasNameException',
        `AliasName must begin with alias/, must not begin with alias/aws/, and hold letters, digits, /, _ and -, got ${aliasName}`,
      );
    }
    if (this.keys.hasAlias(aliasName)) {
      const arn = this.keys.arnOf(aliasName);
      throw new AwsError('AlreadyExistsException', `An alias with the name ${arn} already exists`);
    }
    const key = this.customerKey(targetKeyId);
    this.keys.setAlias(aliasName, key.keyId);
    this.context.trace.record({ type: 'kms.alias-created', keyArn: key.arn, aliasName });
  }

  deleteAlias(aliasName: string): void {
    const key = this.customerKey(aliasName);
    if (!this.keys.deleteAlias(aliasName)) throw this.keys.notFound(aliasName);
    this.context.trace.record({ type: 'kms.alias-deleted', keyArn: key.arn, aliasName });
  }

  private decideOnKey(key: Key, { keyId, action, caller, viaService }: UseOfKey): KeyDecision {
    const { faults, access } = this.context;
    const operation = action.replace(/^kms:/, '');
    // The latencies of successive calls to KMS add up, in addition to that of the calling service.
    if (caller.latency) caller.latency.ms += faults.latencyMs('kms', operation, key.arn);
    const fault = faults.check('kms', operation, key.arn);
    if (fault) {
      return { allowed: false, code: `KMS.${fault.code}`, reason: fault.message, httpStatus: fault.httpStatus };
    }
    // **Assumption KMS-4:** A service names the key as its queue or topic does when it encrypts, and not when it decrypts.
    const named = operation === 'Decrypt' ? {} : { KeyId: keyId };
    const keys = conditionKeysOf(this.keys, key, operation, named);
    const decision = access.decide({
      caller: throughService({ ...caller, context: { ...caller.context, ...keys } }, viaService),
      action,
      resource: key.arn,
      resourcePolicy: key.policy,
    });
    if (!decision.allowed) return { ...decision, code: KEY_ACCESS_DENIED };
    return key.state === 'Enabled' ? decision : { allowed: false, ...UNUSABLE[key.state] };
  }

  /** Changes a customer-managed key. @throws AwsError if the key does not exist, or is an AWS managed key */
  change(keyId: string, changes: Partial<Pick<Key, 'description'>>): void {
    this.keys.replace({ ...this.customerKey(keyId), ...changes });
  }

  /** @param periodDays undefined turns rotation off */
  changeRotation(keyId: string, periodDays: number | undefined): void {
    const { rotation: _, ...key } = this.customerKey(keyId);
    const { timeline, trace } = this.context;
    const rotation = periodDays === undefined ? {} : { rotation: { periodDays, sinceMs: timeline.nowMs } };
    this.keys.replace({ ...key, ...rotation });
    trace.record({ type: 'kms.rotation-changed', keyArn: key.arn, isRotated: periodDays !== undefined });
  }

  /** Points an alias to another key. */
  updateAlias(aliasName: string, targetKeyId: string): void {
    if (!this.keys.hasAlias(aliasName)) throw this.keys.notFound(aliasName);
    const key = this.customerKey(targetKeyId);
    this.keys.setAlias(aliasName, key.keyId);
    this.context.trace.record({ type: 'kms.alias-updated', keyArn: key.arn, aliasName });
  }

  customerKey(keyId: string): Key {
    const key = this.keys.get(keyId);
    if (key.manager === 'CUSTOMER') return key;
    throw new AwsError('AccessDeniedException', `${key.arn} is managed by AWS and cannot be changed`);
  }

  private changeState(keyId: string, state: KeyState): Key {
    const key = this.customerKey(keyId);
    if (key.state === 'PendingDeletion') {
      throw new AwsError('KMSInvalidStateException', `${key.arn} is pending deletion.`);
    }
    const changed = { ...key, state };
    this.keys.replace(changed);
    return changed;
  }

  /** Whether not even an administrator could change the policy again. */
  private locksOut({ arn, policy }: Key): boolean {
    const caller = administrator(this.context.place.account);
    return !this.context.access.decide({ caller, action: 'kms:PutKeyPolicy', resource: arn, resourcePolicy: policy })
      .allowed;
  }
}

interface UseOfKey {
  /** A key id, key ARN, alias name or alias ARN. */
  readonly keyId: string;
  /** For example `kms:Decrypt`. */
  readonly action: string;
  readonly caller: Caller;
  readonly viaService: string;
}

/** Adds the condition keys of a request through another service to the caller. */
function throughService(caller: Caller, viaService: string): Caller {
  const isForPrincipal = accountOf(caller) !== undefined;
  return {
    ...caller,
    context: {
      ...caller.context,
      'kms:ViaService': viaService,
      ...encryptionContextKeys(caller.context),
      ...(isForPrincipal && { 'aws:ViaAWSService': 'true' }),
    },
  };
}

/**
 * Refuses a key policy that is larger than KMS accepts: `LimitExceededException` says that "a length constraint or
 * quota was exceeded". **Assumption KMS-2:** AWS does not publish the text. A policy of 33,000 bytes would settle it.
 *
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_PutKeyPolicy.html
 */
function checkPolicySize(policy: PolicyDocument): void {
  const [excess] = policyExcesses('key', policy, Buffer.byteLength(JSON.stringify(policy)));
  if (excess) throw new AwsError('LimitExceededException', `The key policy ${excessText('key', excess)}.`);
}

function lockedOut(): AwsError {
  const text = 'The new key policy will not allow you to update the key policy in the future.';
  return new AwsError('MalformedPolicyDocumentException', text);
}
