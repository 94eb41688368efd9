import { checkNotNull } from '../errors';
import { type SnsAction, snsPage, snsResource } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_CheckIfPhoneNumberIsOptedOut.html */
export const checkIfPhoneNumberIsOptedOut: SnsAction<'CheckIfPhoneNumberIsOptedOut'> = {
  permission: 'sns:CheckIfPhoneNumberIsOptedOut',
  resourceOf: () => snsResource('*'),
  run: ({ services }, { input: { phoneNumber = '' } }) => ({ isOptedOut: services.phones.isOptedOut(phoneNumber) }),
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_OptInPhoneNumber.html */
export const optInPhoneNumber: SnsAction<'OptInPhoneNumber'> = {
  permission: 'sns:OptInPhoneNumber',
  resourceOf: () => snsResource('*'),
  run: ({ services }, { input: { phoneNumber = '' } }) => {
    services.phones.optIn(phoneNumber);
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListPhoneNumbersOptedOut.html */
export const listPhoneNumbersOptedOut: SnsAction<'ListPhoneNumbersOptedOut'> = {
  permission: 'sns:ListPhoneNumbersOptedOut',
  resourceOf: () => snsResource('*'),
  run: ({ services }, { input }) => {
    const { items, nextToken } = snsPage(services.phones.optedOutNumbers, input.nextToken);
    return { phoneNumbers: items, ...(nextToken && { nextToken }) };
  },
};

/**
 * Returns the requested settings that have a value, by default all. @see
 * https://docs.aws.amazon.com/sns/latest/api/API_GetSMSAttributes.html
 */
export const getSMSAttributes: SnsAction<'GetSMSAttributes'> = {
  permission: 'sns:GetSMSAttributes',
  resourceOf: () => snsResource('*'),
  run: ({ services }, { input: { attributes = [] } }) => {
    const settings = Object.entries(services.phones.allSettings());
    const wanted = settings.filter(([name]) => attributes.length === 0 || attributes.includes(name));
    return { attributes: Object.fromEntries(wanted) };
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetSMSAttributes.html */
export const setSMSAttributes: SnsAction<'SetSMSAttributes'> = {
  permission: 'sns:SetSMSAttributes',
  resourceOf: () => snsResource('*'),
  run: ({ services }, { input }) => {
    services.phones.set(checkNotNull('attributes', input.attributes));
  },
};
