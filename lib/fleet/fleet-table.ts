import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { EXPIRY_ATTRIBUTE, WAKE_INDEX } from '../../policy/fleet/fleet-items';
import type { RelayFleetProps } from './relay-fleet-props';

/** The table of a fleet with its index. */
export interface FleetTable {
  readonly table: ITable;
  readonly indexArn: string;
}

/** The table of a fleet that already exists. */
export function existingFleetTable(table: ITable): FleetTable {
  return { table, indexArn: `${table.tableArn}/index/${WAKE_INDEX}` };
}

/**
 * Creates the table of a fleet. By default DynamoDB encrypts it with a key of its own, which costs nothing: a customer managed key costs a
 * dollar a month and requests, and the secrets in the table are encrypted by the fleet's key anyway. It stays also when its creation is
 * rolled back, because DynamoDB refuses to delete a protected table, and the rollback would fail.
 */
export function addFleetTable(
  scope: Construct,
  {
    removalPolicy = RemovalPolicy.RETAIN,
    encryptionMasterKey: encryptionKey,
  }: Pick<RelayFleetProps, 'removalPolicy' | 'encryptionMasterKey'>,
): FleetTable {
  const table = new Table(scope, 'Table', {
    ...(encryptionKey && { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    timeToLiveAttribute: EXPIRY_ATTRIBUTE,
    deletionProtection: removalPolicy !== RemovalPolicy.DESTROY,
    removalPolicy,
  });
  // Items without both attributes are not in it: only endpoints for which something is to be done are.
  table.addGlobalSecondaryIndex({
    indexName: WAKE_INDEX,
    partitionKey: { name: 'shard', type: AttributeType.NUMBER },
    sortKey: { name: 'wakeAtMs', type: AttributeType.NUMBER },
    projectionType: ProjectionType.ALL,
  });
  return existingFleetTable(table);
}

const READ_ACTIONS = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'];

/** Lets a principal read everything in the table. Secrets stay encrypted. */
export function grantReadTable({ table, indexArn }: FleetTable, grantee: IGrantable): Grant {
  const onTable = Grant.addToPrincipal({ grantee, actions: READ_ACTIONS, resourceArns: [table.tableArn] });
  const onIndex = Grant.addToPrincipal({ grantee, actions: ['dynamodb:Scan'], resourceArns: [indexArn] });
  const granted = onTable.combine(onIndex);
  // DynamoDB calls KMS on behalf of its callers. The functions may decrypt because their queues have the same key.
  return table.encryptionKey ? granted.combine(table.encryptionKey.grantDecrypt(grantee)) : granted;
}

const WRITE_ACTIONS = ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'];

export function grantWriteTable({ table }: FleetTable, grantee: IGrantable): Grant {
  return Grant.addToPrincipal({ grantee, actions: WRITE_ACTIONS, resourceArns: [table.tableArn] });
}
