import { type SnsAction, snsResource } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_CheckIfPhoneNumberIsOptedOut.html */
export const checkIfPhoneNumberIsOptedOut: SnsAction<'CheckIfPhoneNumberIsOptedOut'> = {
  permission: 'sns:CheckIfPhoneNumberIsOptedOut',
  resourceOf: () => snsResource('*'),
  run: ({ dispatch }, { input: { phoneNumber = '' } }) => ({ isOptedOut: dispatch.phones.isOptedOut(phoneNumber) }),
};
