import type { Concurrency, PutFunctionConcurrencyRequest } from '@aws-sdk/client-lambda';
import { lambdaConstraints } from '../constraints';
import { onWholeFunction } from './lambda-action';

/** It holds from the next invocation on; what runs, runs on. */
export const putFunctionConcurrency = onWholeFunction<PutFunctionConcurrencyRequest, Concurrency>(
  'PutFunctionConcurrency',
  ({ deployed }, { ReservedConcurrentExecutions: reserved = 0 }, { concurrency }) => {
    lambdaConstraints().range('reservedConcurrentExecutions', reserved, 0).check();
    concurrency.checkReservable(deployed.name, reserved);
    deployed.reserve(reserved);
    return { ReservedConcurrentExecutions: reserved };
  },
);
