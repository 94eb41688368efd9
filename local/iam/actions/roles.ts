import type { Role as ShownRole } from '@aws-sdk/client-iam';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { checkTags } from '../../kernel/resource-tags';
import { readPolicyText } from '../../policy-document';
import type { Role } from '../role';
import { ROLE_TAGS } from '../tag-rules';
import { encodedPolicy, type IamAction, iamArn, iamPage, malformedPolicy, onRole } from './iam-action';

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
    // Listings leave the tags out, as on AWS.
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
