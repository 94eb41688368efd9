import type { CreateEventSourceMappingRequest, UpdateEventSourceMappingRequest } from '@aws-sdk/client-lambda';
import { notImplemented } from '../../kernel/aws-error';
import { invalidParameter, lambdaConstraints } from '../errors';
import {
  isKeptAsMessage,
  STARTING_POSITIONS,
  type StreamConfiguration,
  streamServiceOf,
} from '../event-source/stream/stream-configuration';

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

/** The members that only the creation of a mapping has. */
export const STARTING_MEMBERS = ['StartingPosition', 'StartingPositionTimestamp'] as const;

const NEW_STREAM = {
  maximumRetryAttempts: -1,
  maximumRecordAgeSeconds: -1,
  bisectBatchOnFunctionError: false,
  parallelizationFactor: 1,
  onFailureArn: undefined,
} as const;

/**
 * Where a new mapping starts to read, with the defaults of its settings. **Assumption LAMBDA-23:** The texts of the errors are ours.
 *
 * @throws AwsError `InvalidParameterValueException`
 */
export function startingStream(
  { StartingPosition: given, StartingPositionTimestamp: startingAt }: Partial<CreateEventSourceMappingRequest>,
  streamArn: string,
): StreamConfiguration {
  const startingPosition = STARTING_POSITIONS.find(position => position === given);
  if (!startingPosition) {
    throw invalidParameter(`StartingPosition must be ${STARTING_POSITIONS.join(', ')}, got ${given ?? 'none'}.`);
  }
  const isTimestamp = startingPosition === 'AT_TIMESTAMP';
  if (isTimestamp && streamServiceOf(streamArn) !== 'kinesis') {
    throw invalidParameter('StartingPosition may be AT_TIMESTAMP only for a Kinesis stream.');
  }
  if (isTimestamp !== (startingAt !== undefined)) {
    throw invalidParameter('StartingPositionTimestamp is required with AT_TIMESTAMP, and must be left out without it.');
  }
  return { ...NEW_STREAM, startingPosition, startingAtMs: startingAt?.getTime() };
}

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
