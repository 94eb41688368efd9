import type { CreateEventSourceMappingRequest, UpdateEventSourceMappingRequest } from '@aws-sdk/client-lambda';
import { between, type Constraint, check } from '../constraints';
import { refuse, unsupportedOfQueue } from '../errors';
import type { MappingConfiguration } from '../event-source/mapping-configuration';

/** What one says of a mapping, new or changed. */
export type MappingRequest = Partial<CreateEventSourceMappingRequest & UpdateEventSourceMappingRequest>;

/** What a mapping of a queue has on AWS, and not here. */
const REFUSED = ['KMSKeyArn', 'ProvisionedPollerConfig', 'LoggingConfig'] as const;

/** What mappings of streams and brokers have, and none of a queue. */
const OTHER_SOURCES = [
  'DestinationConfig',
  'StartingPosition',
  'StartingPositionTimestamp',
  'ParallelizationFactor',
  'MaximumRecordAgeInSeconds',
  'BisectBatchOnFunctionError',
  'MaximumRetryAttempts',
  'TumblingWindowInSeconds',
  'Topics',
  'Queues',
  'SourceAccessConfigurations',
  'SelfManagedEventSource',
  'AmazonManagedKafkaEventSourceConfig',
  'SelfManagedKafkaEventSourceConfig',
  'DocumentDBEventSourceConfig',
] as const;

/**
 * A mapping as it was, with what is said of it now.
 *
 * @param action for what is refused by name
 * @throws AwsError `ValidationException`, `InvalidParameterValueException`, or a 501 for what is not implemented
 */
export function mappingSaid(
  action: string,
  request: MappingRequest,
  before: MappingConfiguration,
): MappingConfiguration {
  check(...constraints(request));
  const foreign = OTHER_SOURCES.find(member => request[member] !== undefined);
  if (foreign) throw unsupportedOfQueue(foreign);
  const refused = REFUSED.find(member => request[member] !== undefined);
  if (refused) throw refuse(action, refused);
  const { FunctionResponseTypes, ScalingConfig, FilterCriteria, MetricsConfig } = request;
  return {
    ...before,
    batchSize: request.BatchSize ?? before.batchSize,
    maximumBatchingWindowSeconds: request.MaximumBatchingWindowInSeconds ?? before.maximumBatchingWindowSeconds,
    ...(FunctionResponseTypes && { reportBatchItemFailures: FunctionResponseTypes.length > 0 }),
    ...(ScalingConfig && { maximumConcurrency: ScalingConfig.MaximumConcurrency }),
    ...(FilterCriteria && { filters: (FilterCriteria.Filters ?? []).map(({ Pattern = '' }) => Pattern) }),
    ...(MetricsConfig && { countsEvents: (MetricsConfig.Metrics ?? []).includes('EventCount') }),
  };
}

function constraints(request: MappingRequest): readonly Constraint[] {
  const { FunctionResponseTypes = [], MetricsConfig, ScalingConfig } = request;
  return [
    between('batchSize', request.BatchSize, 1, 10_000),
    between('maximumBatchingWindowInSeconds', request.MaximumBatchingWindowInSeconds, 0, 300),
    between('scalingConfig.maximumConcurrency', ScalingConfig?.MaximumConcurrency, 2, 1000),
    listOf('functionResponseTypes', FunctionResponseTypes, ['ReportBatchItemFailures']),
    listOf('metricsConfig.metrics', MetricsConfig?.Metrics ?? [], ['EventCount', 'ErrorCount', 'KafkaMetrics']),
  ];
}

/** A list of nothing but a few texts. */
function listOf(member: string, values: readonly string[], allowed: readonly string[]): Constraint {
  const set = `Member must satisfy enum value set: [${allowed.join(', ')}]`;
  const rule = values.every(value => allowed.includes(value))
    ? undefined
    : `Member must satisfy constraint: [${set}, Member must not be null]`;
  return { member, value: `[${values.join(', ')}]`, rule };
}
