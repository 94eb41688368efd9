import type { Parameter } from '../parameter';
import { parameterNamed, type SsmAction } from './ssm-action';

/** @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_DeleteParameter.html */
export const deleteParameter: SsmAction<'DeleteParameter', Parameter> = {
  permission: 'ssm:DeleteParameter',
  resourceOf: (state, { Name }) => parameterNamed(state, Name),
  run: (state, _call, parameter) => {
    state.delete(parameter);
    return {};
  },
};
