import type { PutFunctionRecursionConfigRequest, PutFunctionRecursionConfigResponse } from '@aws-sdk/client-lambda';
import { check, oneOfSet } from '../constraints';
import { onWholeFunction } from './lambda-action';

export const putFunctionRecursionConfig = onWholeFunction<
  PutFunctionRecursionConfigRequest,
  PutFunctionRecursionConfigResponse
>('PutFunctionRecursionConfig', ({ deployed }, { RecursiveLoop = 'Terminate' }) => {
  check(oneOfSet('recursiveLoop', RecursiveLoop, ['Allow', 'Terminate']));
  deployed.recursiveLoop = RecursiveLoop;
  return { RecursiveLoop };
});
