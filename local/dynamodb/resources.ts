import type {
  CreateTableInput,
  GlobalSecondaryIndex,
  KeySchemaElement,
  Projection,
  SSESpecification,
} from '@aws-sdk/client-dynamodb';
import { type PropertyReader, tagsProperty } from '../cloudformation/property-reader';
import {
  type CreateContext,
  type CreatedResource,
  changeTags,
  type ResourceType,
} from '../cloudformation/resource-type';
import { policyProperty } from '../policy-document/policy';
import type { DynamoDb } from './dynamodb';
import type { Table } from './table';

/** The resource types of DynamoDB. A global table gets a stand-in. */
export function dynamoDbResourceTypes(dynamoDb: DynamoDb): readonly ResourceType[] {
  return [tableResource(dynamoDb)];
}

const LONGEST_NAME = 255;

function tableResource(dynamoDb: DynamoDb): ResourceType {
  const { owner, state } = dynamoDb;
  return {
    type: 'AWS::DynamoDB::Table',
    create(properties, context) {
      const wanted = readTable(properties, context);
      const Tags = tagsProperty(properties);
      const made = properties.attempt('TableName', () =>
        dynamoDb.call('CreateTable', owner, { ...wanted.input, ...(Tags.length > 0 && { Tags }) }),
      );
      if (!made) return { ref: wanted.input.TableName ?? '', attributes: {} };
      const table = state.named(wanted.input.TableName);
      configure(dynamoDb, table, wanted);
      return created(table);
    },
    update(properties, context, existing) {
      const { ref: TableName } = existing;
      const wanted = readTable(properties, context);
      const table = state.named(TableName);
      const { input } = wanted;
      const streamView = input.StreamSpecification?.StreamViewType;
      properties.attempt('GlobalSecondaryIndexes', () => {
        dynamoDb.call('UpdateTable', owner, {
          TableName,
          AttributeDefinitions: input.AttributeDefinitions,
          BillingMode: input.BillingMode,
          DeletionProtectionEnabled: input.DeletionProtectionEnabled ?? false,
          TableClass: input.TableClass ?? 'STANDARD',
          SSESpecification: input.SSESpecification ?? { Enabled: false },
          ...(streamView !== table.settings.streamView && {
            StreamSpecification: input.StreamSpecification ?? { StreamEnabled: false },
          }),
          GlobalSecondaryIndexUpdates: indexUpdates(table, input.GlobalSecondaryIndexes ?? []),
        });
      });
      configure(dynamoDb, table, wanted);
      changeTags(
        tagsProperty(properties),
        existing,
        Tags => dynamoDb.call('TagResource', owner, { ResourceArn: table.arn, Tags }),
        TagKeys => dynamoDb.call('UntagResource', owner, { ResourceArn: table.arn, TagKeys }),
      );
      return created(table);
    },
    delete: ({ ref: TableName }) => {
      dynamoDb.call('DeleteTable', owner, { TableName });
    },
  };
}

function created({ name, arn, stream }: Table): CreatedResource {
  return { ref: name, attributes: { Arn: arn, ...(stream && { StreamArn: stream.arn }) } };
}

interface WantedTable {
  readonly input: CreateTableInput;
  readonly ttlAttribute: string | undefined;
  readonly recovery: { readonly isOn: boolean; readonly days: number | undefined };
  readonly policy: Table['policy'];
}

