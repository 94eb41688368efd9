import type {
  CreateEventSourceMappingRequest,
  ProvisionedPollerConfig,
  UpdateEventSourceMappingRequest,
} from '@aws-sdk/client-lambda';
import type { Constraints } from '../../kernel/constraints';
import { lambdaConstraints } from '../constraints';
import { refuse, unsupportedOfQueue } from '../errors';
import {
  DEFAULT_POLLERS,
  type MappingConfiguration,
  type ProvisionedPollers,
} from '../event-source/mapping-configuration';

/** What one says of a mapping, new or changed. */
export type MappingRequest = Partial<CreateEventSourceMappingRequest & UpdateEventSourceMappingRequest>;

/** What a mapping of a queue has on AWS, and not here. */
const REFUSED = ['KMSKeyArn', 'LoggingConfig'] as const;

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
export function requestedMapping(
  action: string,
  request: MappingRequest,
  before: MappingConfiguration,
): MappingConfiguration {
  checkModel(request);
  const foreign = OTHER_SOURCES.find(member => request[member] !== undefined);
  if (foreign) throw unsupportedOfQueue(foreign);
  const refused = REFUSED.find(member => request[member] !== undefined);
  if (refused) throw refuse(action, refused);
  const { FunctionResponseTypes, ScalingConfig, ProvisionedPollerConfig, FilterCriteria, MetricsConfig } = request;
  return {
    ...before,
    batchSize: request.BatchSize ?? before.batchSize,
    maximumBatchingWindowSeconds: request.MaximumBatchingWindowInSeconds ?? before.maximumBatchingWindowSeconds,
    ...(FunctionResponseTypes && { reportBatchItemFailures: FunctionResponseTypes.length > 0 }),
    ...(ScalingConfig && { maximumConcurrency: ScalingConfig.MaximumConcurrency }),
    ...(ProvisionedPollerConfig && { provisionedPollers: requestedPollers(ProvisionedPollerConfig) }),
    ...(FilterCriteria && { filters: (FilterCriteria.Filters ?? []).map(({ Pattern = '' }) => Pattern) }),
    ...(MetricsConfig && { countsEvents: (MetricsConfig.Metrics ?? []).includes('EventCount') }),
  };
}

/** Nothing said of them takes them away, as with `ScalingConfig`. */
function requestedPollers(said: ProvisionedPollerConfig): ProvisionedPollers | undefined {
  if (said.PollerGroupName !== undefined) throw unsupportedOfQueue('PollerGroupName');
  const { MinimumPollers, MaximumPollers } = said;
  if (MinimumPollers === undefined && MaximumPollers === undefined) return undefined;
  return { minimum: MinimumPollers ?? DEFAULT_POLLERS.minimum, maximum: MaximumPollers ?? DEFAULT_POLLERS.maximum };
}

function checkModel(request: MappingRequest): void {
  const { FunctionResponseTypes = [], MetricsConfig, ProvisionedPollerConfig: pollers, ScalingConfig } = request;
  const constraints = lambdaConstraints()
    .range('batchSize', request.BatchSize, 1, 10_000)
    .range('maximumBatchingWindowInSeconds', request.MaximumBatchingWindowInSeconds, 0, 300)
    .range('scalingConfig.maximumConcurrency', ScalingConfig?.MaximumConcurrency, 2, 1000)
    .range('provisionedPollerConfig.minimumPollers', pollers?.MinimumPollers, 2, 200)
    .range('provisionedPollerConfig.maximumPollers', pollers?.MaximumPollers, 2, 2000);
  constrainList(constraints, 'functionResponseTypes', FunctionResponseTypes, ['ReportBatchItemFailures']);
  const metrics = ['EventCount', 'ErrorCount', 'KafkaMetrics'];
  constrainList(constraints, 'metricsConfig.metrics', MetricsConfig?.Metrics ?? [], metrics);
  constraints.check();
}

/** A list of nothing but a few texts. */
function constrainList(
  constraints: Constraints,
  member: string,
  values: readonly string[],
  allowed: readonly string[],
): void {
  if (values.every(value => allowed.includes(value))) return;
  const set = `Member must satisfy enum value set: [${allowed.join(', ')}]`;
  constraints.breach(member, values, `Member must satisfy constraint: [${set}, Member must not be null]`);
}
