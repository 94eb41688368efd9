import { AwsError } from '../../kernel/aws-error';
import { rootArn } from '../../kernel/caller';
import { MissingResource } from '../../kernel/service-api';
import { type IamAction, iamArn, noSuchEntity } from './iam-action';

/**
 * Users are not simulated: a caller without a role is the account itself.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_GetUser.html
 */
export const getUser: IamAction<'GetUser'> = {
  permission: 'iam:GetUser',
  resourceOf: ({ place }, { UserName }) => {
    if (UserName === undefined) return { arn: iamArn(place, 'root') };
    return new MissingResource(
      iamArn(place, `user/${UserName}`),
      noSuchEntity(`The user with name ${UserName} cannot be found.`),
    );
  },
  run: ({ place: { partition, account } }, { caller }) => {
    if (caller.principal.kind !== 'account') {
      throw new AwsError('ValidationError', 'Must specify userName when calling with non-User credentials');
    }
    const Arn = rootArn(partition, account);
    return { User: { Path: '/', UserName: account, UserId: account, Arn, CreateDate: new Date(0) } };
  },
};

/**
 * Returns none: account aliases are not simulated.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_ListAccountAliases.html
 */
export const listAccountAliases: IamAction<'ListAccountAliases'> = {
  permission: 'iam:ListAccountAliases',
  resourceOf: () => ({ arn: '*' }),
  run: () => ({ AccountAliases: [], IsTruncated: false }),
};
