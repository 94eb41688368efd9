import type { Role as ShownRole } from '@aws-sdk/client-iam';
import { nameInArn } from '../../../policy/arn';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { checkTags } from '../../kernel/tags';
import { readPolicyText } from '../../policy-document';
import { ROLE_TAGS, type Role } from '../role';
import { encodedPolicy, type IamAction, iamArn, iamPage, malformedPolicy, noSuchEntity, onRole } from './iam-action';

const ROLE_NAME = /^[\w+=,.@-]{1,64}$/;

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_GetRole.html */
export const getRole = onRole('GetRole', (_state, role) => ({ Role: { ...described(role), RoleLastUsed: {} } }));

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_ListRoles.html */
export const listRoles: IamAction<'ListRoles'> = {
  permission: 'iam:ListRoles',
  resourceOf: () => ({ arn: '*' }),
  run: ({ iam }, { input }) => {
    const wanted = iam.allRoles().filter(({ details }) => details.path.startsWith(input.PathPrefix ?? '/'));
    const { items, more } = iamPage(wanted, input);
    // Lists omit the tags, as on AWS.
    return { Roles: items.map(role => ({ ...described(role), Tags: undefined })), ...more };
  },
};

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html */
export const createRole: IamAction<'CreateRole'> = {
  permission: 'iam:CreateRole',
  resourceOf: ({ place }, { Path = '/', RoleName }) => ({ arn: iamArn(place, `role${Path}${RoleName}`) }),
  run: ({ iam }, { input }) => {
    const { RoleName = '', AssumeRolePolicyDocument = '', Path, Description, MaxSessionDuration, Tags = [] } = input;
    if (!ROLE_NAME.test(RoleName)) {
      throw new AwsError(
        'ValidationError',
        'The specified value for roleName is invalid. It must contain only alphanumeric characters and/or the following: +=,.@_-',
      );
    }
    if (input.PermissionsBoundary !== undefined) throw notImplemented('permissions boundaries');
    checkTags(Tags, ROLE_TAGS);
    const role = iam.createRole({
      roleName: RoleName,
      trustPolicy: readPolicyText(AssumeRolePolicyDocument, 'trust', malformedPolicy),
      ...(Path !== undefined && { path: Path }),
      ...(Description !== undefined && { description: Description }),
      ...(MaxSessionDuration !== undefined && { maxSessionSeconds: MaxSessionDuration }),
    });
    role.tags.put(Tags);
    return { Role: described(role) };
  },
};

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeleteRole.html */
export const deleteRole = onRole('DeleteRole', ({ iam }, { name }) => iam.deleteRole(name));

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_UpdateAssumeRolePolicy.html */
export const updateAssumeRolePolicy = onRole('UpdateAssumeRolePolicy', ({ iam }, { name }, { PolicyDocument = '' }) =>
  iam.updateAssumeRolePolicy(name, readPolicyText(PolicyDocument, 'trust', malformedPolicy)),
);

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_TagRole.html */
export const tagRole = onRole('TagRole', (_state, { tags }, { Tags = [] }) => {
  tags.put(Tags);
});

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_UntagRole.html */
export const untagRole = onRole('UntagRole', (_state, { tags }, { TagKeys = [] }) => {
  tags.remove(TagKeys);
});

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_ListRoleTags.html */
export const listRoleTags = onRole('ListRoleTags', (_state, { tags }, input) => {
  const { items, more } = iamPage(tags.list(), input);
  return { Tags: [...items], ...more };
});

function described({ name, arn, id, trustPolicy, details, tags }: Role): ShownRole {
  const { path, description, createdAtMs, maxSessionSeconds } = details;
  return {
    Path: path,
    RoleName: name,
    RoleId: id,
    Arn: arn,
    CreateDate: new Date(createdAtMs),
    AssumeRolePolicyDocument: encodedPolicy(trustPolicy),
    ...(description !== undefined && { Description: description }),
    MaxSessionDuration: maxSessionSeconds,
    ...(tags.size > 0 && { Tags: tags.list() }),
  };
}

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_GetRolePolicy.html */
export const getRolePolicy = onRole('GetRolePolicy', (_state, { name, inlinePolicies }, { PolicyName = '' }) => {
  const document = inlinePolicies.get(PolicyName);
  if (!document) throw noSuchEntity(`The role policy with name ${PolicyName} cannot be found.`);
  return { RoleName: name, PolicyName, PolicyDocument: encodedPolicy(document) };
});

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_ListRolePolicies.html */
export const listRolePolicies = onRole('ListRolePolicies', (_state, { inlinePolicies }, input) => {
  const { items, more } = iamPage([...inlinePolicies.keys()].sort(), input);
  return { PolicyNames: items, ...more };
});

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_PutRolePolicy.html */
export const putRolePolicy = onRole('PutRolePolicy', ({ iam }, { name }, { PolicyName = '', PolicyDocument = '' }) =>
  iam.putRolePolicy(name, PolicyName, readPolicyText(PolicyDocument, 'identity', malformedPolicy)),
);

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeleteRolePolicy.html */
export const deleteRolePolicy = onRole('DeleteRolePolicy', ({ iam }, { name }, { PolicyName = '' }) =>
  iam.deleteRolePolicy(name, PolicyName),
);

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_ListAttachedRolePolicies.html */
export const listAttachedRolePolicies = onRole('ListAttachedRolePolicies', ({ iam }, { attachedPolicyArns }, input) => {
  const { items, more } = iamPage(attachedPolicyArns, input);
  return {
    AttachedPolicies: items.map(PolicyArn => ({
      PolicyName: iam.customerPolicy(PolicyArn)?.name ?? nameInArn(PolicyArn).split('/').at(-1),
      PolicyArn,
    })),
    ...more,
  };
});

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_AttachRolePolicy.html */
export const attachRolePolicy = onRole('AttachRolePolicy', ({ iam }, { name }, { PolicyArn = '' }) =>
  iam.attachRolePolicy(name, PolicyArn),
);

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_DetachRolePolicy.html */
export const detachRolePolicy = onRole('DetachRolePolicy', ({ iam }, { name }, { PolicyArn = '' }) =>
  iam.detachRolePolicy(name, PolicyArn),
);
