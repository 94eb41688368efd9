import type { DeleteFunctionEventInvokeConfigRequest } from '@aws-sdk/client-lambda';
import { onEventInvokes } from './lambda-action';

export const deleteFunctionEventInvokeConfig = onEventInvokes<DeleteFunctionEventInvokeConfigRequest, object>(
  'DeleteFunctionEventInvokeConfig',
  ({ deployed, qualifier }) => {
    deployed.eventInvokes.delete(qualifier);
    return {};
  },
);
