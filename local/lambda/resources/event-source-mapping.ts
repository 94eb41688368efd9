import { type PropertyReader, tagsProperty } from '../../cloudformation/property-reader';
import { type CreatedResource, changeTags, type ResourceType } from '../../cloudformation/resource-type';
import { unsupportedOfQueue } from '../errors';
import { type EventSourceMapping, type MappingChanges, TRANSITION_MS } from '../event-source/event-source-mapping';
import {
  DEFAULT_POLLERS,
  isOtherSource,
  type MappingConfiguration,
  noQueue,
  type ProvisionedPollers,
} from '../event-source/mapping-configuration';
import type { MappingProblem } from '../event-source/mapping-rules';
import type { Lambda } from '../lambda';
import { refused, wholeNumber } from './read';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-eventsourcemapping.html */
export function eventSourceMappingResourceType(lambda: Lambda): ResourceType {
  const described = ({ uuid = '', arn = '' }: Partial<EventSourceMapping> = {}) => ({
    ref: uuid,
    attributes: { Id: uuid, EventSourceMappingArn: arn },
  });
  return {
    type: 'AWS::Lambda::EventSourceMapping',
    create: (properties, context): CreatedResource => {
      const source = properties.string('EventSourceArn');
      if (source === undefined ? properties.object('SelfManagedEventSource') : isOtherSource(source)) {
        properties.needsStandIn('EventSourceArn', `is refused (${noQueue(source).message})`, source);
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

function readWanted<Answer>(
  properties: PropertyReader,
  lambda: Lambda,
  act: (wanted: MappingChanges) => Answer | undefined,
): Answer | undefined {
  const functionName = properties.requiredString('FunctionName');
  const configuration = readMapping(properties);
  const enabled = properties.boolean('Enabled') ?? true;
  if (properties.document('DestinationConfig')) {
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
  const window = { least: 0, most: 300, otherwise: 0 };
  const filters = properties.object('FilterCriteria')?.objects('Filters') ?? [];
  return {
    queueArn: properties.requiredString('EventSourceArn'),
    batchSize: wholeNumber(properties, 'BatchSize', { least: 1, most: 10_000, otherwise: 10 }),
    maximumBatchingWindowSeconds: wholeNumber(properties, 'MaximumBatchingWindowInSeconds', window),
    reportBatchItemFailures: readList(properties, 'FunctionResponseTypes', 'ReportBatchItemFailures'),
    maximumConcurrency: readMaximumConcurrency(properties),
    provisionedPollers: readPollers(properties),
    filters: filters.map(filter => filter.string('Pattern') ?? ''),
    countsEvents: readMetrics(properties),
  };
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
