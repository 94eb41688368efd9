import type { ListAliasesRequest, ListAliasesResponse } from '@aws-sdk/client-lambda';
import { describeAlias } from './describe-alias';
import { onFunction, pageAsked } from './lambda-action';

export const listAliases = onFunction<ListAliasesRequest, ListAliasesResponse>('ListAliases', ({ deployed }, input) => {
  const { FunctionVersion: wanted } = input;
  const all = deployed.aliases.all().filter(({ functionVersion }) => (wanted ?? functionVersion) === functionVersion);
  const { items, nextToken } = pageAsked(all, input, 50);
  return { Aliases: items.map(describeAlias), NextMarker: nextToken };
});
