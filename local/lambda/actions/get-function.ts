import type { GetFunctionRequest, GetFunctionResponse } from '@aws-sdk/client-lambda';
import { describeTarget } from './describe-function';
import { onFunction } from './lambda-action';

/** Where the code lies is not told: it is a folder of this machine. */
export const getFunction = onFunction<GetFunctionRequest, GetFunctionResponse>('GetFunction', target => {
  const { tags, reservedConcurrency } = target.deployed;
  return {
    Configuration: describeTarget(target),
    Code: { RepositoryType: 'S3' },
    ...(tags.size > 0 && { Tags: tags.record() }),
    ...(reservedConcurrency !== undefined && {
      Concurrency: { ReservedConcurrentExecutions: reservedConcurrency },
    }),
  };
});
