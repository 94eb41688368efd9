import type { AliasConfiguration, UpdateAliasRequest } from '@aws-sdk/client-lambda';
import { preconditionFailed } from '../errors';
import { describeAlias, weightsOf } from './describe-alias';
import { onFunction } from './lambda-action';

export const updateAlias = onFunction<UpdateAliasRequest, AliasConfiguration>(
  'UpdateAlias',
  ({ deployed: { aliases } }, { Name = '', FunctionVersion, Description, RoutingConfig, RevisionId }) => {
    const { revisionId } = aliases.get(Name);
    if ((RevisionId ?? revisionId) !== revisionId) throw preconditionFailed();
    const changes = {
      ...(FunctionVersion !== undefined && { functionVersion: FunctionVersion }),
      ...(Description !== undefined && { description: Description }),
      ...(RoutingConfig && { weights: weightsOf(RoutingConfig) }),
    };
    return describeAlias(aliases.update(Name, changes));
  },
);
