import { snsPage } from './page';
import { type SnsAction, snsResource } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListPhoneNumbersOptedOut.html */
export const listPhoneNumbersOptedOut: SnsAction<'ListPhoneNumbersOptedOut'> = {
  permission: 'sns:ListPhoneNumbersOptedOut',
  resourceOf: () => snsResource('*'),
  run: ({ dispatch }, { input }) => {
    const { items, nextToken } = snsPage(dispatch.phones.optedOutNumbers, input.nextToken);
    return { phoneNumbers: items, ...(nextToken && { nextToken }) };
  },
};
