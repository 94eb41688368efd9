import type { DeleteEventSourceMappingRequest, EventSourceMappingConfiguration } from '@aws-sdk/client-lambda';
import { describeMapping } from './describe-mapping';
import { onMapping } from './lambda-action';

export const deleteEventSourceMapping = onMapping<DeleteEventSourceMappingRequest, EventSourceMappingConfiguration>(
  'DeleteEventSourceMapping',
  (mapping, _input, { mappings }) => {
    mappings.delete(mapping);
    return describeMapping(mapping);
  },
);
