import { AwsError, notImplemented } from '../../kernel/aws-error';
import { checkTags } from '../../kernel/resource-tags';
import { invalidRequest } from '../errors';
import { valueGiven } from '../secrets-state';
import { SECRET_TAGS } from '../tag-rules';
import { naming, type SecretsManagerAction } from './secrets-manager-action';

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
