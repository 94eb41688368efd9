import type { PutFunctionRecursionConfigRequest, PutFunctionRecursionConfigResponse } from '@aws-sdk/client-lambda';
import { lambdaConstraints } from '../constraints';
import { onWholeFunction } from './lambda-action';

export const putFunctionRecursionConfig = onWholeFunction<
  PutFunctionRecursionConfigRequest,
  PutFunctionRecursionConfigResponse
>('PutFunctionRecursionConfig', ({ deployed }, { RecursiveLoop = 'Terminate' }) => {
  lambdaConstraints().oneOf('recursiveLoop', RecursiveLoop, ['Allow', 'Terminate']).check();
  deployed.recursiveLoop = RecursiveLoop;
  return { RecursiveLoop };
});
