import type { EventSourceMappingConfiguration, UpdateEventSourceMappingRequest } from '@aws-sdk/client-lambda';
import { MissingResource } from '../../kernel/front-door';
import { invalidParameter } from '../errors';
import { describeMapping } from './describe-mapping';
import { onMapping } from './lambda-action';
import { requestedMapping } from './mapping-request';

/** What is not said stays as it is. */
export const updateEventSourceMapping = onMapping<UpdateEventSourceMappingRequest, EventSourceMappingConfiguration>(
  'UpdateEventSourceMapping',
  (mapping, { UUID: _, FunctionName, Enabled: enabled = mapping.enabled, ...said }, { functions, mappings }) => {
    const before = mapping.configuration;
    const saysMore = Object.values(said).some(value => value !== undefined);
    const configuration = saysMore ? requestedMapping('UpdateEventSourceMapping', said, before) : before;
    const target = FunctionName === undefined ? mapping.target : functions.target(FunctionName);
    if (target instanceof MissingResource) throw invalidParameter('Function does not exist');
    mappings.update(mapping, { configuration, target, enabled });
    return describeMapping(mapping);
  },
);
