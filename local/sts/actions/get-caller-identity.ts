import { accountOf, callerName } from '../../kernel/caller';
import type { StsAction } from './sts-action';

/**
 * Nobody needs a permission to ask who they are. Of a function, whose session STS has not made, the role itself answers
 * for the session.
 *
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
 */
export const getCallerIdentity: StsAction<'GetCallerIdentity'> = {
  permission: undefined,
  resourceOf: () => ({ arn: '*' }),
  run: ({ context: { place }, roles }, { caller }) => {
    const { principal } = caller;
    const account = accountOf(caller) ?? place.account;
    const Arn = callerName(caller, place.partition);
    if (principal.kind !== 'role') return { UserId: account, Account: account, Arn };
    const id = roles.findRole(principal.arn)?.id ?? '';
    const { sessionName } = principal;
    return { UserId: sessionName === undefined ? id : `${id}:${sessionName}`, Account: account, Arn };
  },
};
