import type { Parameter } from '../parameter';
import { parameterNamed, type SsmAction, shown } from './ssm-action';

/** @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html */
export const getParameter: SsmAction<'GetParameter', Parameter> = {
  permission: 'ssm:GetParameter',
  resourceOf: (state, { Name }) => parameterNamed(state, Name),
  run: (state, { caller, input: { Name = '', WithDecryption: decrypt } }, parameter) => {
    const { selector } = state.named(Name);
    return { Parameter: shown(state, parameter, parameter.select(selector), caller, { selector, decrypt }) };
  },
};
