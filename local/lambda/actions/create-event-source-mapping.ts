import type { CreateEventSourceMappingRequest, EventSourceMappingConfiguration } from '@aws-sdk/client-lambda';
import { MissingResource } from '../../kernel/front-door';
import { checkTags, tagList } from '../../kernel/resource-tags';
import { invalidParameter } from '../errors';
import { TRANSITION_MS } from '../event-source/event-source-mapping';
import { DEFAULT_MAPPING, isQueueArn, noQueue } from '../event-source/mapping-configuration';
import { LAMBDA_TAGS } from '../tag-rules';
import { describeMapping } from './describe-mapping';
import { functionCondition, type LambdaAction, onAnything } from './lambda-action';
import { requestedMapping } from './mapping-request';

const create = onAnything<CreateEventSourceMappingRequest, EventSourceMappingConfiguration>(
  'CreateEventSourceMapping',
  ({ functions, mappings }, request) => {
    const { FunctionName = '', EventSourceArn: queueArn, Enabled: enabled = true, Tags = {} } = request;
    if (!queueArn || !isQueueArn(queueArn)) throw noQueue(queueArn);
    const configuration = requestedMapping('CreateEventSourceMapping', request, { ...DEFAULT_MAPPING, queueArn });
    const target = functions.target(FunctionName);
    if (target instanceof MissingResource) throw invalidParameter('Function does not exist');
    checkTags(tagList(Tags), LAMBDA_TAGS);
    const mapping = mappings.create({ configuration, target, enabled }, TRANSITION_MS);
    mapping.tags.put(tagList(Tags));
    return describeMapping(mapping);
  },
);

export const createEventSourceMapping: LambdaAction<CreateEventSourceMappingRequest, EventSourceMappingConfiguration> =
  {
    ...create,
    contextOf: ({ FunctionName = '' }, _, { functions }) => functionCondition(functions.target(FunctionName)),
  };
