import type { DeleteFunctionConcurrencyRequest } from '@aws-sdk/client-lambda';
import { onWholeFunction } from './lambda-action';

export const deleteFunctionConcurrency = onWholeFunction<DeleteFunctionConcurrencyRequest, object>(
  'DeleteFunctionConcurrency',
  ({ deployed }) => {
    deployed.reserve(undefined);
    return {};
  },
);
