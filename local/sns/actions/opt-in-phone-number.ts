import { type SnsAction, snsResource } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_OptInPhoneNumber.html */
export const optInPhoneNumber: SnsAction<'OptInPhoneNumber'> = {
  permission: 'sns:OptInPhoneNumber',
  resourceOf: () => snsResource('*'),
  run: ({ dispatch }, { input: { phoneNumber = '' } }) => {
    dispatch.phones.optIn(phoneNumber);
    return {};
  },
};
