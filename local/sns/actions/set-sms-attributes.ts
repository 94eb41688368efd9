import { checkNotNull } from '../not-null';
import { type SnsAction, snsResource } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetSMSAttributes.html */
export const setSMSAttributes: SnsAction<'SetSMSAttributes'> = {
  permission: 'sns:SetSMSAttributes',
  resourceOf: () => snsResource('*'),
  run: ({ dispatch }, { input }) => {
    dispatch.phones.set(checkNotNull('attributes', input.attributes));
    return {};
  },
};
