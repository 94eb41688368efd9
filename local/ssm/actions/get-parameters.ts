import { Constraints } from '../../kernel/constraints';
import { validation } from '../errors';
import { type SsmAction, shown } from './ssm-action';

const MOST_NAMES = 10;

/**
 * Names that are none are answered beside those that are.
 *
 * @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameters.html
 */
export const getParameters: SsmAction<'GetParameters'> = {
  permission: undefined,
  resourceOf: () => ({ arn: '*' }),
  run: (state, { caller, input: { Names = [], WithDecryption: decrypt } }) => {
    new Constraints(validation).length('names', Names, 1, MOST_NAMES).check();
    const asked = [...new Set(Names)].map(text => ({ text, ...state.named(text) }));
    for (const { name } of asked) state.keeper.checkAccess(caller, 'ssm:GetParameters', { arn: state.arnOf(name) });
    const InvalidParameters: string[] = [];
    const Parameters = asked.flatMap(({ text, name, selector }) => {
      const parameter = state.find(name);
      const version = parameter?.versions.find(
        ({ version: number, labels }) => selector === '' || String(number) === selector || labels.has(selector),
      );
      if (parameter && version) {
        return [shown(state, parameter, selector === '' ? parameter.latest : version, caller, { selector, decrypt })];
      }
      InvalidParameters.push(text);
      return [];
    });
    return { Parameters, InvalidParameters };
  },
};
