import type { GetFunctionConcurrencyRequest, GetFunctionConcurrencyResponse } from '@aws-sdk/client-lambda';
import { onFunction } from './lambda-action';

export const getFunctionConcurrency = onFunction<GetFunctionConcurrencyRequest, GetFunctionConcurrencyResponse>(
  'GetFunctionConcurrency',
  ({ deployed: { reservedConcurrency } }) =>
    reservedConcurrency === undefined ? {} : { ReservedConcurrentExecutions: reservedConcurrency },
);
