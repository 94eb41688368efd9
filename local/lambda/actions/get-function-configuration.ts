import type { FunctionConfiguration, GetFunctionConfigurationRequest } from '@aws-sdk/client-lambda';
import { describeTarget } from './describe-function';
import { onFunction } from './lambda-action';

export const getFunctionConfiguration = onFunction<GetFunctionConfigurationRequest, FunctionConfiguration>(
  'GetFunctionConfiguration',
  describeTarget,
);
