import type { Concurrency, PutFunctionConcurrencyRequest } from '@aws-sdk/client-lambda';
import { check } from '../constraints';
import { onWholeFunction } from './lambda-action';

/** It holds from the next invocation on; what runs, runs on. */
export const putFunctionConcurrency = onWholeFunction<PutFunctionConcurrencyRequest, Concurrency>(
  'PutFunctionConcurrency',
  ({ deployed }, { ReservedConcurrentExecutions: reserved = 0 }, { concurrency }) => {
    const rule = reserved < 0 ? 'Member must have value greater than or equal to 0' : undefined;
    check({ member: 'reservedConcurrentExecutions', value: reserved, rule });
    concurrency.checkReservable(deployed.name, reserved);
    deployed.reserve(reserved);
    return { ReservedConcurrentExecutions: reserved };
  },
);
