import type { IamAction } from './iam-action';

/**
 * The account has no alias.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_ListAccountAliases.html
 */
export const listAccountAliases: IamAction<'ListAccountAliases'> = {
  permission: 'iam:ListAccountAliases',
  resourceOf: () => ({ arn: '*' }),
  run: () => ({ AccountAliases: [], IsTruncated: false }),
};
