import { MissingResource } from '../../kernel/front-door';
import { parameterNamed, type SsmAction, shown } from './ssm-action';

/**
 * SSM looks at permissions before it looks for the parameter: who may not read it does not learn whether it is there.
 *
 * @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html
 */
export const getParameter: SsmAction<'GetParameter'> = {
  permission: 'ssm:GetParameter',
  resourceOf: (state, { Name }) => ({ arn: parameterNamed(state, Name).arn }),
  run: (state, { caller, input: { Name = '', WithDecryption: decrypt } }) => {
    const parameter = parameterNamed(state, Name);
    if (parameter instanceof MissingResource) throw parameter.error;
    const { selector } = state.named(Name);
    return { Parameter: shown(state, parameter, parameter.select(selector), caller, { selector, decrypt }) };
  },
};
