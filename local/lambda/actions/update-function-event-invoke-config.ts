import type { FunctionEventInvokeConfig, UpdateFunctionEventInvokeConfigRequest } from '@aws-sdk/client-lambda';
import { describeEventInvoke, eventInvokeInput } from './describe-event-invoke';
import { onEventInvokes } from './lambda-action';

/** Changes what is said, and leaves the rest. */
export const updateFunctionEventInvokeConfig = onEventInvokes<
  UpdateFunctionEventInvokeConfigRequest,
  FunctionEventInvokeConfig
>('UpdateFunctionEventInvokeConfig', (target, input, internals) => {
  const { eventInvokes } = target.deployed;
  const said = eventInvokeInput(input, target, internals);
  const { configuration } = eventInvokes.get(target.qualifier);
  return describeEventInvoke(eventInvokes.put(target.qualifier, { ...configuration, ...said }));
});
