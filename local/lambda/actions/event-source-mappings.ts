import type {
  CreateEventSourceMappingRequest,
  EventSourceMappingConfiguration,
  ProvisionedPollerConfig,
  UpdateEventSourceMappingRequest,
} from '@aws-sdk/client-lambda';
import { WEEK_SECONDS } from '../../../policy/time-units';
import { notImplemented } from '../../kernel/aws-error';
import { Constraints } from '../../kernel/constraints';
import { MissingResource } from '../../kernel/service-api';
import { checkTags, tagList } from '../../kernel/tags';
import { invalidParameter, LAMBDA_TAGS, refuse, unsupportedOfQueue } from '../errors';
import { type EventSourceMapping, TRANSITION_MS } from '../event-source/event-source-mapping';
import {
  DEFAULT_MAPPING,
  DEFAULT_POLLERS,
  isQueueArn,
  type MappingConfiguration,
  noQueue,
  type ProvisionedPollers,
} from '../event-source/mapping-configuration';
import {
  isConsumerArn,
  isKeptAsMessage,
  STARTING_POSITIONS,
  type StreamConfiguration,
  streamServiceOf,
} from '../event-source/stream/stream-configuration';
import { functionCondition, type LambdaFamily, onMapping, pageAsked } from './lambda-action';

/** AWS's default for streams. */
const STREAM_BATCH_SIZE = 100;

/** The settings of a new or changed mapping. */
type MappingRequest = Partial<CreateEventSourceMappingRequest & UpdateEventSourceMappingRequest>;

/** Members that AWS supports for queues but the embedded AWS does not. */
const REFUSED = ['KMSKeyArn', 'LoggingConfig'] as const;

/** The members of a request that only mappings of streams have. An update cannot change where the mapping started. */
const STREAM_MEMBERS = [
  'DestinationConfig',
  'ParallelizationFactor',
  'MaximumRecordAgeInSeconds',
  'BisectBatchOnFunctionError',
  'MaximumRetryAttempts',
  'TumblingWindowInSeconds',
] as const;

/** The members that only the creation of a mapping has. */
const STARTING_MEMBERS = ['StartingPosition', 'StartingPositionTimestamp'] as const;

/** Members that AWS supports only for streams and brokers. */
const OTHER_SOURCES = [
  ...STREAM_MEMBERS,
  ...STARTING_MEMBERS,
  'Topics',
  'Queues',
  'SourceAccessConfigurations',
  'SelfManagedEventSource',
  'AmazonManagedKafkaEventSourceConfig',
  'SelfManagedKafkaEventSourceConfig',
  'DocumentDBEventSourceConfig',
] as const;

/** Members that AWS supports only for queues. */
const OF_QUEUES = ['ScalingConfig', 'ProvisionedPollerConfig'] as const;

export const eventSourceMappingActions = {
  CreateEventSourceMapping: {
    contextOf: ({ FunctionName = '' }, _, { functions }) => functionCondition(functions.target(FunctionName)),
    run: ({ functions, mappings }, { input: request }) => {
      const { FunctionName = '', EventSourceArn: queueArn, Enabled: enabled = true, Tags = {} } = request;
      const isStream = queueArn !== undefined && streamServiceOf(queueArn) !== undefined && !isConsumerArn(queueArn);
      if (request.SelfManagedEventSource) throw refuse('CreateEventSourceMapping', 'SelfManagedEventSource');
      if (!queueArn || !(isStream || isQueueArn(queueArn))) throw noQueue(queueArn);
      const { StartingPosition, StartingPositionTimestamp, ...settings } = request;
      const configuration = isStream
        ? requestedMapping('CreateEventSourceMapping', settings, {
            ...DEFAULT_MAPPING,
            queueArn,
            batchSize: STREAM_BATCH_SIZE,
            stream: startingStream({ StartingPosition, StartingPositionTimestamp }, queueArn),
          })
        : requestedMapping('CreateEventSourceMapping', request, { ...DEFAULT_MAPPING, queueArn });
      const target = functions.target(FunctionName);
      if (target instanceof MissingResource) throw invalidParameter('Function does not exist');
      checkTags(tagList(Tags), LAMBDA_TAGS);
      const mapping = mappings.create({ configuration, target, enabled }, TRANSITION_MS);
      mapping.tags.put(tagList(Tags));
      return describeMapping(mapping);
    },
  },

  GetEventSourceMapping: onMapping(describeMapping),

  ListEventSourceMappings: {
    run: ({ functions, mappings }, { input }) => {
      const { EventSourceArn: queueArn, FunctionName } = input;
      const target = FunctionName === undefined ? undefined : functions.target(FunctionName);
      const wanted = mappings
        .all()
        .filter(mapping => (queueArn ?? mapping.configuration.queueArn) === mapping.configuration.queueArn)
        .filter(mapping => (target ?? mapping.target) === mapping.target);
      const { items, nextToken } = pageAsked(wanted, input, 100);
      return { EventSourceMappings: items.map(describeMapping), NextMarker: nextToken };
    },
  },

  /** Changes the given members and keeps the others. */
  UpdateEventSourceMapping: onMapping(
    (mapping, { UUID: _, FunctionName, Enabled: enabled = mapping.enabled, ...said }, { functions, mappings }) => {
      const before = mapping.configuration;
      const saysMore = Object.values(said).some(value => value !== undefined);
      const configuration = saysMore ? requestedMapping('UpdateEventSourceMapping', said, before) : before;
      const target = FunctionName === undefined ? mapping.target : functions.target(FunctionName);
      if (target instanceof MissingResource) throw invalidParameter('Function does not exist');
      mappings.update(mapping, { configuration, target, enabled });
      return describeMapping(mapping);
    },
  ),

  DeleteEventSourceMapping: onMapping((mapping, _input, { mappings }) => {
    mappings.delete(mapping);
    return describeMapping(mapping);
  }),
} satisfies LambdaFamily;

