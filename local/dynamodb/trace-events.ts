import type { Refused, ServiceContext } from '../kernel/service-api';
import type { Item } from './item';

interface OfTable {
  readonly tableArn: string;
}

/** The trace events of DynamoDB: tables, and the keys of written items. Other attributes are not recorded, and neither are reads. */
export type DynamoDbTraceEvent =
  | (OfTable & { readonly type: 'dynamodb.table-created' | 'dynamodb.table-updated' | 'dynamodb.table-deleted' })
  | (OfTable & {
      /** An item was written or deleted, or DynamoDB deleted it after the time in its TTL attribute. */
      readonly type: 'dynamodb.item-put' | 'dynamodb.item-deleted' | 'dynamodb.item-expired';
      readonly key: Item;
    })
  | Refused<'dynamodb'>;

export type DynamoDbContext = ServiceContext<DynamoDbTraceEvent>;
