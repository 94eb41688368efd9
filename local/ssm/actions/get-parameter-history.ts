import type { Parameter } from '../parameter';
import { described } from './describe-parameters';
import { parameterNamed, type SsmAction, shown, ssmPage } from './ssm-action';

const MOST_RESULTS_OF_HISTORY = 50;

/** @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameterHistory.html */
export const getParameterHistory: SsmAction<'GetParameterHistory', Parameter> = {
  permission: 'ssm:GetParameterHistory',
  resourceOf: (state, { Name }) => parameterNamed(state, Name),
  run: (state, { caller, input }, parameter) => {
    const { items, nextToken } = ssmPage(parameter.versions, input, MOST_RESULTS_OF_HISTORY);
    const decrypt = input.WithDecryption;
    return {
      Parameters: items.map(version => {
        const { ARN: _, ...about } = described(parameter, version);
        const { Value } = shown(state, parameter, version, caller, { decrypt });
        return { ...about, Value, Labels: [...version.labels].sort() };
      }),
      ...(nextToken !== undefined && { NextToken: nextToken }),
    };
  },
};
