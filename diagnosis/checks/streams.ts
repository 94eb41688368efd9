import { isKnown } from '../../template/maybe-known';
import type { Inventory, Resource, StreamRetryFacts } from '../inventory/inventory';
import type { Check, CheckResult } from './finding';

/** An event source mapping or a pipe that reads a Kinesis or DynamoDB stream. */
interface StreamReader {
  readonly what: 'mapping' | 'pipe';
  readonly resource: Resource;
  readonly retries: StreamRetryFacts;
  readonly keeps: boolean;
  /** The property that names where failures are sent. */
  readonly location: string;
}

/** What reads streams, if it is enabled and it is known whether it sends failures anywhere. */
function streamReaders({ mappings, queueUsers = [] }: Inventory): StreamReader[] {
  return [
    ...mappings.flatMap((resource): StreamReader[] => {
      const { isEnabled, onFailureArn, streamRetries: retries } = resource;
      if (isEnabled === false || retries === undefined || !isKnown(onFailureArn)) return [];
      const location = 'Properties/DestinationConfig';
      return [{ what: 'mapping', resource, retries, keeps: onFailureArn !== undefined, location }];
    }),
    ...queueUsers.flatMap((resource): StreamReader[] => {
      const { isEnabled, deadLetterTargetArn, streamRetries: retries } = resource;
      if (isEnabled === false || retries === undefined || !isKnown(deadLetterTargetArn)) return [];
      const location = 'Properties/SourceParameters';
      return [{ what: 'pipe', resource, retries, keeps: deadLetterTargetArn !== undefined, location }];
    }),
  ];
}

const WITHOUT_LIMIT = -1;

/** Whether a failing record is tried until it expires in the stream; undefined if that is unknown. */
function isEndless({ maximumRetryAttempts, maximumRecordAgeSeconds }: StreamRetryFacts): boolean | undefined {
  if (!isKnown(maximumRetryAttempts) || !isKnown(maximumRecordAgeSeconds)) return undefined;
  return maximumRetryAttempts === WITHOUT_LIMIT && maximumRecordAgeSeconds === WITHOUT_LIMIT;
}

const BLOCKS = 'its shard is blocked until it expires in the stream, and the records behind it may expire as well';

/** What happens to a record that fails: undefined if that is unknown. */
function fateOf(retries: StreamRetryFacts): string {
  const endless = isEndless(retries);
  if (endless === undefined) return 'a record that always fails is lost';
  return endless ? `a record that always fails is lost: ${BLOCKS}` : 'a record is lost after its last retry';
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html */
function keepsNothing(inventory: Inventory): CheckResult[] {
  return streamReaders(inventory)
    .filter(({ keeps }) => !keeps)
    .map(({ what, resource, retries, location }) => {
      const [setting, limit] =
        what === 'mapping'
          ? ['an on-failure destination', 'MaximumRetryAttempts']
          : ['a dead-letter queue', 'MaximumRetryAttempts'];
      return {
        severity: 'at-risk',
        resource,
        location,
        says: `The ${what} ${resource.name} reads a stream and has no ${setting.replace(/^an? /, '')}: ${fateOf(retries)}.`,
        fix: { says: `Give the ${what} ${setting}, and a ${limit} such as 10.` },
      };
    });
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-parameters.html */
function endless(inventory: Inventory): CheckResult[] {
  return streamReaders(inventory)
    .filter(({ keeps, retries }) => keeps && isEndless(retries) === true)
    .map(({ what, resource }) => ({
      severity: 'at-risk',
      resource,
      location: what === 'mapping' ? 'Properties/MaximumRetryAttempts' : 'Properties/SourceParameters',
      says: `The ${what} ${resource.name} limits neither the retries nor the age of a record. If a record always fails, ${BLOCKS}.`,
      fix: { says: `Give the ${what} a MaximumRetryAttempts such as 10, or a MaximumRecordAgeInSeconds.` },
    }));
}

export const STREAM_CHECKS: readonly Check[] = [
  { id: 'stream-keeps-nothing', severities: ['at-risk'], reportsMissing: 'configuration', find: keepsNothing },
  { id: 'stream-retries-endless', severities: ['at-risk'], find: endless },
];
