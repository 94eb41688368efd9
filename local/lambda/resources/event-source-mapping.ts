import { WEEK_SECONDS } from '../../../policy/time-units';
import { type PropertyReader, tagsProperty } from '../../cloudformation/property-reader';
import { type CreatedResource, changeTags, type ResourceType } from '../../cloudformation/resource-type';
import { unsupportedOfQueue } from '../errors';
import { type EventSourceMapping, type MappingChanges, TRANSITION_MS } from '../event-source/event-source-mapping';
import {
  DEFAULT_POLLERS,
  isOtherSource,
  type MappingConfiguration,
  type ProvisionedPollers,
} from '../event-source/mapping-configuration';
import type { MappingProblem } from '../event-source/mapping-rules';
import {
  isConsumerArn,
  isKeptAsMessage,
  STARTING_POSITIONS,
  type StreamConfiguration,
  streamServiceOf,
} from '../event-source/stream/stream-configuration';
import type { Lambda } from '../lambda';
import { oneOf, refused, wholeNumber } from './read';

export function eventSourceMappingResourceType(lambda: Lambda): ResourceType {
  const described = ({ uuid = '', arn = '' }: Partial<EventSourceMapping> = {}) => ({
    ref: uuid,
    attributes: { Id: uuid, EventSourceMappingArn: arn },
  });
  return {
    type: 'AWS::Lambda::EventSourceMapping',
    create: (properties, context): CreatedResource => {
      const source = properties.string('EventSourceArn');
      if (isUnsimulatedSource(source) || properties.object('SelfManagedEventSource')) {
        const property = source === undefined ? 'SelfManagedEventSource' : 'EventSourceArn';
        const reason = 'names a source whose mappings are not simulated: the function receives none of its records';
        properties.everything();
        properties.needsStandIn(property, reason, source);
        return { ref: '', attributes: {} };
      }
      const tags = tagsProperty(properties, '');
      const created = readWanted(properties, lambda, wanted => {
        if (reported(properties, lambda.mappings.problems(wanted))) return undefined;
        // CloudFormation waits until a mapping is enabled.
        return lambda.mappings.create(wanted, context.takesTime ? TRANSITION_MS : 0);
      });
      properties.attempt('Tags', () => created?.tags.put(tags));
      return described(created);
    },
    update: (properties, _context, existing) => {
      const mapping = lambda.mappings.get(existing.ref);
      readWanted(properties, lambda, wanted => {
        if (!reported(properties, lambda.mappings.problems(wanted, mapping))) lambda.mappings.update(mapping, wanted);
      });
      changeTags(
        tagsProperty(properties, ''),
        existing,
        tags => mapping.tags.put(tags),
        keys => mapping.tags.remove(keys),
      );
      return described(mapping);
    },
    delete: ({ ref: UUID }) => lambda.call('DeleteEventSourceMapping', lambda.owner, { UUID }),
  };
}

/** Whether AWS reads from the source, but the embedded AWS does not. */
const isUnsimulatedSource = (arn: string | undefined): boolean =>
  arn !== undefined && (isConsumerArn(arn) || (isOtherSource(arn) && streamServiceOf(arn) === undefined));

function readWanted<Answer>(
  properties: PropertyReader,
  lambda: Lambda,
  act: (wanted: MappingChanges) => Answer | undefined,
): Answer | undefined {
  const functionName = properties.requiredString('FunctionName');
  const isStream = streamServiceOf(properties.string('EventSourceArn') ?? '') !== undefined;
  const configuration = isStream ? readStreamMapping(properties) : readMapping(properties);
  const enabled = properties.boolean('Enabled') ?? true;
  if (!isStream && properties.document('DestinationConfig')) {
    refused(properties, 'DestinationConfig', unsupportedOfQueue('DestinationConfig'));
  }
  const target = properties.attempt('FunctionName', () => lambda.target(functionName));
  return target && act({ configuration, target, enabled });
}

/** Whether AWS would reject the mapping. All reasons are then recorded as problems of the properties. */
function reported(properties: PropertyReader, problems: readonly MappingProblem[]): boolean {
  for (const { property, error } of problems) refused(properties, property, error);
  return problems.length > 0;
}

function readMapping(properties: PropertyReader): MappingConfiguration {
  return {
    ...readShared(properties, 10),
    maximumConcurrency: readMaximumConcurrency(properties),
    provisionedPollers: readPollers(properties),
  };
}

