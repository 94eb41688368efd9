import type { KeyAccess, KeyDecision, PolicyDocument } from '../kernel/access';
import { AwsError } from '../kernel/aws-error';
import { accountOf, administrator, type Caller, callerName } from '../kernel/caller';
import type { ServiceContext } from '../kernel/services';
import type { KmsHappening } from './happenings';
import { defaultKeyPolicy, type Key, type KeyState } from './key';
import { KeyStore } from './key-store';

export type KmsContext = Pick<
  ServiceContext<KmsHappening>,
  'place' | 'timeline' | 'random' | 'access' | 'faults' | 'trace'
>;

export interface CreateKeyInput {
  /** @default the account's identity policies decide who may use it */
  readonly policy?: PolicyDocument;
  /** @default true */
  readonly enabled?: boolean;
  /** @default false */
  readonly bypassPolicyLockoutSafetyCheck?: boolean;
}

/** Why a key cannot be used although the caller may: its error's code, and the reason. */
const UNUSABLE: Readonly<Record<Exclude<KeyState, 'Enabled'>, { readonly code: string; readonly reason: string }>> = {
  Disabled: { code: 'KMS.DisabledException', reason: 'the key is disabled' },
  PendingDeletion: { code: 'KMS.InvalidStateException', reason: 'the key is pending deletion' },
};

const MILLISECONDS_A_DAY = 86_400_000;
/** @see https://docs.aws.amazon.com/kms/latest/APIReference/API_ScheduleKeyDeletion.html */
const PENDING_WINDOW_DAYS = { min: 7, max: 30 };
const ALIAS_NAME = /^alias\/[a-zA-Z0-9/_-]+$/;

/**
 * The Key Management Service, as SQS and SNS meet it: nothing is encrypted, but nobody gets past a key who would not on
 * AWS.
 */
export class Kms implements KeyAccess {
  private readonly keys: KeyStore;
  private created = 0;

  constructor(private readonly context: KmsContext) {
    this.keys = new KeyStore(context.place, context.random);
  }

  /**
   * The key's policy decides first, then its state. AWS does not say which comes first; this way a caller learns
   * nothing of a key it may not use.
   *
   * @see https://docs.aws.amazon.com/kms/latest/developerguide/policy-evaluation.html
   */
  decide(keyId: string, action: string, caller: Caller, viaService: string): KeyDecision {
    const key = this.keys.find(keyId);
    const decision: KeyDecision = key
      ? this.decideOnKey(key, action, caller, viaService)
      : { allowed: false, code: 'KMS.NotFoundException', reason: `there is no key ${keyId}` };
    if (!decision.allowed) {
      const { code = 'KMS.AccessDeniedException', reason } = decision;
      const principal = callerName(caller, this.context.place.partition);
      const keyArn = key?.arn ?? keyId;
      this.context.trace.record({ type: 'kms.refused', keyArn, action, principal, viaService, code, reason });
    }
    return decision;
  }

  /** @param keyId a key id, key ARN, alias name or alias ARN @throws AwsError `NotFoundException` */
  describeKey(keyId: string): Key {
    return this.keys.get(keyId);
  }

  /** @throws AwsError `MalformedPolicyDocumentException` for a policy that locks its own owner out */
  createKey({ policy, enabled = true, bypassPolicyLockoutSafetyCheck = false }: CreateKeyInput = {}): Key {
    this.created += 1;
    const key = this.keys.add(`key/${this.created}`, {
      manager: 'CUSTOMER',
      policy: policy ?? defaultKeyPolicy(this.keys.accountRootArn),
      state: enabled ? 'Enabled' : 'Disabled',
    });
    if (!bypassPolicyLockoutSafetyCheck && this.locksOut(key)) {
      this.keys.delete(key.keyId);
      throw lockedOut();
    }
    this.context.trace.record({ type: 'kms.key-created', keyArn: key.arn });
    return key;
  }

