import {
  type EventSourceMappingConfiguration,
  LambdaClient,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import type { MappingFacts } from '../../diagnosis/inventory/inventory';
import { unqualified } from '../../diagnosis/inventory/look-ups';
import { nameInArn } from '../../policy/arn';
import type { AccountReader } from './account-reader';
import { unlessEmpty } from './attribute-text';

/** Of a mapping that receives nothing, or soon will not. */
const DISABLED = /^Disabl/;
/** Of one that is gone in a moment. */
const DELETING = 'Deleting';

const PARTIAL = 'ReportBatchItemFailures';

function nameOf({ EventSourceArn, FunctionArn = '', UUID = '' }: EventSourceMappingConfiguration): string {
  const source = EventSourceArn === undefined ? UUID : nameInArn(EventSourceArn);
  return `${nameInArn(unqualified(FunctionArn))} from ${source}`;
}

function mappingFacts(told: EventSourceMappingConfiguration): MappingFacts {
  const { FilterCriteria, FilterCriteriaError, DestinationConfig, State = '' } = told;
  return {
    arn: told.EventSourceMappingArn ?? told.UUID ?? '',
    name: nameOf(told),
    functionArn: told.FunctionArn ?? '',
    sourceArn: told.EventSourceArn,
    isEnabled: !DISABLED.test(State),
    batchSize: told.BatchSize ?? { untold: 'is not told' },
    batchingWindowSeconds: told.MaximumBatchingWindowInSeconds ?? 0,
    maximumConcurrency: told.ScalingConfig?.MaximumConcurrency,
    reportsBatchItemFailures: told.FunctionResponseTypes?.includes(PARTIAL) ?? false,
    // Filters that are encrypted with a key the caller may not use are filters all the same.
    hasFilters: (FilterCriteria?.Filters?.length ?? 0) > 0 || FilterCriteriaError !== undefined,
    onFailureArn: unlessEmpty(DestinationConfig?.OnFailure?.Destination),
  };
}

/** Every event source mapping of the Region. It takes the permission `lambda:ListEventSourceMappings`. */
export async function readMappings({ aws }: AccountReader): Promise<readonly MappingFacts[]> {
  const found: MappingFacts[] = [];
  const pages = paginateListEventSourceMappings({ client: aws.client(LambdaClient) }, {});
  for await (const { EventSourceMappings = [] } of pages) {
    found.push(...EventSourceMappings.filter(({ State }) => State !== DELETING).map(mappingFacts));
  }
  return found;
}
