import type {
  AttributeDefinition,
  BillingMode,
  GlobalSecondaryIndex,
  KeySchemaElement,
  LocalSecondaryIndex,
  Projection,
  SSESpecification,
  StreamViewType,
  TableClass,
} from '@aws-sdk/client-dynamodb';
import { ownMember } from '../../policy/json-members';
import type { PolicyDocument } from '../kernel/access';
import { ResourceTags, TAG_RULES, type TagRules } from '../kernel/tags';
import { invalid } from './errors';
import { type Item, itemBytes, partOf, typeOf, type Value } from './item';
import { type RowKey, Rows } from './rows';
import { loadRules } from './rules';
import type { TableStream } from './table-streams';

/** **Assumption AWS-4:** The error texts are ours. */
export const TABLE_TAGS: TagRules = {
  refuse: breaches => invalid(breaches.map(({ rule, text }) => TAG_RULES[rule](text)).join(' ')),
};

export interface TableSettings {
  attributes: readonly AttributeDefinition[];
  billingMode: BillingMode;
  deletionProtection: boolean;
  tableClass: TableClass;
  encryption: SSESpecification | undefined;
  streamView: StreamViewType | undefined;
}

/** How long after a write a global secondary index has it. **Assumption DYNAMODB-2:** AWS says "typically … a fraction of a second". */
const INDEX_LAG_MS = 100;

const WRITE_UNIT_BYTES = 1024;

/** The units of a write that changes an item: DynamoDB counts the larger of both. */
export function writeUnits(before: Item | undefined, after: Item | undefined): number {
  const bytes = Math.max(before ? itemBytes(before) : 0, after ? itemBytes(after) : 0);
  return Math.max(1, Math.ceil(bytes / WRITE_UNIT_BYTES));
}

export class TableIndex {
  readonly name: string;
  readonly schema: readonly KeySchemaElement[];
  readonly projection: Projection;
  private readonly rows = new Rows();
  private readonly pending: { readonly dueAtMs: number; apply(): void }[] = [];

  constructor(
    { IndexName = '', KeySchema = [], Projection = {} }: GlobalSecondaryIndex | LocalSecondaryIndex,
    readonly isGlobal: boolean,
  ) {
    this.name = IndexName;
    this.schema = KeySchema;
    this.projection = Projection;
  }

  /** The rows as a reader sees them now: a global index follows its table after a moment. */
  rowsAt(nowMs: number): Rows {
    while (this.pending[0] && this.pending[0].dueAtMs <= nowMs) this.pending.shift()?.apply();
    return this.rows;
  }

  /** @returns the write request units of the change: an index whose attributes stay the same is not written */
  follow(table: Keyed, before: Item | undefined, after: Item | undefined, nowMs: number): number {
    const schema = { KeySchema: this.schema };
    const from = before && indexRowKey(before, schema, table);
    const to = after && indexRowKey(after, schema, table);
    if (!from && !to) return 0;
    const held = before && from && this.projected(table, before);
    const wanted = after && to && this.projected(table, after);
    const moves = from && to && (from.partition !== to.partition || from.sort !== to.sort);
    if (!moves && JSON.stringify(held) === JSON.stringify(wanted)) return 0;
    const apply = () => {
      if (from && (!to || moves)) this.rows.delete(from);
      if (to && wanted) this.rows.put(to, wanted);
    };
    // Changes that are due are applied now, so that an index that is never read does not keep them.
    this.rowsAt(nowMs);
    if (this.isGlobal) this.pending.push({ dueAtMs: nowMs + INDEX_LAG_MS, apply });
    else apply();
    return writeUnits(held, wanted) * (moves ? 2 : 1);
  }

  get attributes(): readonly string[] {
    return keyNames({ KeySchema: this.schema });
  }

  /** Whether it has all attributes of the items. */
  get isComplete(): boolean {
    return this.projection.ProjectionType === 'ALL';
  }

  private projected(table: Keyed, item: Item): Item {
    if (this.isComplete) return item;
    return partOf(item, new Set([...keyNames(table), ...this.attributes, ...(this.projection.NonKeyAttributes ?? [])]));
  }
}

