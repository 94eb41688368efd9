import type { KeySchemaElement, StreamViewType } from '@aws-sdk/client-dynamodb';
import { AwsError } from '../../kernel/aws-error';
import { Constraints, validationException } from '../../kernel/constraints';
import { isObject, type JsonObject } from '../../kernel/json';
import { type Action, MissingResource, type ServiceActions } from '../../kernel/service-api';
import type { DynamoDbState } from '../dynamodb-state';
import { answeredItem, type Item } from '../item';
import { iteratorIn, iteratorText, type ShardPosition, type TableStream } from '../table-streams';

interface Shard {
  readonly ShardId: string;
  readonly SequenceNumberRange: { readonly StartingSequenceNumber: string; readonly EndingSequenceNumber?: string };
}

/** @public The types of `dead-letter-office/local` name it. */
export interface StreamName {
  readonly StreamArn: string;
  readonly TableName: string;
  readonly StreamLabel: string;
}

/** @public The types of `dead-letter-office/local` name it. */
export interface StreamDescription extends StreamName {
  readonly StreamStatus: 'ENABLED' | 'DISABLED';
  readonly StreamViewType: StreamViewType;
  readonly CreationRequestDateTime: Date;
  readonly KeySchema: readonly KeySchemaElement[];
  readonly Shards: readonly Shard[];
  readonly LastEvaluatedShardId?: string;
}

/** @public The types of `dead-letter-office/local` name it. */
export interface ListStreamsInput {
  readonly TableName?: string;
  readonly Limit?: number;
  readonly ExclusiveStartStreamArn?: string;
}

/** @public The types of `dead-letter-office/local` name it. */
export interface DescribeStreamInput {
  readonly StreamArn?: string;
  readonly Limit?: number;
  readonly ExclusiveStartShardId?: string;
  readonly ShardFilter?: { readonly Type?: string; readonly ShardId?: string };
}

/** @public The types of `dead-letter-office/local` name it. */
export interface GetShardIteratorInput {
  readonly StreamArn?: string;
  readonly ShardId?: string;
  readonly ShardIteratorType?: string;
  readonly SequenceNumber?: string;
}

/** @public The types of `dead-letter-office/local` name it. */
export interface GetRecordsInput {
  readonly ShardIterator?: string;
  readonly Limit?: number;
}

/** The API of DynamoDB's streams. Its input and output are those of its own SDK client. */
export type StreamActions = {
  readonly ListStreams: Action<
    ListStreamsInput,
    { readonly Streams: readonly StreamName[]; readonly LastEvaluatedStreamArn?: string }
  >;
  readonly DescribeStream: Action<DescribeStreamInput, { readonly StreamDescription: StreamDescription }>;
  readonly GetShardIterator: Action<GetShardIteratorInput, { readonly ShardIterator: string }>;
  readonly GetRecords: Action<
    GetRecordsInput,
    { readonly Records: readonly JsonObject[]; readonly NextShardIterator?: string }
  >;
};

const MOST_LISTED = 100;
const MOST_RECORDS = 1_000;
const MOST_BYTES = 1024 * 1024;
const ITERATOR_LIFE_MS = 15 * 60 * 1_000;
const ITERATOR_TYPES = ['TRIM_HORIZON', 'LATEST', 'AT_SEQUENCE_NUMBER', 'AFTER_SEQUENCE_NUMBER'];

