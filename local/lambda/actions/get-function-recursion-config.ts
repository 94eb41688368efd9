import type { GetFunctionRecursionConfigRequest, GetFunctionRecursionConfigResponse } from '@aws-sdk/client-lambda';
import { onWholeFunction } from './lambda-action';

export const getFunctionRecursionConfig = onWholeFunction<
  GetFunctionRecursionConfigRequest,
  GetFunctionRecursionConfigResponse
>('GetFunctionRecursionConfig', ({ deployed }) => ({ RecursiveLoop: deployed.recursiveLoop }));
