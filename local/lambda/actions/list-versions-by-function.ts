import type { ListVersionsByFunctionRequest, ListVersionsByFunctionResponse } from '@aws-sdk/client-lambda';
import { describeVersion } from './describe-function';
import { onFunction, pageAsked } from './lambda-action';

export const listVersionsByFunction = onFunction<ListVersionsByFunctionRequest, ListVersionsByFunctionResponse>(
  'ListVersionsByFunction',
  ({ deployed }, input) => {
    const { items, nextToken } = pageAsked(deployed.versions.all(), input, 50);
    return { Versions: items.map(describeVersion), NextMarker: nextToken };
  },
);
