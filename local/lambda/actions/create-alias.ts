import type { AliasConfiguration, CreateAliasRequest } from '@aws-sdk/client-lambda';
import { lambdaConstraints } from '../constraints';
import { describeAlias, weightsOf } from './describe-alias';
import { onFunction } from './lambda-action';

const NAME = '(?!^[0-9]+$)([a-zA-Z0-9-_]+)';

export const createAlias = onFunction<CreateAliasRequest, AliasConfiguration>(
  'CreateAlias',
  ({ deployed }, { Name = '', FunctionVersion = '', Description, RoutingConfig }) => {
    lambdaConstraints().pattern('name', Name, NAME).check();
    const weights = RoutingConfig && weightsOf(RoutingConfig);
    const settings = { functionVersion: FunctionVersion, description: Description, weights };
    return describeAlias(deployed.aliases.create(Name, settings));
  },
);
