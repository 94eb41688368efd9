import { nameInArn } from '../../../policy/arn';
import { readPolicyText } from '../../policy-document';
import { encodedPolicy, iamPage, malformedPolicy, noSuchEntity, onRole } from './iam-action';

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
