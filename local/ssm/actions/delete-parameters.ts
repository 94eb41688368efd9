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

/** @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_DeleteParameters.html */
export const deleteParameters: SsmAction<'DeleteParameters'> = {
  permission: undefined,
  resourceOf: () => ({ arn: '*' }),
  run: (state, { caller, input: { Names = [] } }) => {
    const asked = [...new Set(Names)].map(text => ({ text, name: state.named(text).name }));
    for (const { name } of asked) state.checks.checkAccess(caller, 'ssm:DeleteParameters', { arn: state.arnOf(name) });
    const DeletedParameters: string[] = [];
    const InvalidParameters: string[] = [];
    for (const { text, name } of asked) {
      const parameter = state.find(name);
      if (parameter) state.delete(parameter);
      (parameter ? DeletedParameters : InvalidParameters).push(text);
    }
    return { DeletedParameters, InvalidParameters };
  },
};
