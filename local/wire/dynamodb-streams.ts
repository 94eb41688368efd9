import type { StaticErrorSchema, StaticOperationSchema, StaticSchema } from '@smithy/types';

// The types of schemas name each of their forms, and the compiler does not find the form of an array that is put together: hence
// the casts.
const NAMESPACE = 'com.amazonaws.dynamodbstreams';
const [TEXT, NUMBER, INSTANT] = [0, 1, 4];

type Members = Readonly<Record<string, unknown>>;

/** A structure as the SDK's clients describe it. The first `required` members are required. */
function structure(name: string, members: Members, required = 0): StaticSchema {
  return [3, NAMESPACE, name, 0, Object.keys(members), Object.values(members), required] as StaticSchema;
}

const listOf = (name: string, item: StaticSchema): StaticSchema => [1, NAMESPACE, name, 0, item] as StaticSchema;

const operation = (name: string, input: StaticSchema, output: StaticSchema): StaticOperationSchema =>
  [9, NAMESPACE, name, 0, input, output] as StaticOperationSchema;

const error = (name: string): StaticErrorSchema =>
  [-3, NAMESPACE, name, { error: 'client' }, ['message'], [TEXT]] as StaticErrorSchema;

/** What the streams share with the tables, from the client of DynamoDB. */
interface TableSchemas {
  readonly AttributeValue$: unknown;
  readonly KeySchemaElement$: unknown;
}

/**
 * The schemas of DynamoDB's streams, as `@aws-sdk/client-dynamodb-streams` 3.1141 exports them. Four operations are less than
 * a package that every user of these schemas would install.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB_Streams.html
 */
export function streamSchemas({ AttributeValue$, KeySchemaElement$ }: TableSchemas) {
  const item = [2, NAMESPACE, 'AttributeMap', 0, TEXT, AttributeValue$];
  const identity = structure('Identity', { PrincipalId: TEXT, Type: TEXT });
  const change = structure('StreamRecord', {
    ...{ ApproximateCreationDateTime: INSTANT, Keys: item, NewImage: item, OldImage: item },
    ...{ SequenceNumber: TEXT, SizeBytes: NUMBER, StreamViewType: TEXT },
  });
  const record = structure('Record', {
    ...{ eventID: TEXT, eventName: TEXT, eventVersion: TEXT, eventSource: TEXT, awsRegion: TEXT },
    ...{ dynamodb: change, userIdentity: identity },
  });
  const range = structure('SequenceNumberRange', { StartingSequenceNumber: TEXT, EndingSequenceNumber: TEXT });
  const shard = structure('Shard', { ShardId: TEXT, SequenceNumberRange: range, ParentShardId: TEXT });
  const stream = structure('Stream', { StreamArn: TEXT, TableName: TEXT, StreamLabel: TEXT });
  const description = structure('StreamDescription', {
    ...{
      StreamArn: TEXT,
      StreamLabel: TEXT,
      StreamStatus: TEXT,
      StreamViewType: TEXT,
      CreationRequestDateTime: INSTANT,
    },
    ...{ TableName: TEXT, KeySchema: listOf('KeySchema', KeySchemaElement$ as StaticSchema) },
    ...{ Shards: listOf('ShardDescriptionList', shard), LastEvaluatedShardId: TEXT },
  });
  const filter = structure('ShardFilter', { Type: TEXT, ShardId: TEXT });
  return {
    ExpiredIteratorException$: error('ExpiredIteratorException'),
    TrimmedDataAccessException$: error('TrimmedDataAccessException'),
    ListStreams$: operation(
      'ListStreams',
      structure('ListStreamsInput', { TableName: TEXT, Limit: NUMBER, ExclusiveStartStreamArn: TEXT }),
      structure('ListStreamsOutput', { Streams: listOf('StreamList', stream), LastEvaluatedStreamArn: TEXT }),
    ),
    DescribeStream$: operation(
      'DescribeStream',
      structure(
        'DescribeStreamInput',
        { StreamArn: TEXT, Limit: NUMBER, ExclusiveStartShardId: TEXT, ShardFilter: filter },
        1,
      ),
      structure('DescribeStreamOutput', { StreamDescription: description }),
    ),
    GetShardIterator$: operation(
      'GetShardIterator',
      structure(
        'GetShardIteratorInput',
        { StreamArn: TEXT, ShardId: TEXT, ShardIteratorType: TEXT, SequenceNumber: TEXT },
        3,
      ),
      structure('GetShardIteratorOutput', { ShardIterator: TEXT }),
    ),
    GetRecords$: operation(
      'GetRecords',
      structure('GetRecordsInput', { ShardIterator: TEXT, Limit: NUMBER }, 1),
      structure('GetRecordsOutput', { Records: listOf('RecordList', record), NextShardIterator: TEXT }),
    ),
  };
}