function readShared(properties: PropertyReader, defaultBatchSize: number): MappingConfiguration {
  const window = { least: 0, most: 300, otherwise: 0 };
  const filters = properties.object('FilterCriteria')?.objects('Filters') ?? [];
  return {
    queueArn: properties.requiredString('EventSourceArn'),
    batchSize: wholeNumber(properties, 'BatchSize', { least: 1, most: 10_000, otherwise: defaultBatchSize }),
    maximumBatchingWindowSeconds: wholeNumber(properties, 'MaximumBatchingWindowInSeconds', window),
    reportBatchItemFailures: readList(properties, 'FunctionResponseTypes', 'ReportBatchItemFailures'),
    filters: filters.map(filter => filter.string('Pattern') ?? ''),
    countsEvents: readMetrics(properties),
  };
}

function readStreamMapping(properties: PropertyReader): MappingConfiguration {
  const startingAt = properties.number('StartingPositionTimestamp');
  const startingPosition = oneOf(properties, 'StartingPosition', STARTING_POSITIONS, 'LATEST');
  const given = properties.string('StartingPosition');
  if (given === undefined) properties.problem('StartingPosition', 'is required for a stream');
  const destination = properties.object('DestinationConfig')?.object('OnFailure')?.string('Destination');
  if (destination !== undefined && !isKeptAsMessage(destination)) {
    properties.notSimulated('DestinationConfig.OnFailure.Destination', 'must be a queue or a topic', destination);
  }
  if (properties.document('ScalingConfig')) properties.problem('ScalingConfig', 'is only for queues');
  const isTimestamp = startingPosition === 'AT_TIMESTAMP';
  if (isTimestamp && streamServiceOf(properties.string('EventSourceArn') ?? '') !== 'kinesis') {
    properties.problem('StartingPosition', 'may be AT_TIMESTAMP only for a Kinesis stream', given);
  }
  if (isTimestamp && startingAt === undefined) {
    properties.problem('StartingPositionTimestamp', 'is required with AT_TIMESTAMP');
  }
  if (!isTimestamp && startingAt !== undefined) {
    properties.problem('StartingPositionTimestamp', 'must be left out without AT_TIMESTAMP', startingAt);
  }
  const age = properties.number('MaximumRecordAgeInSeconds');
  if (age !== undefined && age > -1 && age < 60) {
    properties.problem('MaximumRecordAgeInSeconds', `must be -1 or from 60 to ${WEEK_SECONDS}`, age);
  }
  const tumbling = properties.number('TumblingWindowInSeconds') ?? 0;
  if (tumbling > 0) properties.notSimulated('TumblingWindowInSeconds', 'must be 0 in the embedded AWS', tumbling);
  const stream: StreamConfiguration = {
    startingPosition,
    startingAtMs: startingAt === undefined ? undefined : startingAt * 1000,
    maximumRetryAttempts: wholeNumber(properties, 'MaximumRetryAttempts', { least: -1, most: 10_000, otherwise: -1 }),
    maximumRecordAgeSeconds: wholeNumber(properties, 'MaximumRecordAgeInSeconds', {
      least: -1,
      most: WEEK_SECONDS,
      otherwise: -1,
    }),
    bisectBatchOnFunctionError: properties.boolean('BisectBatchOnFunctionError') ?? false,
    parallelizationFactor: wholeNumber(properties, 'ParallelizationFactor', { least: 1, most: 10, otherwise: 1 }),
    onFailureArn: destination,
  };
  return { ...readShared(properties, 100), stream };
}

/** Whether a list contains the only text that it may contain. */
function readList(properties: PropertyReader, name: string, only: string): boolean {
  const texts = properties.strings(name) ?? [];
  const unknown = texts.find(text => text !== only);
  if (unknown) properties.problem(name, `may hold ${only} only`, unknown);
  return texts.length > 0;
}

function readMetrics(properties: PropertyReader): boolean {
  const metrics = properties.object('MetricsConfig');
  return metrics !== undefined && readList(metrics, 'Metrics', 'EventCount');
}

function readMaximumConcurrency(properties: PropertyReader): number | undefined {
  const scaling = properties.object('ScalingConfig');
  return scaling && wholeNumber(scaling, 'MaximumConcurrency', { least: 2, most: 1000, otherwise: undefined });
}

function readPollers(properties: PropertyReader): ProvisionedPollers | undefined {
  const pollers = properties.object('ProvisionedPollerConfig');
  if (!pollers) return undefined;
  const { minimum, maximum } = DEFAULT_POLLERS;
  return {
    minimum: wholeNumber(pollers, 'MinimumPollers', { least: 2, most: 200, otherwise: minimum }),
    maximum: wholeNumber(pollers, 'MaximumPollers', { least: 2, most: 2000, otherwise: maximum }),
  };
}
