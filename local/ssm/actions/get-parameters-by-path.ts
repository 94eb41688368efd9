import { filtered } from '../parameter-filter';
import { checkPath } from '../parameter-name';
import { type SsmAction, shown, ssmPage } from './ssm-action';

const MOST_RESULTS_BY_PATH = 10;

/** @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParametersByPath.html */
export const getParametersByPath: SsmAction<'GetParametersByPath'> = {
  permission: 'ssm:GetParametersByPath',
  resourceOf: (state, { Path = '' }) => ({ arn: state.arnOf(Path.replace(/(.)\/$/, '$1')) }),
  run: (state, { caller, input }) => {
    const { Path = '', Recursive = false, WithDecryption: decrypt, ParameterFilters = [] } = input;
    checkPath(Path);
    const folder = Path.endsWith('/') ? Path : `${Path}/`;
    const below = state.all().filter(({ name }) => {
      const rest = name.startsWith(folder) ? name.slice(folder.length) : '';
      return rest !== '' && (Recursive || !rest.includes('/'));
    });
    const { items, nextToken } = ssmPage(filtered(below, ParameterFilters), input, MOST_RESULTS_BY_PATH);
    return {
      Parameters: items.map(parameter => shown(state, parameter, parameter.latest, caller, { decrypt })),
      ...(nextToken !== undefined && { NextToken: nextToken }),
    };
  },
};
