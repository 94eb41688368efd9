import type {
  Concurrency,
  DeleteFunctionConcurrencyRequest,
  GetFunctionConcurrencyRequest,
  GetFunctionConcurrencyResponse,
  GetFunctionRecursionConfigRequest,
  GetFunctionRecursionConfigResponse,
  PutFunctionConcurrencyRequest,
  PutFunctionRecursionConfigRequest,
  PutFunctionRecursionConfigResponse,
} from '@aws-sdk/client-lambda';
import { lambdaConstraints } from '../errors';
import { onFunction, onWholeFunction } from './lambda-action';

/** Takes effect with the next invocation. Running invocations continue. */
export const putFunctionConcurrency = onWholeFunction<PutFunctionConcurrencyRequest, Concurrency>(
  'PutFunctionConcurrency',
  ({ deployed }, { ReservedConcurrentExecutions: reserved = 0 }, { concurrency }) => {
    lambdaConstraints().range('reservedConcurrentExecutions', reserved, 0).check();
    concurrency.checkReservable(deployed.name, reserved);
    deployed.reserve(reserved);
    return { ReservedConcurrentExecutions: reserved };
  },
);

export const getFunctionConcurrency = onFunction<GetFunctionConcurrencyRequest, GetFunctionConcurrencyResponse>(
  'GetFunctionConcurrency',
  ({ deployed: { reservedConcurrency } }) =>
    reservedConcurrency === undefined ? {} : { ReservedConcurrentExecutions: reservedConcurrency },
);

export const deleteFunctionConcurrency = onWholeFunction<DeleteFunctionConcurrencyRequest, object>(
  'DeleteFunctionConcurrency',
  ({ deployed }) => {
    deployed.reserve(undefined);
    return {};
  },
);

export const putFunctionRecursionConfig = onWholeFunction<
  PutFunctionRecursionConfigRequest,
  PutFunctionRecursionConfigResponse
>('PutFunctionRecursionConfig', ({ deployed }, { RecursiveLoop = 'Terminate' }) => {
  lambdaConstraints().oneOf('recursiveLoop', RecursiveLoop, ['Allow', 'Terminate']).check();
  deployed.recursiveLoop = RecursiveLoop;
  return { RecursiveLoop };
});

export const getFunctionRecursionConfig = onWholeFunction<
  GetFunctionRecursionConfigRequest,
  GetFunctionRecursionConfigResponse
>('GetFunctionRecursionConfig', ({ deployed }) => ({ RecursiveLoop: deployed.recursiveLoop }));
