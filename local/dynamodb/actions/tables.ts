import type { CreateTableInput, SSESpecification, TableDescription, UpdateTableInput } from '@aws-sdk/client-dynamodb';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { checkTags } from '../../kernel/tags';
import type { DynamoDbState } from '../dynamodb-state';
import { invalid } from '../errors';
import { checkedByRules } from '../requests';
import { TABLE_TAGS, type Table, TableIndex } from '../table';
import { type DynamoDbFamily, tableNamed } from './dynamodb-action';

const MOST_NAMES = 100;

export const tableActions = {
  /**
   * **Assumption DYNAMODB-1:** A table is active as soon as it is created, updated or deleted. AWS does not publish how long it takes.
   */
  CreateTable: {
    resourceOf: (state, { TableName = '' }) => ({ arn: state.arnOf(state.nameIn(TableName)) }),
    run: (state, { input }) => {
      const { TableName = '', Tags = [], AttributeDefinitions = [], StreamSpecification: stream } = input;
      checkedByRules('createTable', { ...input, TableName: state.nameIn(TableName) });
      checkDefinitionsAreUsed(input);
      checkTags(Tags, TABLE_TAGS);
      if (state.find(TableName)) {
        throw new AwsError('ResourceInUseException', `Table already exists: ${state.nameIn(TableName)}`);
      }
      const table = state.create(input, {
        attributes: AttributeDefinitions,
        billingMode: input.BillingMode ?? 'PROVISIONED',
        deletionProtection: input.DeletionProtectionEnabled ?? false,
        tableClass: input.TableClass ?? 'STANDARD',
        encryption: input.SSESpecification,
        streamView: stream?.StreamEnabled ? stream.StreamViewType : undefined,
      });
      table.tags.put(Tags);
      return { TableDescription: described(state, table) };
    },
  },

  DescribeTable: {
    resourceOf: tableNamed,
    run: (state, _call, table: Table) => ({ Table: described(state, table) }),
  },

  DeleteTable: {
    resourceOf: tableNamed,
    run: (state, _call, table: Table) => {
      if (table.settings.deletionProtection) {
        throw invalid(
          `Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.`,
        );
      }
      state.delete(table);
      return { TableDescription: { ...described(state, table), TableStatus: 'DELETING' } };
    },
  },

  UpdateTable: {
    resourceOf: tableNamed,
    run: (state, { input }, table: Table) => {
      if (input.ReplicaUpdates) throw notImplemented('replicas of tables');
      const { AttributeDefinitions, BillingMode, DeletionProtectionEnabled, TableClass } = input;
      const { SSESpecification: encryption, StreamSpecification: stream } = input;
      state.update(table, {
        ...(AttributeDefinitions && { attributes: AttributeDefinitions }),
        ...(BillingMode && { billingMode: BillingMode }),
        ...(DeletionProtectionEnabled !== undefined && { deletionProtection: DeletionProtectionEnabled }),
        ...(TableClass && { tableClass: TableClass }),
        ...(encryption && { encryption }),
        ...(stream && { streamView: stream.StreamEnabled ? stream.StreamViewType : undefined }),
      });
      changeIndexes(state, table, input);
      return { TableDescription: described(state, table) };
    },
  },

  ListTables: {
    run: (state, { input: { Limit = MOST_NAMES, ExclusiveStartTableName = '' } }) => {
      const names = state.all.map(({ name }) => name).filter(name => name > ExclusiveStartTableName);
      const TableNames = names.slice(0, Limit);
      const last = TableNames.at(-1);
      return { TableNames, ...(names.length > TableNames.length && last && { LastEvaluatedTableName: last }) };
    },
  },
} satisfies DynamoDbFamily;