function readTable(properties: PropertyReader, context: CreateContext): WantedTable {
  const throughput = (of: PropertyReader) => {
    const given = of.object('ProvisionedThroughput');
    const [ReadCapacityUnits, WriteCapacityUnits] = [
      given?.number('ReadCapacityUnits'),
      given?.number('WriteCapacityUnits'),
    ];
    return given ? { ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits } } : {};
  };
  const global = properties
    .objects('GlobalSecondaryIndexes')
    .map(index => ({ ...readIndex(index), ...throughput(index) }));
  const local = properties.objects('LocalSecondaryIndexes').map(readIndex);
  const stream = properties.object('StreamSpecification')?.requiredString('StreamViewType');
  const ttl = properties.object('TimeToLiveSpecification');
  const ttlAttribute = ttl?.string('AttributeName');
  const recovery = properties.object('PointInTimeRecoverySpecification');
  const policy = properties.object('ResourcePolicy');
  // Limits of throughput are not simulated.
  properties.withoutEffect('ContributorInsightsSpecification', 'OnDemandThroughput', 'WarmThroughput');
  const input = {
    TableName: properties.string('TableName') ?? context.physicalName(LONGEST_NAME),
    AttributeDefinitions: properties.objects('AttributeDefinitions').map(definition => ({
      AttributeName: definition.requiredString('AttributeName'),
      AttributeType: definition.requiredString('AttributeType') as 'S',
    })),
    KeySchema: readKeys(properties),
    BillingMode: (properties.string('BillingMode') ?? 'PROVISIONED') as 'PROVISIONED',
    ...throughput(properties),
    ...(global.length > 0 && { GlobalSecondaryIndexes: global }),
    ...(local.length > 0 && { LocalSecondaryIndexes: local }),
    ...(stream !== undefined && {
      StreamSpecification: { StreamEnabled: true, StreamViewType: stream as 'KEYS_ONLY' },
    }),
    SSESpecification: readEncryption(properties.object('SSESpecification')),
    DeletionProtectionEnabled: properties.boolean('DeletionProtectionEnabled'),
    TableClass: properties.string('TableClass') as 'STANDARD' | undefined,
  };
  return {
    input,
    ttlAttribute: ttl?.boolean('Enabled') ? ttlAttribute : undefined,
    recovery: {
      isOn: recovery?.boolean('PointInTimeRecoveryEnabled') ?? false,
      days: recovery?.number('RecoveryPeriodInDays'),
    },
    policy: policy && policyProperty(policy, 'PolicyDocument', 'resource'),
  };
}

function readKeys(of: PropertyReader): KeySchemaElement[] {
  return of.objects('KeySchema').map(key => ({
    AttributeName: key.requiredString('AttributeName'),
    KeyType: key.requiredString('KeyType') as 'HASH',
  }));
}

function readIndex(index: PropertyReader): GlobalSecondaryIndex {
  const projection = index.object('Projection');
  const names = projection?.strings('NonKeyAttributes');
  const Projection: Projection = {
    ProjectionType: projection?.string('ProjectionType') as 'ALL' | undefined,
    ...(names && { NonKeyAttributes: [...names] }),
  };
  index.withoutEffect('ContributorInsightsSpecification', 'OnDemandThroughput', 'WarmThroughput');
  return { IndexName: index.requiredString('IndexName'), KeySchema: readKeys(index), Projection };
}

function readEncryption(given: PropertyReader | undefined): SSESpecification | undefined {
  if (!given) return undefined;
  const KMSMasterKeyId = given.string('KMSMasterKeyId');
  given.withoutEffect('SSEType');
  return { Enabled: given.boolean('SSEEnabled') ?? false, ...(KMSMasterKeyId !== undefined && { KMSMasterKeyId }) };
}

/** Sets what `CreateTable` and `UpdateTable` do not set. */
function configure({ state }: DynamoDb, table: Table, { ttlAttribute, recovery, policy }: WantedTable): void {
  if (ttlAttribute !== table.ttlAttribute) state.expireBy(table, ttlAttribute);
  table.recoverableFromMs = recovery.isOn ? (table.recoverableFromMs ?? state.nowMs) : undefined;
  table.recoveryDays = recovery.days ?? table.recoveryDays;
  table.policy = policy;
}

function indexUpdates(table: Table, wanted: readonly GlobalSecondaryIndex[]) {
  const held = [...table.indexes.values()].filter(({ isGlobal }) => isGlobal);
  const gone = held.filter(({ name }) => !wanted.some(({ IndexName }) => IndexName === name));
  const missing = wanted.filter(({ IndexName = '' }) => !table.indexes.has(IndexName));
  return [...gone.map(({ name }) => ({ Delete: { IndexName: name } })), ...missing.map(index => ({ Create: index }))];
}
