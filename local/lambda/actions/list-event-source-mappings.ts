import type { ListEventSourceMappingsRequest, ListEventSourceMappingsResponse } from '@aws-sdk/client-lambda';
import { describeMapping } from './describe-mapping';
import { onAnything, pageAsked } from './lambda-action';

export const listEventSourceMappings = onAnything<ListEventSourceMappingsRequest, ListEventSourceMappingsResponse>(
  'ListEventSourceMappings',
  ({ functions, mappings }, input) => {
    const { EventSourceArn: queueArn, FunctionName } = input;
    const target = FunctionName === undefined ? undefined : functions.target(FunctionName);
    const wanted = mappings
      .all()
      .filter(mapping => (queueArn ?? mapping.configuration.queueArn) === mapping.configuration.queueArn)
      .filter(mapping => (target ?? mapping.target) === mapping.target);
    const { items, nextToken } = pageAsked(wanted, input, 100);
    return { EventSourceMappings: items.map(describeMapping), NextMarker: nextToken };
  },
);
