import type { QueryInput, ScanInput } from '@aws-sdk/client-dynamodb';
import { ownMember } from '../../../policy/json-members';
import { meets } from '../conditions';
import { type DynamoDbState, reported } from '../dynamodb-state';
import { invalid, refuse } from '../errors';
import { answeredItem, itemBytes, partOf, typeOf } from '../item';
import { type Checked, checkedRequest, type KeyCondition } from '../requests';
import { LAST_SORT, type Row, type RowKey, type Rows } from '../rows';
import { loadRules } from '../rules';
import {
  indexRowKey,
  type Keyed,
  keyNames,
  partitionOf,
  rowKey,
  sortText,
  type Table,
  type TableIndex,
} from '../table';
import { type DynamoDbFamily, type TableTarget, tableOf } from './dynamodb-action';
import { projected } from './items';

/** "A single … operation can retrieve a maximum of 1 MB of data." */
const LARGEST_PAGE_BYTES = 1024 * 1024;

const queries = new WeakMap<object, Checked>();

const HASH_DIGITS = 3;
const HASHES = 16 ** HASH_DIGITS;

interface Read {
  readonly table: Table;
  readonly index: TableIndex | undefined;
  readonly rows: Rows;
  readonly keyed: Keyed;
}

interface Range {
  readonly partition: string;
  /** The first sort key. */
  readonly from: string;
  /** The first sort key after all others. */
  readonly to: string;
}

export const queryActions = {
  Query: {
    resourceOf: tableOf,
    contextOf: (input, { table }, state) => {
      const { KeyConditions = {} } = checkedQuery(state, input);
      const hash = KeyConditions[keyNames(table)[0] ?? '']?.AttributeValueList[0];
      return { 'dynamodb:LeadingKeys': hash ? [hash.S ?? hash.N ?? hash.B ?? ''] : [] };
    },
    run: (state, { caller, input }, { table }) => {
      const checked = checkedQuery(state, input);
      const read = readOf(state, table, input);
      const range = rangeOf(read.keyed, checked.KeyConditions ?? {});
      const start = startOf(read, checked);
      if (start && (start.partition !== range.partition || start.sort < range.from || start.sort >= range.to)) {
        throw invalid('The provided starting key is outside query boundaries based on provided conditions');
      }
      const { _filter } = checked;
      const filtered = keyNames(read.keyed).find(name => _filter && ownMember(_filter.pathHeads, name));
      if (filtered !== undefined) {
        throw invalid(
          `Filter Expression can only contain non-primary key attributes: Primary key attribute: ${filtered}`,
        );
      }
      state.checkKey(table, caller);
      const isReversed = input.ScanIndexForward === false;
      const from = start && !isReversed ? `${start.sort}\0` : range.from;
      const to = start && isReversed ? start.sort : range.to;
      return page(state, read, checked, input, read.rows.between(range.partition, from, to, isReversed));
    },
  },

  Scan: {
    resourceOf: tableOf,
    run: (state, { caller, input }, { table }) => {
      const checked = checkedRequest(state, 'scan', input);
      const read = readOf(state, table, input);
      const start = startOf(read, checked);
      state.checkKey(table, caller);
      const rows = read.rows.after(start);
      return page(state, read, checked, input, inSegment(rows, input));
    },
  },
} satisfies DynamoDbFamily<TableTarget>;

/** Checks a query once, for its condition keys and for its answer. */
function checkedQuery(state: DynamoDbState, input: QueryInput): Checked {
  const known = queries.get(input);
  if (known) return known;
  const checked = checkedRequest(state, 'query', input);
  queries.set(input, checked);
  return checked;
}

/** A partition begins with the hash of its key, by which parallel scans are divided. */
function* inSegment(rows: Iterable<Row>, { Segment = 0, TotalSegments = 1 }: ScanInput): Generator<Row> {
  for (const row of rows) {
    const hash = Number.parseInt(row.partition.slice(0, HASH_DIGITS), 16);
    if (Math.floor((hash * TotalSegments) / HASHES) === Segment) yield row;
  }
}

function readOf({ nowMs }: DynamoDbState, table: Table, input: QueryInput | ScanInput): Read {
  const { IndexName, ConsistentRead, Select } = input;
  const { AttributeDefinitions } = table;
  if (IndexName === undefined) return { table, index: undefined, rows: table.rows, keyed: table };
  const index = table.indexes.get(IndexName);
  if (!index) throw invalid(`The table does not have the specified index: ${IndexName}`);
  if (index.isGlobal && ConsistentRead) {
    throw invalid('Consistent reads are not supported on global secondary indexes');
  }
  if (Select === 'ALL_ATTRIBUTES' && index.isGlobal && !index.isComplete) {
    throw invalid(
      'One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index ' +
        `${IndexName} because its projection type is not ALL`,
    );
  }
  return { table, index, rows: index.rowsAt(nowMs), keyed: { AttributeDefinitions, KeySchema: index.schema } };
}