function checkDefinitionsAreUsed(input: CreateTableInput): void {
  const { AttributeDefinitions = [], KeySchema = [] } = input;
  const indexes = [...(input.GlobalSecondaryIndexes ?? []), ...(input.LocalSecondaryIndexes ?? [])];
  const keys = [KeySchema, ...indexes.map(index => index.KeySchema ?? [])].flat();
  const used = new Set(keys.map(({ AttributeName }) => AttributeName));
  const defined = AttributeDefinitions.map(({ AttributeName }) => AttributeName);
  if (defined.every(name => used.has(name))) return;
  throw invalid(
    'One or more parameter values were invalid: Some AttributeDefinitions are not used. ' +
      `AttributeDefinitions: [${defined.join(', ')}], keys used: [${[...used].join(', ')}]`,
  );
}

function changeIndexes(
  state: DynamoDbState,
  table: Table,
  { GlobalSecondaryIndexUpdates = [] }: UpdateTableInput,
): void {
  const changes = GlobalSecondaryIndexUpdates.filter(({ Create, Delete }) => Create ?? Delete);
  if (changes.length > 1) {
    throw new AwsError(
      'LimitExceededException',
      'Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table',
    );
  }
  for (const { Create, Delete } of changes) {
    const name = (Create ?? Delete)?.IndexName ?? '';
    const index = table.indexes.get(name);
    if (Create && index) throw invalid(`Attempting to create an index which already exists: ${name}`);
    if (Create) state.addIndex(table, new TableIndex(Create, true));
    else if (index) table.setIndexes([...table.indexes.values()].filter(it => it !== index));
    else throw new AwsError('ResourceNotFoundException', 'Requested resource not found');
  }
}

/** Describes a table. As on AWS, sizes are not up to date to the second; here they are. */
function described({ nowMs }: DynamoDbState, table: Table): TableDescription {
  const { settings, arn, stream } = table;
  const indexes = [...table.indexes.values()].map(index => ({
    isGlobal: index.isGlobal,
    description: {
      IndexName: index.name,
      KeySchema: [...index.schema],
      Projection: index.projection,
      ItemCount: index.rowsAt(nowMs).count,
      IndexArn: `${arn}/index/${index.name}`,
    },
  }));
  const global = indexes.filter(({ isGlobal }) => isGlobal).map(({ description }) => description);
  const local = indexes.filter(({ isGlobal }) => !isGlobal).map(({ description }) => description);
  const isOnDemand = settings.billingMode === 'PAY_PER_REQUEST';
  return {
    AttributeDefinitions: [...settings.attributes],
    TableName: table.name,
    KeySchema: [...table.KeySchema],
    TableStatus: 'ACTIVE',
    CreationDateTime: new Date(table.createdAtMs),
    ProvisionedThroughput: { NumberOfDecreasesToday: 0, ReadCapacityUnits: 0, WriteCapacityUnits: 0 },
    TableSizeBytes: table.bytes,
    ItemCount: table.rows.count,
    TableArn: arn,
    TableId: table.id,
    ...(isOnDemand && { BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' } }),
    ...(global.length > 0 && { GlobalSecondaryIndexes: global.map(it => ({ ...it, IndexStatus: 'ACTIVE' })) }),
    ...(local.length > 0 && { LocalSecondaryIndexes: local }),
    ...(stream && {
      StreamSpecification: { StreamEnabled: true, StreamViewType: stream.view },
      LatestStreamArn: stream.arn,
      LatestStreamLabel: stream.label,
    }),
    ...encryption(settings.encryption),
    ...(settings.tableClass !== 'STANDARD' && { TableClassSummary: { TableClass: settings.tableClass } }),
    DeletionProtectionEnabled: settings.deletionProtection,
  };
}

function encryption(specification: SSESpecification | undefined): Pick<TableDescription, 'SSEDescription'> {
  if (!specification?.Enabled) return {};
  const { KMSMasterKeyId } = specification;
  return {
    SSEDescription: { Status: 'ENABLED', SSEType: 'KMS', ...(KMSMasterKeyId && { KMSMasterKeyArn: KMSMasterKeyId }) },
  };
}
