import type { PolicyDocument } from '../../kernel/access';
import { AwsError } from '../../kernel/aws-error';
import { isObject } from '../../kernel/json';
import { readPolicyText } from '../../policy-document';
import type { Secret } from '../secret';
import { naming, type SecretsManagerAction, secretNamed } from './secrets-manager-action';

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetResourcePolicy.html */
export const getResourcePolicy: SecretsManagerAction<'GetResourcePolicy', Secret> = {
  permission: 'secretsmanager:GetResourcePolicy',
  resourceOf: secretNamed,
  run: (_state, _call, secret) => ({
    ...naming(secret),
    ...(secret.policy && { ResourcePolicy: JSON.stringify(secret.policy) }),
  }),
};

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_PutResourcePolicy.html */
export const putResourcePolicy: SecretsManagerAction<'PutResourcePolicy', Secret> = {
  permission: 'secretsmanager:PutResourcePolicy',
  resourceOf: secretNamed,
  run: ({ context }, { input: { ResourcePolicy = '', BlockPublicPolicy = false } }, secret) => {
    const policy = readPolicyText(ResourcePolicy, 'resource', malformed);
    if (BlockPublicPolicy && isPublic(policy)) {
      throw new AwsError(
        'PublicPolicyException',
        'The BlockPublicPolicy parameter is set to true, and the resource policy did not prevent broad access to the secret.',
      );
    }
    secret.policy = policy;
    context.trace.record({ type: 'secretsmanager.policy-put', secretArn: secret.arn });
    return naming(secret);
  },
};

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_DeleteResourcePolicy.html */
export const deleteResourcePolicy: SecretsManagerAction<'DeleteResourcePolicy', Secret> = {
  permission: 'secretsmanager:DeleteResourcePolicy',
  resourceOf: secretNamed,
  run: ({ context }, _call, secret) => {
    secret.policy = undefined;
    context.trace.record({ type: 'secretsmanager.policy-deleted', secretArn: secret.arn });
    return naming(secret);
  },
};

function malformed(problem = 'it is not a policy document'): AwsError {
  return new AwsError('MalformedPolicyDocumentException', `This resource policy cannot be used: ${problem}.`);
}

/**
 * Whether a policy allows something to everyone without a condition. **Assumption SECRETS-1:** AWS does not publish its
 * check, which also analyzes conditions.
 */
function isPublic({ Statement }: PolicyDocument): boolean {
  const statements: readonly unknown[] = Array.isArray(Statement) ? Statement : [Statement];
  return statements.some(statement => {
    if (!isObject(statement) || statement['Effect'] !== 'Allow' || statement['Condition'] !== undefined) return false;
    const principal = statement['Principal'];
    const named: unknown = isObject(principal) ? principal['AWS'] : principal;
    return Array.isArray(named) ? named.includes('*') : named === '*';
  });
}

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_TagResource.html */
export const tagResource: SecretsManagerAction<'TagResource', Secret> = {
  permission: 'secretsmanager:TagResource',
  resourceOf: secretNamed,
  run: (_state, { input: { Tags = [] } }, { tags }) => {
    tags.put(Tags);
  },
};

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_UntagResource.html */
export const untagResource: SecretsManagerAction<'UntagResource', Secret> = {
  permission: 'secretsmanager:UntagResource',
  resourceOf: secretNamed,
  run: (_state, { input: { TagKeys = [] } }, { tags }) => {
    tags.remove(TagKeys);
  },
};
