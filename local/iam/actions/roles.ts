import type { Role as ShownRole } from '@aws-sdk/client-iam';
import { nameInArn } from '../../../policy/arn';
import { AwsError } from '../../kernel/aws-error';
import { checkTags } from '../../kernel/tags';
import { readPolicyText } from '../../policy-document/policy';
import { ROLE_TAGS, type Role } from '../role';
import { encodedPolicy, type IamFamily, iamArn, iamPage, malformedPolicy, noSuchEntity, onRole } from './iam-action';

const ROLE_NAME = /^[\w+=,.@-]{1,64}$/;

export const roleActions = {
  GetRole: onRole((_state, role) => ({ Role: { ...described(role), RoleLastUsed: {} } })),

  ListRoles: {
    run: ({ iam }, { input }) => {
      const wanted = iam.allRoles().filter(({ details }) => details.path.startsWith(input.PathPrefix ?? '/'));
      const { items, more } = iamPage(wanted, input);
      // Lists omit the tags, as on AWS.
      return { Roles: items.map(role => ({ ...described(role), Tags: undefined })), ...more };
    },
  },

  CreateRole: {
    resourceOf: ({ place }, { Path = '/', RoleName }) => ({ arn: iamArn(place, `role${Path}${RoleName}`) }),
    run: ({ iam }, { input }) => {
      const { RoleName = '', AssumeRolePolicyDocument = '', Path, Description, MaxSessionDuration, Tags = [] } = input;
      if (!ROLE_NAME.test(RoleName)) {
        throw new AwsError(
          'ValidationError',
          'The specified value for roleName is invalid. It must contain only alphanumeric characters and/or the following: +=,.@_-',
        );
      }
      checkTags(Tags, ROLE_TAGS);
      if (input.PermissionsBoundary !== undefined) iam.checkManagedPolicy(input.PermissionsBoundary);
      const role = iam.createRole({
        roleName: RoleName,
        trustPolicy: readPolicyText(AssumeRolePolicyDocument, 'trust', malformedPolicy),
        path: Path,
        description: Description,
        maxSessionSeconds: MaxSessionDuration,
      });
      role.tags.put(Tags);
      iam.limit(role, input.PermissionsBoundary);
      return { Role: described(role) };
    },
  },

  DeleteRole: onRole(({ iam }, { name }) => iam.deleteRole(name)),

  UpdateAssumeRolePolicy: onRole(({ iam }, { name }, { PolicyDocument = '' }) =>
    iam.updateAssumeRolePolicy(name, readPolicyText(PolicyDocument, 'trust', malformedPolicy)),
  ),

  PutRolePermissionsBoundary: onRole(({ iam }, role, { PermissionsBoundary = '' }) => {
    iam.checkManagedPolicy(PermissionsBoundary);
    iam.limit(role, PermissionsBoundary);
  }),

  DeleteRolePermissionsBoundary: onRole(({ iam }, role) => iam.limit(role, undefined)),

  TagRole: onRole((_state, { tags }, { Tags = [] }) => {
    tags.put(Tags);
  }),

  UntagRole: onRole((_state, { tags }, { TagKeys = [] }) => {
    tags.remove(TagKeys);
  }),

  ListRoleTags: onRole((_state, { tags }, input) => {
    const { items, more } = iamPage(tags.list(), input);
    return { Tags: [...items], ...more };
  }),

  GetRolePolicy: onRole((_state, { name, inlinePolicies }, { PolicyName = '' }) => {
    const document = inlinePolicies.get(PolicyName);
    if (!document) throw noSuchEntity(`The role policy with name ${PolicyName} cannot be found.`);
    return { RoleName: name, PolicyName, PolicyDocument: encodedPolicy(document) };
  }),

  ListRolePolicies: onRole((_state, { inlinePolicies }, input) => {
    const { items, more } = iamPage([...inlinePolicies.keys()].sort(), input);
    return { PolicyNames: items, ...more };
  }),

  PutRolePolicy: onRole(({ iam }, { name }, { PolicyName = '', PolicyDocument = '' }) =>
    iam.putRolePolicy(name, PolicyName, readPolicyText(PolicyDocument, 'identity', malformedPolicy)),
  ),

  DeleteRolePolicy: onRole(({ iam }, { name }, { PolicyName = '' }) => iam.deleteRolePolicy(name, PolicyName)),

  ListAttachedRolePolicies: onRole(({ iam }, { attachedPolicyArns }, input) => {
    const { items, more } = iamPage(attachedPolicyArns, input);
    return {
      AttachedPolicies: items.map(PolicyArn => ({
        PolicyName: iam.customerPolicy(PolicyArn)?.name ?? nameInArn(PolicyArn).split('/').at(-1),
        PolicyArn,
      })),
      ...more,
    };
  }),

  AttachRolePolicy: onRole(({ iam }, { name }, { PolicyArn = '' }) => iam.attachRolePolicy(name, PolicyArn)),

  DetachRolePolicy: onRole(({ iam }, { name }, { PolicyArn = '' }) => iam.detachRolePolicy(name, PolicyArn)),
} satisfies IamFamily;

function described({ name, arn, id, trustPolicy, details, tags, boundaryArn }: Role): ShownRole {
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
    ...(boundaryArn !== undefined && {
      PermissionsBoundary: {
        PermissionsBoundaryType: 'PermissionsBoundaryPolicy',
        PermissionsBoundaryArn: boundaryArn,
      },
    }),
    ...(tags.size > 0 && { Tags: tags.list() }),
  };
}
