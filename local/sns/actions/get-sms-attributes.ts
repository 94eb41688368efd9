import { type SnsAction, snsResource } from './sns-action';

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
