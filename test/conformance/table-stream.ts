import {
  CreateTableCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  PutItemCommand,
  type StreamViewType,
  UpdateTableCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { ClientSettings, Target } from './target';

export interface StreamAnswer {
  readonly Streams?: readonly {
    readonly StreamArn: string;
    readonly TableName: string;
    readonly StreamLabel: string;
  }[];
  readonly LastEvaluatedStreamArn?: string;
  readonly StreamDescription?: {
    readonly Shards: readonly {
      readonly ShardId: string;
      readonly SequenceNumberRange: Readonly<Record<string, string>>;
    }[];
    readonly LastEvaluatedShardId?: string;
  };
  readonly ShardIterator?: string;
  readonly NextShardIterator?: string;
  readonly Records?: readonly {
    readonly eventName: string;
    readonly dynamodb: Readonly<Record<string, unknown>> & { readonly SequenceNumber: string };
  }[];
  readonly __type?: string;
  readonly message?: string;
}

interface SentRequest {
  readonly protocol: string;
  readonly port?: number;
  readonly path: string;
  hostname: string;
  body: string;
  headers: Record<string, string>;
}

/**
 * Calls the API of DynamoDB's streams. A client of DynamoDB signs the requests, because a client for four operations would be a
 * dependency of its own.
 */
function streamsCaller(target: Target, others: Partial<ClientSettings> = {}) {
  let body = '';
  let action = '';
  let answer = '';
  const client = target.client(settings => new DynamoDBClient({ ...settings, ...others }));
  client.middlewareStack.add(
    next => args => {
      // The client makes requests of this shape.
      const request = args.request as SentRequest;
      request.hostname = request.hostname.replace(/^(?:\d+\.ddb|dynamodb)\./, 'streams.dynamodb.');
      request.body = body;
      request.headers['host'] = request.hostname;
      request.headers['x-amz-target'] = `DynamoDBStreams_20120810.${action}`;
      request.headers['content-length'] = String(Buffer.byteLength(body));
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  client.middlewareStack.add(
    () => async args => {
      const { protocol, hostname, port, path, headers } = args.request as SentRequest;
      const url = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`;
      answer = await (await fetch(url, { method: 'POST', headers, body })).text();
      return { response: undefined, output: { $metadata: {} } };
    },
    // After the signature.
    { step: 'finalizeRequest', priority: 'low' },
  );
  return async (asked: string, input: object = {}): Promise<StreamAnswer> => {
    action = asked;
    body = JSON.stringify(input);
    await client.send(new ListTablesCommand({}));
    return JSON.parse(answer);
  };
}

/** A table with a stream, and what reads the stream. */
export class StreamedTable {
  readonly call: (action: string, input?: object) => Promise<StreamAnswer>;

  private constructor(
    private readonly target: Target,
    readonly client: DynamoDBClient,
    readonly name: string,
    public streamArn: string,
  ) {
    this.call = streamsCaller(target);
  }

  static async of(target: Target, StreamViewType: StreamViewType): Promise<StreamedTable> {
    const client = target.client(settings => new DynamoDBClient(settings));
    const TableName = target.name('table');
    const { TableDescription } = await client.send(
      new CreateTableCommand({
        TableName,
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
        StreamSpecification: { StreamEnabled: true, StreamViewType },
      }),
    );
    target.afterwards(() => client.send(new DeleteTableCommand({ TableName })));
    await waitUntilTableExists({ client, maxWaitTime: 120 }, { TableName });
    return new StreamedTable(target, client, TableName, TableDescription?.LatestStreamArn ?? '');
  }

  /** Calls as somebody else. */
  as(credentials: NonNullable<ClientSettings['credentials']>) {
    return streamsCaller(this.target, { credentials });
  }

  async put(id: string, value = 1): Promise<void> {
    const Item = { id: { S: id }, value: { N: String(value) } };
    await this.client.send(new PutItemCommand({ TableName: this.name, Item }));
  }

  async delete(id: string): Promise<void> {
    await this.client.send(new DeleteItemCommand({ TableName: this.name, Key: { id: { S: id } } }));
  }

  async disable(): Promise<void> {
    const StreamSpecification = { StreamEnabled: false };
    await this.client.send(new UpdateTableCommand({ TableName: this.name, StreamSpecification }));
  }

  async describe(input: object = {}): Promise<StreamAnswer> {
    return this.call('DescribeStream', { StreamArn: this.streamArn, ...input });
  }

  async iterator(ShardIteratorType: string, SequenceNumber?: string): Promise<StreamAnswer> {
    const ShardId = (await this.describe()).StreamDescription?.Shards[0]?.ShardId;
    return this.call('GetShardIterator', { StreamArn: this.streamArn, ShardId, ShardIteratorType, SequenceNumber });
  }

  /** The records from an iterator on, and the next one. */
  async records(from: StreamAnswer, input: object = {}): Promise<StreamAnswer> {
    return this.call('GetRecords', { ShardIterator: from.ShardIterator ?? from.NextShardIterator, ...input });
  }
}

/** The ids of the items that changed. */
export const idsIn = ({ Records = [] }: StreamAnswer): readonly unknown[] =>
  Records.map(({ dynamodb: { Keys } }) => JSON.parse(JSON.stringify(Keys)).id.S);

/** The code of an error, without its namespace. */
export const codeOf = ({ __type = '' }: StreamAnswer): string => __type.slice(__type.indexOf('#') + 1);
