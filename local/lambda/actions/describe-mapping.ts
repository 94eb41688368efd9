import type { EventSourceMappingConfiguration } from '@aws-sdk/client-lambda';
import type { EventSourceMapping } from '../event-source/event-source-mapping';

/** A mapping as clients are told of it. */
export function describeMapping(mapping: EventSourceMapping) {
  const { configuration, target, uuid, arn, state, lastModifiedMs } = mapping;
  const { filters, maximumConcurrency, provisionedPollers, countsEvents } = configuration;
  return {
    UUID: uuid,
    EventSourceMappingArn: arn,
    EventSourceArn: configuration.queueArn,
    FunctionArn: target.invokedArn,
    BatchSize: configuration.batchSize,
    MaximumBatchingWindowInSeconds: configuration.maximumBatchingWindowSeconds,
    FunctionResponseTypes: configuration.reportBatchItemFailures ? ['ReportBatchItemFailures'] : [],
    ...(maximumConcurrency !== undefined && { ScalingConfig: { MaximumConcurrency: maximumConcurrency } }),
    ...(provisionedPollers && {
      ProvisionedPollerConfig: {
        MinimumPollers: provisionedPollers.minimum,
        MaximumPollers: provisionedPollers.maximum,
      },
    }),
    ...(filters.length > 0 && { FilterCriteria: { Filters: filters.map(Pattern => ({ Pattern })) } }),
    ...(countsEvents && { MetricsConfig: { Metrics: ['EventCount'] } }),
    LastModified: new Date(lastModifiedMs),
    State: state,
    StateTransitionReason: 'USER_INITIATED',
  } satisfies EventSourceMappingConfiguration;
}