  /** @throws AwsError `NotFoundException`, `MalformedPolicyDocumentException` */
  putKeyPolicy(keyId: string, policy: PolicyDocument, bypassPolicyLockoutSafetyCheck = false): void {
    const key = this.customerKey(keyId);
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

  /**
   * From now on the key cannot be used; when the window is over it is gone.
   *
   * @throws AwsError `NotFoundException`, `KMSInvalidStateException`, `ValidationException`
   */
  scheduleKeyDeletion(keyId: string, pendingWindowInDays = PENDING_WINDOW_DAYS.max): void {
    const { min, max } = PENDING_WINDOW_DAYS;
    if (!(pendingWindowInDays >= min && pendingWindowInDays <= max)) {
      throw new AwsError(
        'ValidationException',
        `PendingWindowInDays must be from ${min} to ${max}, got ${pendingWindowInDays}`,
      );
    }
    const key = this.changeState(keyId, 'PendingDeletion');
    const deletionAtMs = this.context.timeline.nowMs + pendingWindowInDays * MILLISECONDS_A_DAY;
    this.context.trace.record({ type: 'kms.key-deletion-scheduled', keyArn: key.arn, deletionAtMs });
    this.context.timeline.inBackground(deletionAtMs, () => {
      // Cancelled, or cancelled and scheduled again: then the key is another value by now.
      if (this.keys.find(key.keyId) !== key) return;
      this.keys.delete(key.keyId);
      this.context.trace.record({ type: 'kms.key-deleted', keyArn: key.arn });
    });
  }

  /** The key is disabled afterwards, as on AWS. @throws AwsError `NotFoundException`, `KMSInvalidStateException` */
  cancelKeyDeletion(keyId: string): void {
    const key = this.customerKey(keyId);
    if (key.state !== 'PendingDeletion') {
      throw new AwsError('KMSInvalidStateException', `${key.arn} is not pending deletion.`);
    }
    this.keys.replace({ ...key, state: 'Disabled' });
    this.context.trace.record({ type: 'kms.key-deletion-cancelled', keyArn: key.arn });
  }

  /** @throws AwsError `AlreadyExistsException`, `InvalidAliasNameException`, `NotFoundException` */
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

  /** @throws AwsError `NotFoundException` */
  deleteAlias(aliasName: string): void {
    const key = this.customerKey(aliasName);
    if (!this.keys.deleteAlias(aliasName)) throw new AwsError('NotFoundException', `Alias ${aliasName} is not found.`);
    this.context.trace.record({ type: 'kms.alias-deleted', keyArn: key.arn, aliasName });
  }

  private decideOnKey(key: Key, action: string, caller: Caller, viaService: string): KeyDecision {
    const fault = this.context.faults.check('kms', action.replace(/^kms:/, ''), key.arn);
    if (fault) {
      return { allowed: false, code: `KMS.${fault.code}`, reason: fault.message, httpStatus: fault.httpStatus };
    }
    const decision = this.context.access.decide({
      caller: throughService(caller, viaService),
      action,
      resource: key.arn,
      resourcePolicy: key.policy,
    });
    if (!decision.allowed) return { ...decision, code: 'KMS.AccessDeniedException' };
    return key.state === 'Enabled' ? decision : { allowed: false, ...UNUSABLE[key.state] };
  }

  private customerKey(keyId: string): Key {
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

  /** A policy after which not even an administrator could change it again. */
  private locksOut({ arn, policy }: Key): boolean {
    const caller = administrator(this.context.place.account);
    return !this.context.access.decide({ caller, action: 'kms:PutKeyPolicy', resource: arn, resourcePolicy: policy })
      .allowed;
  }
}

/** The caller with what KMS knows of a request that comes through another service. */
function throughService(caller: Caller, viaService: string): Caller {
  const callerAccount = accountOf(caller);
  return {
    ...caller,
    context: {
      ...caller.context,
      'kms:ViaService': viaService,
      ...(callerAccount === undefined ? {} : { 'kms:CallerAccount': callerAccount, 'aws:ViaAWSService': 'true' }),
    },
  };
}

function lockedOut(): AwsError {
  const text = 'The new key policy will not allow you to update the key policy in the future.';
  return new AwsError('MalformedPolicyDocumentException', text);
}
