import type { FunctionEventInvokeConfig, PutFunctionEventInvokeConfigRequest } from '@aws-sdk/client-lambda';
import { describeEventInvoke, eventInvokeInput } from './describe-event-invoke';
import { onEventInvokes } from './lambda-action';

/** Replaces what there was, all of it. */
export const putFunctionEventInvokeConfig = onEventInvokes<
  PutFunctionEventInvokeConfigRequest,
  FunctionEventInvokeConfig
>('PutFunctionEventInvokeConfig', (target, input, internals) => {
  const { deployed, qualifier } = target;
  return describeEventInvoke(deployed.eventInvokes.put(qualifier, eventInvokeInput(input, target, internals)));
});
