import type {
  ListFunctionEventInvokeConfigsRequest,
  ListFunctionEventInvokeConfigsResponse,
} from '@aws-sdk/client-lambda';
import { describeEventInvoke } from './describe-event-invoke';
import { onEventInvokes, pageAsked } from './lambda-action';

export const listFunctionEventInvokeConfigs = onEventInvokes<
  ListFunctionEventInvokeConfigsRequest,
  ListFunctionEventInvokeConfigsResponse
>('ListFunctionEventInvokeConfigs', ({ deployed }, input) => {
  const { items, nextToken } = pageAsked(deployed.eventInvokes.all(), input, 50);
  return { FunctionEventInvokeConfigs: items.map(describeEventInvoke), NextMarker: nextToken };
});
