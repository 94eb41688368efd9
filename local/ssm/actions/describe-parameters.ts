import type { ParameterMetadata, ParameterStringFilter, ParametersFilter } from '@aws-sdk/client-ssm';
import type { Parameter, ParameterVersion } from '../parameter';
import { filtered } from '../parameter-filter';
import { type SsmAction, ssmPage } from './ssm-action';

const MOST_RESULTS_DESCRIBED = 50;

/** @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_DescribeParameters.html */
export const describeParameters: SsmAction<'DescribeParameters'> = {
  permission: 'ssm:DescribeParameters',
  resourceOf: () => ({ arn: '*' }),
  run: (state, { input }) => {
    const filters = [...(input.ParameterFilters ?? []), ...(input.Filters ?? []).map(newer)];
    const { items, nextToken } = ssmPage(filtered(state.all(), filters), input, MOST_RESULTS_DESCRIBED);
    return {
      Parameters: items.map(parameter => described(parameter, parameter.latest)),
      ...(nextToken !== undefined && { NextToken: nextToken }),
    };
  },
};

/** The older kind of filter compares the beginnings of names. */
function newer({ Key, Values }: ParametersFilter): ParameterStringFilter {
  return { Key, Values, Option: Key === 'Name' ? 'BeginsWith' : 'Equals' };
}

/** What is told of a version beside its value. */
export function described({ name, arn }: Parameter, version: ParameterVersion): ParameterMetadata {
  const { type, keyId, description, allowedPattern, tier, modifiedAtMs, modifiedBy } = version;
  return {
    Name: name,
    ARN: arn,
    Type: type,
    ...(keyId !== undefined && { KeyId: keyId }),
    LastModifiedDate: new Date(modifiedAtMs),
    LastModifiedUser: modifiedBy,
    ...(description !== undefined && { Description: description }),
    ...(allowedPattern !== undefined && { AllowedPattern: allowedPattern }),
    Version: version.version,
    Tier: tier,
    Policies: [],
    DataType: 'text',
  };
}
