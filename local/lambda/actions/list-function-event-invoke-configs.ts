import type {
  ListFunctionEventInvokeConfigsRequest,
  ListFunctionEventInvokeConfigsResponse,
} from '@aws-sdk/client-lambda';
import { between, check } from '../constraints';
import { describeEventInvoke } from './describe-event-invoke';
import { onEventInvokes, pageAsked } from './lambda-action';

export const listFunctionEventInvokeConfigs = onEventInvokes<
  ListFunctionEventInvokeConfigsRequest,
  ListFunctionEventInvokeConfigsResponse
>('ListFunctionEventInvokeConfigs', ({ deployed }, input) => {
  check(between('maxItems', input.MaxItems, 1, 50));
  const { items, nextToken } = pageAsked(deployed.eventInvokes.all(), input, 50);
  return { FunctionEventInvokeConfigs: items.map(describeEventInvoke), NextMarker: nextToken };
});
