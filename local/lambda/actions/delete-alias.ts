import type { DeleteAliasRequest } from '@aws-sdk/client-lambda';
import { onFunction } from './lambda-action';

export const deleteAlias = onFunction<DeleteAliasRequest, object>('DeleteAlias', ({ deployed }, { Name = '' }) => {
  deployed.aliases.delete(Name);
  return {};
});