function rangeOf(keyed: Keyed, conditions: Readonly<Record<string, KeyCondition>>): Range {
  const [hashName = '', rangeName = ''] = keyNames(keyed);
  const named = Object.keys(conditions);
  const hash = ownMember(conditions, hashName);
  const [value] = hash?.AttributeValueList ?? [];
  if (!value) throw invalid(`Query condition missed key schema element: ${hashName}`);
  if (hash?.ComparisonOperator !== 'EQ') throw invalid('Query key condition not supported');
  const other = named.find(name => name !== hashName && name !== rangeName);
  if (other !== undefined) {
    throw invalid(
      rangeName === ''
        ? 'Query key condition not supported'
        : `Query condition missed key schema element: ${rangeName}`,
    );
  }
  for (const name of named) checkType(keyed, name, conditions[name]);
  return { partition: partitionOf(value), ...sortRange(ownMember(conditions, rangeName)) };
}

function checkType({ AttributeDefinitions }: Keyed, name: string, condition: KeyCondition | undefined): void {
  const type = AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
  if (condition?.AttributeValueList.every(value => typeOf(value) === type)) return;
  throw invalid('One or more parameter values were invalid: Condition parameter type does not match schema type');
}

/** A sort key is a text that ends with a slash, and in an index the key of the item follows. */
function sortRange(condition: KeyCondition | undefined): Pick<Range, 'from' | 'to'> {
  const whole = { from: '', to: LAST_SORT };
  if (!condition) return whole;
  const [text = '', upper = ''] = condition.AttributeValueList.map(sortText);
  const [from, after] = [`${text}/`, `${text}/${LAST_SORT}`];
  switch (condition.ComparisonOperator) {
    case 'EQ':
      return { from, to: after };
    case 'LT':
      return { from: '', to: from };
    case 'LE':
      return { from: '', to: after };
    case 'GT':
      return { from: after, to: LAST_SORT };
    case 'GE':
      return { from, to: LAST_SORT };
    case 'BETWEEN':
      return { from, to: `${upper}/${LAST_SORT}` };
    default:
      return { from: text, to: `${text}${LAST_SORT}` };
  }
}

function startOf({ table, index, keyed }: Read, { ExclusiveStartKey: start }: Checked): RowKey | undefined {
  if (!start) return undefined;
  const names = new Set([...keyNames(table), ...keyNames(keyed)]);
  const isWhole = Object.keys(start).length === names.size && [...names].every(name => ownMember(start, name));
  const prefix = 'The provided starting key is invalid';
  if (!isWhole) throw invalid(index ? prefix : `${prefix}: The provided key element does not match the schema`);
  const { db } = loadRules();
  for (const schema of [table.KeySchema, keyed.KeySchema]) {
    const key = partOf(start, keyNames({ KeySchema: schema }));
    const problem = db.validateKey(key, table, schema);
    if (problem) throw invalid(`${prefix}: ${problem.message}`);
  }
  return index ? indexRowKey(start, keyed, table) : rowKey(start, table);
}

function page(state: DynamoDbState, read: Read, checked: Checked, input: QueryInput | ScanInput, rows: Iterable<Row>) {
  const { table, index, keyed } = read;
  const { Limit = Number.POSITIVE_INFINITY, Select, ConsistentRead, ReturnConsumedCapacity } = input;
  const { _filter, values } = checked;
  refuse(loadRules().db.validateKeyPaths(_filter?.nestedPaths, table));
  // A local index fetches the attributes that it lacks from the table.
  const fetches = index && !index.isGlobal && Select === 'ALL_ATTRIBUTES' && !index.isComplete;
  const found: Row['item'][] = [];
  let [scanned, bytes] = [0, 0];
  let last: Row['item'] | undefined;
  for (const row of rows) {
    last = row.item;
    const item = fetches ? (table.get(row.item) ?? row.item) : row.item;
    scanned += 1;
    bytes += itemBytes(item);
    if (!_filter || meets(item, _filter.expression, values)) found.push(item);
    if (scanned >= Limit || bytes >= LARGEST_PAGE_BYTES) break;
  }
  const isCut = last && (scanned >= Limit || bytes >= LARGEST_PAGE_BYTES);
  const units = state.read(table, bytes, ConsistentRead === true);
  return {
    ...(Select !== 'COUNT' && { Items: found.map(item => answeredItem(projected(item, checked, table))) }),
    Count: found.length,
    ScannedCount: scanned,
    ...(isCut &&
      last && { LastEvaluatedKey: answeredItem(partOf(last, new Set([...keyNames(table), ...keyNames(keyed)]))) }),
    ...reported(ReturnConsumedCapacity, table, units),
  };
}
