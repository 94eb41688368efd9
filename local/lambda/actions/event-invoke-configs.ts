import type { DestinationConfig, FunctionEventInvokeConfig } from '@aws-sdk/client-lambda';
import { Constraints } from '../../kernel/constraints';
import { invalidParameter } from '../errors';
import type { FunctionTarget } from '../function/deployed-function';
import type { EventInvokeConfiguration, PutEventInvokeConfiguration } from '../function/event-invoke-configuration';
import { checkDestinations } from '../function/function-rules';
import type { LambdaState } from '../lambda-state';
import { type LambdaFamily, onEventInvokes, pageAsked } from './lambda-action';

/** The members of a request. */
interface EventInvokeInput {
  readonly MaximumRetryAttempts?: number | undefined;
  readonly MaximumEventAgeInSeconds?: number | undefined;
  readonly DestinationConfig?: DestinationConfig | undefined;
}

export const eventInvokeConfigActions = {
  /** Replaces the whole configuration. */
  PutFunctionEventInvokeConfig: onEventInvokes((target, input, state) => {
    const { deployed, qualifier } = target;
    return describeEventInvoke(deployed.eventInvokes.put(qualifier, eventInvokeInput(input, target, state)));
  }),

  /** Changes the given members and keeps the others. */
  UpdateFunctionEventInvokeConfig: onEventInvokes((target, input, state) => {
    const { eventInvokes } = target.deployed;
    const said = eventInvokeInput(input, target, state);
    const { configuration } = eventInvokes.get(target.qualifier);
    return describeEventInvoke(eventInvokes.put(target.qualifier, { ...configuration, ...said }));
  }),

  GetFunctionEventInvokeConfig: onEventInvokes(({ deployed, qualifier }) =>
    describeEventInvoke(deployed.eventInvokes.get(qualifier)),
  ),

  ListFunctionEventInvokeConfigs: onEventInvokes(({ deployed }, input) => {
    const { items, nextToken } = pageAsked(deployed.eventInvokes.all(), input, 50);
    return { FunctionEventInvokeConfigs: items.map(describeEventInvoke), NextMarker: nextToken };
  }),

  DeleteFunctionEventInvokeConfig: onEventInvokes(({ deployed, qualifier }) => {
    deployed.eventInvokes.delete(qualifier);
    return {};
  }),
} satisfies LambdaFamily;

/** Returns the settings that the request contains. */
function eventInvokeInput(
  said: EventInvokeInput,
  target: FunctionTarget,
  { functions }: LambdaState,
): EventInvokeConfiguration {
  const { MaximumRetryAttempts, MaximumEventAgeInSeconds, DestinationConfig: destinations } = said;
  if (MaximumRetryAttempts === undefined && MaximumEventAgeInSeconds === undefined && !destinations) {
    throw invalidParameter('You must specify at least one of error handling or destination setting.');
  }
  new Constraints()
    .range('maximumRetryAttempts', MaximumRetryAttempts, 0, 2)
    .range('maximumEventAgeInSeconds', MaximumEventAgeInSeconds, 60, 21_600)
    .check();
  const onSuccessArn = destinations?.OnSuccess?.Destination || undefined;
  const onFailureArn = destinations?.OnFailure?.Destination || undefined;
  checkDestinations({ onSuccessArn, onFailureArn }, target.deployed, functions);
  return {
    ...(MaximumRetryAttempts !== undefined && { maximumRetryAttempts: MaximumRetryAttempts }),
    ...(MaximumEventAgeInSeconds !== undefined && { maximumEventAgeSeconds: MaximumEventAgeInSeconds }),
    ...(destinations && { onSuccessArn, onFailureArn }),
  };
}

/** Describes a configuration as Lambda's responses do, without the members that are not set. */
function describeEventInvoke({ functionArn, configuration, lastModifiedMs }: PutEventInvokeConfiguration) {
  const { maximumRetryAttempts, maximumEventAgeSeconds, onSuccessArn, onFailureArn } = configuration;
  return {
    LastModified: new Date(lastModifiedMs),
    FunctionArn: functionArn,
    MaximumRetryAttempts: maximumRetryAttempts,
    MaximumEventAgeInSeconds: maximumEventAgeSeconds,
    DestinationConfig: {
      OnSuccess: onSuccessArn === undefined ? {} : { Destination: onSuccessArn },
      OnFailure: onFailureArn === undefined ? {} : { Destination: onFailureArn },
    },
  } satisfies FunctionEventInvokeConfig;
}
