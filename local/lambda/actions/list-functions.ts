import type { ListFunctionsRequest, ListFunctionsResponse } from '@aws-sdk/client-lambda';
import { lambdaConstraints } from '../constraints';
import { describeFunction, describeVersion } from './describe-function';
import { onAnything, pageAsked } from './lambda-action';

export const listFunctions = onAnything<ListFunctionsRequest, ListFunctionsResponse>(
  'ListFunctions',
  ({ functions }, input) => {
    lambdaConstraints().oneOf('functionVersion', input.FunctionVersion, ['ALL']).check();
    const all =
      input.FunctionVersion === 'ALL'
        ? functions.all().flatMap(({ versions }) => versions.all().map(describeVersion))
        : functions.all().map(({ arn, versions }) => describeFunction(versions.latest, arn));
    const { items, nextToken } = pageAsked(all, input, 50);
    return { Functions: items, NextMarker: nextToken };
  },
);
