import type { EventSourceMappingConfiguration, GetEventSourceMappingRequest } from '@aws-sdk/client-lambda';
import { describeMapping } from './describe-mapping';
import { onMapping } from './lambda-action';

export const getEventSourceMapping = onMapping<GetEventSourceMappingRequest, EventSourceMappingConfiguration>(
  'GetEventSourceMapping',
  describeMapping,
);
