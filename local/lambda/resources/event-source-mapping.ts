import { type PropertyReader, tagsProperty } from '../../cloudformation/property-reader';
import type { CreatedResource, ResourceType } from '../../cloudformation/resource-type';
import { unsupportedOfQueue } from '../errors';
import type { EventSourceMapping, MappingChanges } from '../event-source/event-source-mapping';
import {
  DEFAULT_POLLERS,
  isOtherSource,
  type MappingConfiguration,
  noQueue,
  type ProvisionedPollers,
} from '../event-source/mapping-configuration';
import type { Lambda } from '../lambda';
import { refused, wholeNumber } from './read';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-eventsourcemapping.html */
export function eventSourceMappingResourceType(lambda: Lambda): ResourceType {
  return {
    type: 'AWS::Lambda::EventSourceMapping',
    create: (properties): CreatedResource => {
      const functionName = properties.requiredString('FunctionName');
      const source = properties.string('EventSourceArn');
      if (source === undefined ? properties.object('SelfManagedEventSource') : isOtherSource(source)) {
        properties.needsStandIn('EventSourceArn', `is refused (${noQueue(source).message})`, source);
        return { ref: '', attributes: {} };
      }
      const configuration = readMapping(properties);
      const enabled = properties.boolean('Enabled') ?? true;
      if (properties.document('DestinationConfig')) {
        refused(properties, 'DestinationConfig', unsupportedOfQueue('DestinationConfig'));
      }
      const tags = tagsProperty(properties, '');
      const created = properties.attempt('FunctionName', () => {
        const target = lambda.target(functionName);
        return create({ configuration, target, enabled }, properties, lambda);
      });
      properties.attempt('Tags', () => created?.tags.put(tags));
      const { uuid = '', arn = '' } = created ?? {};
      return { ref: uuid, attributes: { Id: uuid, EventSourceMappingArn: arn } };
    },
  };
}

/** Returns undefined when AWS would reject the mapping. All reasons are then recorded as problems of the properties. */
function create(wanted: MappingChanges, properties: PropertyReader, lambda: Lambda): EventSourceMapping | undefined {
  const problems = lambda.mappings.problems(wanted);
  for (const { property, error } of problems) refused(properties, property, error);
  // CloudFormation waits until a mapping is enabled.
  return problems.length === 0 ? lambda.mappings.create(wanted, 0) : undefined;
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
