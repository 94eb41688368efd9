import { invalidParameter } from '../errors';
import type { Secret } from '../secret';
import { naming, type SecretsManagerAction, secretNamed } from './secrets-manager-action';

const WINDOW_DAYS = { min: 7, max: 30 };
const MILLISECONDS_A_DAY = 86_400_000;

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_DeleteSecret.html */
export const deleteSecret: SecretsManagerAction<'DeleteSecret', Secret> = {
  permission: 'secretsmanager:DeleteSecret',
  resourceOf: secretNamed,
  run: (state, { input }, secret) => {
    const { RecoveryWindowInDays, ForceDeleteWithoutRecovery = false } = input;
    const { min, max } = WINDOW_DAYS;
    if (ForceDeleteWithoutRecovery && RecoveryWindowInDays !== undefined) {
      throw invalidParameter("You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays.");
    }
    const days = RecoveryWindowInDays ?? max;
    if (!(days >= min && days <= max)) {
      throw invalidParameter(`The RecoveryWindowInDays value must be between ${min} and ${max} days (inclusive).`);
    }
    if (ForceDeleteWithoutRecovery) {
      state.delete(secret);
      return { ...naming(secret), DeletionDate: new Date(state.nowMs) };
    }
    const dueAtMs = state.nowMs + days * MILLISECONDS_A_DAY;
    const deletion = { markedAtMs: state.nowMs, dueAtMs };
    secret.deletion = deletion;
    const { timeline, trace } = state.context;
    trace.record({ type: 'secretsmanager.deletion-scheduled', secretArn: secret.arn, deletionAtMs: dueAtMs });
    timeline.inBackground(dueAtMs, () => {
      // Restored, or restored and deleted again: then it is another deletion by now.
      if (secret.deletion === deletion) state.delete(secret);
    });
    return { ...naming(secret), DeletionDate: new Date(dueAtMs) };
  },
};