/** The number before those of all records. */
const FIRST_NUMBER = '0'.repeat(21);

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB_Streams.html */
export const streamActions: ServiceActions<DynamoDbState, StreamActions> = {
  ListStreams: {
    run: (state, { input: { TableName, Limit = MOST_LISTED, ExclusiveStartStreamArn: after = '' } }) => {
      new Constraints().range('limit', Limit, 1, MOST_LISTED).check();
      const name = TableName === undefined ? undefined : state.nameIn(TableName);
      const all = [...state.tableStreams.at(state.nowMs).values()]
        .filter(({ arn, tableName }) => arn > after && (name === undefined || tableName === name))
        .sort((a, b) => (a.arn < b.arn ? -1 : 1));
      const Streams = all.slice(0, Limit).map(named);
      const last = Streams.at(-1);
      return { Streams, ...(all.length > Limit && last && { LastEvaluatedStreamArn: last.StreamArn }) };
    },
  },

  DescribeStream: {
    resourceOf: (state, { StreamArn }) => streamOf(state, StreamArn),
    run: (state, { input }, stream: TableStream) => {
      const { Limit = MOST_LISTED, ExclusiveStartShardId: after, ShardFilter: filter } = input;
      new Constraints()
        .range('limit', Limit, 1, MOST_LISTED)
        .length('exclusiveStartShardId', after, 28, 65)
        .oneOf('shardFilter.type', filter?.Type, ['CHILD_SHARDS'])
        .length('shardFilter.shardId', filter?.ShardId, 28, 65)
        .check();
      const shards = shardsOf(state, stream);
      // A shard has no children, because none is split.
      const rest = filter ? [] : shards.slice(shards.findIndex(({ ShardId }) => ShardId === after) + 1);
      const Shards = rest.slice(0, Limit);
      const last = Shards.at(-1);
      const StreamDescription = {
        ...named(stream),
        StreamStatus: state.tableStreams.isClosed(stream) ? ('DISABLED' as const) : ('ENABLED' as const),
        StreamViewType: stream.view,
        CreationRequestDateTime: new Date(stream.createdAtMs),
        KeySchema: stream.keySchema,
        Shards,
        ...(rest.length > Limit && last && { LastEvaluatedShardId: last.ShardId }),
      };
      return { StreamDescription };
    },
  },

  GetShardIterator: {
    resourceOf: (state, { StreamArn }) => streamOf(state, StreamArn),
    run: (state, { input }, stream: TableStream) => {
      const { ShardId = '', ShardIteratorType: type, SequenceNumber } = input;
      new Constraints()
        .notNull('shardId', input.ShardId)
        .length('shardId', input.ShardId, 28, 65)
        .notNull('shardIteratorType', type)
        .oneOf('shardIteratorType', type, ITERATOR_TYPES)
        .length('sequenceNumber', SequenceNumber, 21, 40)
        .check();
      if (!shardsOf(state, stream).some(shard => shard.ShardId === ShardId)) {
        throw new AwsError('ResourceNotFoundException', 'Requested resource not found: Shard does not exist');
      }
      const position = startOf(state, stream, ShardId, type, SequenceNumber);
      return { ShardIterator: iteratorText({ streamArn: stream.arn, ...position, issuedAtMs: state.nowMs }) };
    },
  },

  GetRecords: {
    resourceOf: (state, { ShardIterator = '' }) => streamOf(state, iteratorIn(ShardIterator).streamArn),
    run: (state, { caller, input: { ShardIterator = '', Limit = MOST_RECORDS } }, stream: TableStream) => {
      new Constraints().range('limit', Limit, 1, MOST_RECORDS).check();
      const { issuedAtMs, ...position } = iteratorIn(ShardIterator);
      const table = state.find(stream.tableName);
      if (table?.stream === stream) state.checkKey(table, caller);
      if (state.nowMs - issuedAtMs > ITERATOR_LIFE_MS) {
        // (assumption DYNAMODB-6)
        throw new AwsError('ExpiredIteratorException', 'The shard iterator has expired: it is valid for 15 minutes');
      }
      const { streams } = state.dependencies;
      const all = streams.recordsOf(stream.arn).filter(({ shardId }) => shardId === position.shardId);
      const trimmed = streams.trimmedUpTo(stream.arn);
      if (trimmed !== undefined && isBefore(position, trimmed)) throw trimmedData();
      const rest = all.filter(({ sequenceNumber }) => isBefore(position, sequenceNumber));
      const page = rest.slice(0, countThatFits(rest, Limit));
      const last = page.at(-1);
      const next = last ? ({ ...position, from: 'after', sequenceNumber: last.sequenceNumber } as const) : position;
      const isAtEnd = state.tableStreams.isClosed(stream) && page.length === rest.length;
      const { region } = state.context.place;
      return {
        Records: page.map(({ members }) => answered(members, region)),
        ...(!isAtEnd && { NextShardIterator: iteratorText({ ...next, issuedAtMs: state.nowMs }) }),
      };
    },
  },
};

