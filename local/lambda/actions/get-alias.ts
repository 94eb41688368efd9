import type { AliasConfiguration, GetAliasRequest } from '@aws-sdk/client-lambda';
import { describeAlias } from './describe-alias';
import { onFunction } from './lambda-action';

export const getAlias = onFunction<GetAliasRequest, AliasConfiguration>('GetAlias', ({ deployed }, { Name = '' }) =>
  describeAlias(deployed.aliases.get(Name)),
);