interface IndexKeys {
  readonly IndexName: string;
  readonly KeySchema: readonly KeySchemaElement[];
}

export class Table implements Keyed {
  readonly rows = new Rows();
  indexes: ReadonlyMap<string, TableIndex> = new Map();
  /** The indexes, as the rules of dynalite read them. */
  GlobalSecondaryIndexes: readonly IndexKeys[] = [];
  LocalSecondaryIndexes: readonly IndexKeys[] = [];
  readonly tags = new ResourceTags(TABLE_TAGS);
  policy: PolicyDocument | undefined;
  /** The attribute with the second after which an item expires. */
  ttlAttribute: string | undefined;
  /** Since when backups are continuous, in milliseconds since the Unix epoch. @default - they are not */
  recoverableFromMs: number | undefined;
  recoveryDays = 35;
  stream: TableStream | undefined;
  bytes = 0;

  constructor(
    readonly name: string,
    readonly arn: string,
    readonly id: string,
    readonly KeySchema: readonly KeySchemaElement[],
    public settings: TableSettings,
    readonly createdAtMs: number,
  ) {}

  get AttributeDefinitions(): readonly AttributeDefinition[] {
    return this.settings.attributes;
  }

  setIndexes(indexes: readonly TableIndex[]): void {
    this.indexes = new Map(indexes.map(index => [index.name, index]));
    const keys = (isGlobal: boolean) =>
      indexes
        .filter(index => index.isGlobal === isGlobal)
        .map(({ name, schema }) => ({ IndexName: name, KeySchema: schema }));
    this.GlobalSecondaryIndexes = keys(true);
    this.LocalSecondaryIndexes = keys(false);
  }

  /** The key of an item that has all key attributes. */
  keyOf(item: Item) {
    const key = rowKey(item, this);
    if (!key) throw new Error(`an item of ${this.name} has no key`);
    return key;
  }

  keyAttributes(item: Item): Item {
    return partOf(item, keyNames(this));
  }

  get(item: Item): Item | undefined {
    return this.rows.get(this.keyOf(item));
  }
}

/** What decides where an item is: of a table, or of one of its indexes. */
export interface Keyed {
  readonly AttributeDefinitions: readonly AttributeDefinition[];
  readonly KeySchema: readonly KeySchemaElement[];
}

/** The names of the key attributes: of the partition key, then of the sort key. */
export const keyNames = ({ KeySchema }: Pick<Keyed, 'KeySchema'>): readonly string[] =>
  KeySchema.map(({ AttributeName = '' }) => AttributeName);

/** A text that sorts as the value does: a number by its size, a string by its bytes in UTF-8. */
export function sortText(value: Value): string {
  return loadRules().db.toRangeStr(value.S ?? value.N ?? value.B ?? '', typeOf(value));
}

/** The partition of a value of the partition key. The texts of two values never begin with each other. */
export function partitionOf(value: Value): string {
  const { hashPrefix } = loadRules().db;
  return `${hashPrefix(value.S ?? value.N ?? value.B ?? '', typeOf(value))}/${sortText(value)}/`;
}

/** Where an item is that has all key attributes; undefined if it has not. */
export function rowKey(item: Item, schema: Pick<Keyed, 'KeySchema'>): RowKey | undefined {
  const [partition, sort] = keyNames(schema);
  const hash = ownMember(item, partition ?? '');
  const range = sort === undefined ? undefined : ownMember(item, sort);
  if (!hash || (sort !== undefined && !range)) return undefined;
  return { partition: partitionOf(hash), sort: range ? `${sortText(range)}/` : '' };
}

/** Where an item is in an index: several items may have the same key there. */
export function indexRowKey(item: Item, index: Pick<Keyed, 'KeySchema'>, table: Keyed): RowKey | undefined {
  const own = rowKey(item, index);
  const inTable = own && rowKey(item, table);
  return own && inTable && { partition: own.partition, sort: `${own.sort}${inTable.partition}${inTable.sort}` };
}