function describeMapping(mapping: EventSourceMapping) {
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
    ...(configuration.stream && describeStream(configuration.stream)),
    LastModified: new Date(lastModifiedMs),
    State: state,
    StateTransitionReason: 'USER_INITIATED',
  } satisfies EventSourceMappingConfiguration;
}

function describeStream(stream: StreamConfiguration): Partial<EventSourceMappingConfiguration> {
  const { onFailureArn, startingAtMs } = stream;
  return {
    StartingPosition: stream.startingPosition,
    ...(startingAtMs !== undefined && { StartingPositionTimestamp: new Date(startingAtMs) }),
    MaximumRetryAttempts: stream.maximumRetryAttempts,
    MaximumRecordAgeInSeconds: stream.maximumRecordAgeSeconds,
    BisectBatchOnFunctionError: stream.bisectBatchOnFunctionError,
    ParallelizationFactor: stream.parallelizationFactor,
    DestinationConfig: { OnFailure: onFailureArn === undefined ? {} : { Destination: onFailureArn } },
  };
}

/**
 * Applies the settings of a request to a mapping's configuration.
 *
 * @param action the action that the error for an unsupported member names
 */
function requestedMapping(action: string, request: MappingRequest, before: MappingConfiguration): MappingConfiguration {
  checkModel(request);
  const own: readonly string[] = before.stream ? STREAM_MEMBERS : OF_QUEUES;
  const foreign = [...OTHER_SOURCES, ...OF_QUEUES].find(
    member => !own.includes(member) && request[member] !== undefined,
  );
  if (foreign) throw unsupportedOfQueue(foreign);
  const refused = REFUSED.find(member => request[member] !== undefined);
  if (refused) throw refuse(action, refused);
  const { FunctionResponseTypes, ScalingConfig, ProvisionedPollerConfig, FilterCriteria, MetricsConfig } = request;
  return {
    ...before,
    batchSize: request.BatchSize ?? before.batchSize,
    maximumBatchingWindowSeconds: request.MaximumBatchingWindowInSeconds ?? before.maximumBatchingWindowSeconds,
    ...(before.stream && { stream: requestedStream(request, before.stream) }),
    ...(FunctionResponseTypes && { reportBatchItemFailures: FunctionResponseTypes.length > 0 }),
    ...(ScalingConfig && { maximumConcurrency: ScalingConfig.MaximumConcurrency }),
    ...(ProvisionedPollerConfig && { provisionedPollers: requestedPollers(ProvisionedPollerConfig) }),
    ...(FilterCriteria && { filters: (FilterCriteria.Filters ?? []).map(({ Pattern = '' }) => Pattern) }),
    ...(MetricsConfig && { countsEvents: (MetricsConfig.Metrics ?? []).includes('EventCount') }),
  };
}

/** An empty configuration removes provisioned pollers, as an empty `ScalingConfig` removes the limit. */
function requestedPollers(said: ProvisionedPollerConfig): ProvisionedPollers | undefined {
  if (said.PollerGroupName !== undefined) throw unsupportedOfQueue('PollerGroupName');
  const { MinimumPollers, MaximumPollers } = said;
  if (MinimumPollers === undefined && MaximumPollers === undefined) return undefined;
  return { minimum: MinimumPollers ?? DEFAULT_POLLERS.minimum, maximum: MaximumPollers ?? DEFAULT_POLLERS.maximum };
}

function checkModel(request: MappingRequest): void {
  const { FunctionResponseTypes = [], MetricsConfig, ProvisionedPollerConfig: pollers, ScalingConfig } = request;
  const constraints = new Constraints()
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

/** Adds the rules for a list that may contain only the allowed texts. */
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

type StreamRequest = Pick<
  Partial<CreateEventSourceMappingRequest & UpdateEventSourceMappingRequest>,
  (typeof STREAM_MEMBERS)[number]
>;

const NEW_STREAM = {
  maximumRetryAttempts: -1,
  maximumRecordAgeSeconds: -1,
  bisectBatchOnFunctionError: false,
  parallelizationFactor: 1,
  onFailureArn: undefined,
} as const;

/**
 * Where a new mapping starts to read, with the defaults of its settings. **Assumption LAMBDA-23:** The texts of the errors are ours.
 */
function startingStream(
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
 */
function requestedStream(request: StreamRequest, before: StreamConfiguration): StreamConfiguration {
  const { MaximumRecordAgeInSeconds: age, TumblingWindowInSeconds: window, DestinationConfig } = request;
  new Constraints()
    .range('parallelizationFactor', request.ParallelizationFactor, 1, 10)
    .range('maximumRecordAgeInSeconds', age, -1, WEEK_SECONDS)
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