/** **Assumption DYNAMODB-6:** The texts for an ARN and an iterator that are none, for an expired iterator and a missing number. */
function streamOf({ tableStreams, nowMs }: DynamoDbState, arn: string | undefined): TableStream | MissingResource {
  new Constraints().notNull('streamArn', arn).length('streamArn', arn, 37, 1024).check();
  const found = arn === undefined ? undefined : tableStreams.at(nowMs).get(arn);
  if (found) return found;
  if (!/^arn:[^:]+:dynamodb:[^:]*:[^:]*:table\/[^/]+\/stream\//.test(arn ?? '')) {
    return new MissingResource('*', validationException('Invalid StreamArn'));
  }
  const text = `Requested resource not found: Stream: ${arn} not found`;
  return new MissingResource(arn ?? '', new AwsError('ResourceNotFoundException', text));
}

const named = ({ arn, tableName, label }: TableStream): StreamName => ({
  StreamArn: arn,
  TableName: tableName,
  StreamLabel: label,
});

/** The shard of the table's changes, then those of records that a test has put into the stream. */
function shardsOf({ dependencies: { streams }, tableStreams }: DynamoDbState, stream: TableStream): readonly Shard[] {
  const records = streams.recordsOf(stream.arn);
  const ids = new Set([stream.shardId, ...records.map(({ shardId }) => shardId)]);
  return [...ids].map(ShardId => {
    const last = records.findLast(({ shardId }) => shardId === ShardId)?.sequenceNumber;
    const end = last ?? streams.trimmedUpTo(stream.arn) ?? FIRST_NUMBER;
    const range = { StartingSequenceNumber: FIRST_NUMBER };
    const closed = { ...range, EndingSequenceNumber: end };
    return { ShardId, SequenceNumberRange: tableStreams.isClosed(stream) ? closed : range };
  });
}

function startOf(
  { dependencies: { streams } }: DynamoDbState,
  { arn }: TableStream,
  shardId: string,
  type: string | undefined,
  given: string | undefined,
): ShardPosition {
  const trimmed = streams.trimmedUpTo(arn);
  if (type === 'TRIM_HORIZON') return { shardId, from: 'after', sequenceNumber: trimmed ?? FIRST_NUMBER };
  if (type === 'LATEST') {
    const last = streams.recordsOf(arn).at(-1)?.sequenceNumber;
    return { shardId, from: 'after', sequenceNumber: last ?? trimmed ?? FIRST_NUMBER };
  }
  if (given === undefined || !/^\d+$/.test(given)) throw validationException('Invalid SequenceNumber');
  if (trimmed !== undefined && BigInt(given) <= BigInt(trimmed)) throw trimmedData();
  return { shardId, from: type === 'AT_SEQUENCE_NUMBER' ? 'at' : 'after', sequenceNumber: given };
}

/** Whether a reader at the position still has to read the record with this number. */
function isBefore({ from, sequenceNumber }: ShardPosition, number: string): boolean {
  const [wanted, given] = [BigInt(sequenceNumber), BigInt(number)];
  return from === 'at' ? wanted <= given : wanted < given;
}

const trimmedData = (): AwsError =>
  new AwsError('TrimmedDataAccessException', 'The data you are trying to access has been trimmed');

/** How many records one answer has: at most `most`, and one megabyte, but at least one. */
function countThatFits(records: readonly { readonly members: JsonObject }[], most: number): number {
  let bytes = 0;
  const over = records.slice(0, most).findIndex(({ members: { dynamodb } }, i) => {
    bytes += isObject(dynamodb) ? Number(dynamodb['SizeBytes']) : 0;
    return i > 0 && bytes > MOST_BYTES;
  });
  return over === -1 ? Math.min(most, records.length) : over;
}

/** A record in the shape of this API: a function's event spells some members otherwise. */
function answered({ dynamodb, userIdentity: identity, ...about }: JsonObject, awsRegion: string): JsonObject {
  const { ApproximateCreationDateTime: seconds, ...change } = isObject(dynamodb) ? dynamodb : {};
  const images = ['Keys', 'NewImage', 'OldImage'].flatMap(name =>
    isObject(change[name]) ? [[name, answeredItem(change[name] as Item)]] : [],
  );
  return {
    ...about,
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion,
    dynamodb: {
      ...change,
      ApproximateCreationDateTime: new Date(Number(seconds) * 1_000),
      ...Object.fromEntries(images),
    },
    ...(isObject(identity) && { userIdentity: { PrincipalId: identity['principalId'], Type: identity['type'] } }),
  };
}
