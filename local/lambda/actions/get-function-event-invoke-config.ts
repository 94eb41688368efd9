import type { FunctionEventInvokeConfig, GetFunctionEventInvokeConfigRequest } from '@aws-sdk/client-lambda';
import { describeEventInvoke } from './describe-event-invoke';
import { onEventInvokes } from './lambda-action';

export const getFunctionEventInvokeConfig = onEventInvokes<
  GetFunctionEventInvokeConfigRequest,
  FunctionEventInvokeConfig
>('GetFunctionEventInvokeConfig', ({ deployed, qualifier }) =>
  describeEventInvoke(deployed.eventInvokes.get(qualifier)),
);
