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

function mappingFacts(reported: EventSourceMappingConfiguration): MappingFacts {
  const { FilterCriteria, FilterCriteriaError, DestinationConfig, State = '' } = reported;
  return {
    arn: reported.EventSourceMappingArn ?? reported.UUID ?? '',
    name: nameOf(reported),
    functionArn: reported.FunctionArn ?? '',
    sourceArn: reported.EventSourceArn,
    isEnabled: !DISABLED.test(State),
    batchSize: reported.BatchSize ?? { unknownBecause: 'is not told' },
    batchingWindowSeconds: reported.MaximumBatchingWindowInSeconds ?? 0,
    maximumConcurrency: reported.ScalingConfig?.MaximumConcurrency,
    reportsBatchItemFailures: reported.FunctionResponseTypes?.includes(PARTIAL) ?? false,
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
