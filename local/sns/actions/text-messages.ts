import { checkNotNull } from '../errors';
import { type SnsAction, snsPage, snsResource } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_CheckIfPhoneNumberIsOptedOut.html */
export const checkIfPhoneNumberIsOptedOut: SnsAction<'CheckIfPhoneNumberIsOptedOut'> = {
  permission: 'sns:CheckIfPhoneNumberIsOptedOut',
  resourceOf: () => snsResource('*'),
  run: ({ dispatch }, { input: { phoneNumber = '' } }) => ({ isOptedOut: dispatch.phones.isOptedOut(phoneNumber) }),
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_OptInPhoneNumber.html */
export const optInPhoneNumber: SnsAction<'OptInPhoneNumber'> = {
  permission: 'sns:OptInPhoneNumber',
  resourceOf: () => snsResource('*'),
  run: ({ dispatch }, { input: { phoneNumber = '' } }) => {
    dispatch.phones.optIn(phoneNumber);
    return {};
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListPhoneNumbersOptedOut.html */
export const listPhoneNumbersOptedOut: SnsAction<'ListPhoneNumbersOptedOut'> = {
  permission: 'sns:ListPhoneNumbersOptedOut',
  resourceOf: () => snsResource('*'),
  run: ({ dispatch }, { input }) => {
    const { items, nextToken } = snsPage(dispatch.phones.optedOutNumbers, input.nextToken);
    return { phoneNumbers: items, ...(nextToken && { nextToken }) };
  },
};

/** Those asked for that have a value, or all. @see https://docs.aws.amazon.com/sns/latest/api/API_GetSMSAttributes.html */
export const getSMSAttributes: SnsAction<'GetSMSAttributes'> = {
  permission: 'sns:GetSMSAttributes',
  resourceOf: () => snsResource('*'),
  run: ({ dispatch }, { input: { attributes = [] } }) => {
    const settings = Object.entries(dispatch.phones.allSettings());
    const wanted = settings.filter(([name]) => attributes.length === 0 || attributes.includes(name));
    return { attributes: Object.fromEntries(wanted) };
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetSMSAttributes.html */
export const setSMSAttributes: SnsAction<'SetSMSAttributes'> = {
  permission: 'sns:SetSMSAttributes',
  resourceOf: () => snsResource('*'),
  run: ({ dispatch }, { input }) => {
    dispatch.phones.set(checkNotNull('attributes', input.attributes));
    return {};
  },
};
