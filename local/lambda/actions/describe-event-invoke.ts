import type { DestinationConfig, FunctionEventInvokeConfig } from '@aws-sdk/client-lambda';
import { lambdaConstraints } from '../constraints';
import type { LambdaInternals } from '../desk';
import { invalidParameter } from '../errors';
import { checkDestinations } from '../function/destination-rules';
import type { EventInvokeConfiguration } from '../function/event-invoke-configuration';
import type { PutEventInvokeConfiguration } from '../function/event-invoke-configurations';
import type { FunctionTarget } from '../function/function-target';

/** What one says of the events of a function. */
interface EventInvokeInput {
  readonly MaximumRetryAttempts?: number | undefined;
  readonly MaximumEventAgeInSeconds?: number | undefined;
  readonly DestinationConfig?: DestinationConfig | undefined;
}

/**
 * What was said, with nothing for what was not.
 *
 * @throws AwsError `ValidationException` and `InvalidParameterValueException`
 */
export function eventInvokeInput(
  said: EventInvokeInput,
  target: FunctionTarget,
  { functions }: LambdaInternals,
): EventInvokeConfiguration {
  const { MaximumRetryAttempts, MaximumEventAgeInSeconds, DestinationConfig: destinations } = said;
  if (MaximumRetryAttempts === undefined && MaximumEventAgeInSeconds === undefined && !destinations) {
    throw invalidParameter('You must specify at least one of error handling or destination setting.');
  }
  lambdaConstraints()
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

/** A configuration as clients are told of it: what was not said is not told. */
export function describeEventInvoke({ functionArn, configuration, lastModifiedMs }: PutEventInvokeConfiguration) {
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
