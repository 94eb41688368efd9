import { AwsError, notImplemented } from '../../kernel/aws-error';
import { DAY_MS } from '../../kernel/clock';
import { checkTags } from '../../kernel/tags';
import { invalidParameter, invalidRequest, SECRET_TAGS, type Secret } from '../secret';
import { valueGiven } from '../secrets-state';
import { anySecretNamed, naming, type SecretsManagerAction, secretNamed } from './secrets-manager-action';

const NAME = /^[\w/+=.@!-]{1,512}$/;

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_CreateSecret.html */
export const createSecret: SecretsManagerAction<'CreateSecret'> = {
  permission: 'secretsmanager:CreateSecret',
  resourceOf: (state, { Name = '' }) => ({ arn: state.nextArn(Name) }),
  run: (state, { caller, input }) => {
    const { Name = '', Description, KmsKeyId, Tags = [], ClientRequestToken, AddReplicaRegions = [] } = input;
    if (!NAME.test(Name)) {
      throw new AwsError(
        'ValidationException',
        'Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!',
      );
    }
    if (AddReplicaRegions.length > 0) throw notImplemented('replicas of secrets');
    checkTags(Tags, SECRET_TAGS);
    const value = valueGiven(input.SecretString, input.SecretBinary);
    const existing = state.find(Name);
    if (existing?.deletion) {
      throw invalidRequest(
        "You can't create this secret because a secret with this name is already scheduled for deletion.",
      );
    }
    if (existing) {
      throw new AwsError('ResourceExistsException', `The operation failed because the secret ${Name} already exists.`);
    }
    if (value) state.checkMayEncrypt(state.nextArn(Name), KmsKeyId, caller);
    const secret = state.create(Name);
    secret.description = Description;
    secret.keyId = KmsKeyId;
    secret.tags.put(Tags);
    if (!value) return naming(secret);
    return { ...naming(secret), VersionId: state.putValue(secret, value, ClientRequestToken).id };
  },
};

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_UpdateSecret.html */
export const updateSecret: SecretsManagerAction<'UpdateSecret', Secret> = {
  permission: 'secretsmanager:UpdateSecret',
  resourceOf: secretNamed,
  run: (state, { caller, input }, secret) => {
    const { Description, KmsKeyId, ClientRequestToken } = input;
    const value = valueGiven(input.SecretString, input.SecretBinary);
    const keyId = KmsKeyId ?? secret.keyId;
    if (value || KmsKeyId !== undefined) state.checkMayEncrypt(secret.arn, keyId, caller);
    secret.keyId = keyId;
    secret.description = Description ?? secret.description;
    secret.changedAtMs = state.nowMs;
    state.context.trace.record({ type: 'secretsmanager.secret-updated', secretArn: secret.arn });
    if (!value) return naming(secret);
    return { ...naming(secret), VersionId: state.putValue(secret, value, ClientRequestToken).id };
  },
};

const WINDOW_DAYS = { min: 7, max: 30 };

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
    const dueAtMs = state.nowMs + days * DAY_MS;
    const deletion = { markedAtMs: state.nowMs, dueAtMs };
    secret.deletion = deletion;
    const { timeline, trace } = state.context;
    trace.record({ type: 'secretsmanager.deletion-scheduled', secretArn: secret.arn, deletionAtMs: dueAtMs });
    timeline.inBackground(dueAtMs, () => {
      // The secret was restored, or restored and deleted again, if this is no longer its deletion.
      if (secret.deletion === deletion) state.delete(secret);
    });
    return { ...naming(secret), DeletionDate: new Date(dueAtMs) };
  },
};

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_RestoreSecret.html */
export const restoreSecret: SecretsManagerAction<'RestoreSecret', Secret> = {
  permission: 'secretsmanager:RestoreSecret',
  resourceOf: anySecretNamed,
  run: ({ context }, _call, secret) => {
    secret.deletion = undefined;
    context.trace.record({ type: 'secretsmanager.secret-restored', secretArn: secret.arn });
    return naming(secret);
  },
};
