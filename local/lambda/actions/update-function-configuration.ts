import type { FunctionConfiguration, UpdateFunctionConfigurationRequest } from '@aws-sdk/client-lambda';
import { describeTarget } from './describe-function';
import { checkFunction, requestedConfiguration } from './function-request';
import { checkRevision, onWholeFunction } from './lambda-action';

const UPDATE_ACTION = 'UpdateFunctionConfiguration';

/**
 * Changes `$LATEST`, at once: AWS takes a moment, during which `LastUpdateStatus` is `InProgress`. What runs, runs on; the
 * next invocation has a new execution environment.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_UpdateFunctionConfiguration.html
 */
export const updateFunctionConfiguration = onWholeFunction<UpdateFunctionConfigurationRequest, FunctionConfiguration>(
  UPDATE_ACTION,
  (target, request, internals) => {
    const { deployed } = target;
    checkRevision(target, request.RevisionId);
    const changes = requestedConfiguration(UPDATE_ACTION, request, deployed.configuration.logging);
    checkFunction(UPDATE_ACTION, { ...deployed.configuration, ...changes }, changes, internals);
    deployed.update(changes);
    internals.context.trace.record({ type: 'lambda.function-updated', functionArn: deployed.arn });
    return describeTarget(target);
  },
);
