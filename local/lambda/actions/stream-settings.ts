import type { CreateEventSourceMappingRequest, UpdateEventSourceMappingRequest } from '@aws-sdk/client-lambda';
import { notImplemented } from '../../kernel/aws-error';
import { invalidParameter, lambdaConstraints } from '../errors';
import { isKeptAsMessage, type StreamConfiguration } from '../event-source/stream/stream-configuration';

/** The members of a request that only mappings of streams have. An update cannot change where the mapping started. */
export const STREAM_MEMBERS = [
  'DestinationConfig',
  'ParallelizationFactor',
  'MaximumRecordAgeInSeconds',
  'BisectBatchOnFunctionError',
  'MaximumRetryAttempts',
  'TumblingWindowInSeconds',
] as const;

type StreamRequest = Pick<
  Partial<CreateEventSourceMappingRequest & UpdateEventSourceMappingRequest>,
  (typeof STREAM_MEMBERS)[number]
>;

/**
 * Applies the settings of a request to what a mapping of a stream has.
 *
 * **Assumption LAMBDA-23:** The text of the error for an age below 60 seconds is ours.
 *
 * @throws AwsError `ValidationException`, `InvalidParameterValueException` or `NotImplemented`
 */
export function requestedStream(request: StreamRequest, before: StreamConfiguration): StreamConfiguration {
  const { MaximumRecordAgeInSeconds: age, TumblingWindowInSeconds: window, DestinationConfig } = request;
  lambdaConstraints()
    .range('parallelizationFactor', request.ParallelizationFactor, 1, 10)
    .range('maximumRecordAgeInSeconds', age, -1, 604_800)
    .range('maximumRetryAttempts', request.MaximumRetryAttempts, -1, 10_000)
    .range('tumblingWindowInSeconds', window, 0, 900)
    .check();
  if (age !== undefined && age > -1 && age < 60) {
    throw invalidParameter(`MaximumRecordAgeInSeconds must be -1 or from 60 to 604800, got ${age}.`);
  }
  if (window !== undefined && window > 0) throw notImplemented('TumblingWindowInSeconds');
  const onFailureArn = DestinationConfig ? DestinationConfig.OnFailure?.Destination : before.onFailureArn;
  if (onFailureArn !== undefined && !isKeptAsMessage(onFailureArn)) {
    throw notImplemented(`destinations of streams other than queues and topics: ${onFailureArn}`);
  }
  return {
    ...before,
    onFailureArn,
    parallelizationFactor: request.ParallelizationFactor ?? before.parallelizationFactor,
    maximumRecordAgeSeconds: age ?? before.maximumRecordAgeSeconds,
    bisectBatchOnFunctionError: request.BisectBatchOnFunctionError ?? before.bisectBatchOnFunctionError,
    maximumRetryAttempts: request.MaximumRetryAttempts ?? before.maximumRetryAttempts,
  };
}
