import type { QueryDefinition, QueryStatus, ResultField } from '@aws-sdk/client-cloudwatch-logs';
import { DAY_MS } from '../../../policy/time-units';
import { AwsError } from '../../kernel/aws-error';
import type { ServiceContext } from '../../kernel/service-api';
import type { Scheduled } from '../../kernel/timeline';
import { invalidParameter, limitExceeded, queryMissing, resourceMissing } from '../errors';
import type { LogGroup } from '../log-group';
import type { LogsTraceEvent } from '../trace-events';
import { compile, compileAggregate, type Reader, type Scope } from './evaluator';
import type { QueryTimes } from './functions';
import { parseQuery } from './parser';
import { type FoundEvent, pointerTo, Row } from './row';
import type { Column, Command, Extraction, Query, SortKey } from './syntax';
import { asBoolean, asText, compareValues, resultText, type Value } from './values';

/** The duration of every query. **Assumption LOGS-3:** AWS does not publish how long queries take. */
const QUERY_MS = 1_000;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html */
const MAX_RUNNING = 100;
const KEPT_MS = 7 * DAY_MS;

interface QueryInput {
  readonly queryString: string;
  readonly groups: readonly LogGroup[];
  /** The first and the last millisecond, both inclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The maximum number of rows, unless the query has its own `limit`. */
  readonly limit: number;
}

interface StartedQuery {
  readonly id: string;
  readonly input: QueryInput;
  readonly startedAtMs: number;
  status: QueryStatus;
  result: (QueryResult & { readonly scanned: number; readonly bytes: number }) | undefined;
}

/** Runs queries, and stores their results for seven days. */
export class RunningQueries {
  private readonly byId = new Map<string, StartedQuery & { readonly work: Scheduled }>();

  constructor(private readonly context: ServiceContext<LogsTraceEvent>) {}

  /** Starts a query. It reads the events that exist when it completes. */
  start(input: QueryInput): StartedQuery {
    const { timeline, random, trace } = this.context;
    const startedAtMs = timeline.nowMs;
    const { fromMs, toMs } = input;
    const compiled = new CompiledQuery(parseQuery(input.queryString), { startedAtMs, fromMs, toMs });
    this.forgetOld();
    const running = [...this.byId.values()].filter(({ status }) => status === 'Running').length;
    if (running >= MAX_RUNNING) {
      throw new AwsError('LimitExceededException', `An account can run ${MAX_RUNNING} queries at a time.`);
    }
    const id = random.uuid();
    const work = timeline.after(QUERY_MS, () => this.complete(query, compiled));
    const query = { id, input, startedAtMs, status: 'Running' as QueryStatus, result: undefined, work };
    this.byId.set(id, query);
    trace.record({ type: 'logs.query-started', queryId: id });
    return query;
  }

  get(id: string): StartedQuery {
    this.forgetOld();
    const query = this.byId.get(id);
    if (!query) throw queryMissing();
    return query;
  }

  stop(id: string): void {
    const { status } = this.get(id);
    const query = this.byId.get(id);
    if (!query || status !== 'Running') throw invalidParameter(`Query is already ended with ${status} status`);
    query.work.cancel();
    query.status = 'Cancelled';
    this.context.trace.record({ type: 'logs.query-stopped', queryId: id });
  }

  /** Newest first. */
  list(): readonly StartedQuery[] {
    this.forgetOld();
    return [...this.byId.values()].reverse();
  }

  private complete(query: StartedQuery, compiled: CompiledQuery): void {
    const { groups, fromMs, toMs, limit } = query.input;
    const { timeline, place, trace } = this.context;
    const events: FoundEvent[] = groups.flatMap(group => {
      const log = `${place.account}:${group.name}`;
      return group
        .events(timeline.nowMs)
        .between(fromMs, toMs + 1)
        .map(event => ({ event, log }));
    });
    const bytes = events.reduce((sum, { event }) => sum + Buffer.byteLength(event.message), 0);
    query.result = { ...compiled.run(events, limit), scanned: events.length, bytes };
    query.status = 'Complete';
    trace.record({ type: 'logs.query-completed', queryId: query.id });
  }

  private forgetOld(): void {
    const oldestMs = this.context.timeline.nowMs - KEPT_MS;
    for (const [id, { startedAtMs }] of this.byId) if (startedAtMs < oldestMs) this.byId.delete(id);
  }
}

const MAX_DEFINITIONS = 1000;

type SavedQuery = Pick<QueryDefinition, 'logGroupNames' | 'queryLanguage'> & {
  readonly queryDefinitionId: string;
  readonly name: string;
  readonly queryString: string;
  readonly lastModified: number;
};

/** The saved queries of an account. Like AWS, it stores query text without validating it. */
export class QueryDefinitions {
  private readonly byId = new Map<string, SavedQuery>();

  has(id: string): boolean {
    return this.byId.has(id);
  }

  put(query: SavedQuery): void {
    if (!this.has(query.queryDefinitionId) && this.byId.size >= MAX_DEFINITIONS) throw limitExceeded();
    this.byId.set(query.queryDefinitionId, query);
  }

  delete(id: string): void {
    if (!this.byId.delete(id)) throw resourceMissing();
  }

  /** Sorted by name. */
  list(prefix: string): readonly SavedQuery[] {
    return [...this.byId.values()]
      .filter(({ name }) => name.startsWith(prefix))
      .sort((a, b) =>
        a.name === b.name ? (a.queryDefinitionId < b.queryDefinitionId ? -1 : 1) : a.name < b.name ? -1 : 1,
      );
  }
}

interface QueryResult {
  /** Without fields that the row does not have. */
  readonly rows: readonly (readonly ResultField[])[];
  /** The number of events that passed the filters. */
  readonly matched: number;
}

/** AWS returns the newest events first by default. */
const NEWEST_FIRST = (a: FoundEvent, b: FoundEvent): number =>
  b.event.atMs - a.event.atMs || b.event.sequence - a.event.sequence;

const DEFAULT_COLUMNS = ['@timestamp', '@message'];

/** A column of the result. */
interface Shown {
  readonly name: string;
  readonly read: Reader;
}

/** The rows after some of the commands. */
interface State {
  readonly rows: readonly Row[];
  /** Undefined until a command names columns. */
  readonly shown: readonly Shown[] | undefined;
  readonly matched: number;
}

type Step = (state: State) => State;

export class CompiledQuery {
  private readonly steps: readonly Step[];
  private readonly hasLimit: boolean;

  /** @throws AwsError `MalformedQueryException` for an unknown function */
  constructor(query: Query, times: QueryTimes) {
    const scope: Scope = { times };
    this.steps = query.map(command => compileCommand(command, scope));
    this.hasLimit = query.some(({ kind }) => kind === 'limit');
  }

  /** @param limit the maximum number of rows, unless the query has its own `limit` */
  run(events: readonly FoundEvent[], limit: number): QueryResult {
    const begin: State = {
      rows: [...events].sort(NEWEST_FIRST).map(found => new Row(found)),
      shown: undefined,
      matched: events.length,
    };
    const { rows, shown, matched } = this.steps.reduce((state, step) => step(state), begin);
    const columns = shown ?? DEFAULT_COLUMNS.map(field);
    const answered = this.hasLimit ? rows : rows.slice(0, limit);
    return { rows: answered.map(row => present(row, columns)), matched };
  }
}

const field = (name: string): Shown => ({ name, read: row => row.get([name]) });

function present(row: Row, columns: readonly Shown[]): readonly ResultField[] {
  const fields: ResultField[] = [];
  for (const { name, read } of columns) {
    const value = resultText(read(row));
    if (value !== undefined) fields.push({ field: name, value });
  }
  return row.found ? [...fields, { field: '@ptr', value: pointerTo(row.found) }] : fields;
}

function compileCommand(command: Command, scope: Scope): Step {
  switch (command.kind) {
    case 'fields':
      return compileFields(command.columns, scope, false);
    case 'display':
      return compileFields(command.columns, scope, true);
    case 'filter': {
      const holds = compile(command.condition, scope);
      return state => {
        const rows = state.rows.filter(row => asBoolean(holds(row)));
        return { ...state, rows, matched: rows.length };
      };
    }
    case 'parse':
      return compileParse(command.extraction, scope);
    case 'stats':
      return compileStats(command.columns, command.by, scope);
    case 'sort':
      return compileSort(command.keys, scope);
    case 'limit':
      return state => ({ ...state, rows: state.rows.slice(0, command.count) });
    case 'dedup':
      return compileDedup(command.columns, scope);
  }
}

/** Adds columns to the shown ones, or replaces them. Later commands can use computed fields. */
function compileFields(columns: readonly Column[], scope: Scope, instead: boolean): Step {
  const computed = compileColumns(columns, scope);
  return state => {
    for (const row of state.rows) {
      const values = computed.map(({ read }) => read(row));
      for (const [i, { name, isNew }] of computed.entries()) if (isNew) row.set(name, values[i]);
    }
    const shown = computed.map(({ name, isNew, read }) => (isNew ? field(name) : { name, read }));
    return { ...state, shown: instead ? shown : [...(state.shown ?? []), ...shown] };
  };
}

interface ComputedColumn extends Shown {
  /** Whether the query computes the column: an alias, or the result of a function. */
  readonly isNew: boolean;
}

function compileColumns(columns: readonly Column[], scope: Scope): readonly ComputedColumn[] {
  return columns.map(({ name, expression }) => {
    const isNew = expression.kind !== 'field' || name !== expression.path.join('.');
    return { name, isNew, read: compile(expression, scope) };
  });
}

function compileParse({ source, regex, names }: Extraction, scope: Scope): Step {
  const read = compile(source, scope);
  return state => {
    for (const row of state.rows) {
      const match = regex.exec(asText(read(row)) ?? '');
      if (!match) continue;
      for (const [name, value] of Object.entries(match.named)) row.set(name, value);
      for (const [i, name] of names.entries()) row.set(name, match.groups[i + 1]);
    }
    return state;
  };
}

/** Groups are sorted by their first rows. */
function compileStats(columns: readonly Column[], by: readonly Column[], scope: Scope): Step {
  const keys = compileColumns(by, scope);
  const aggregates = columns.map(({ name, expression }) => ({ name, over: compileAggregate(expression, scope) }));
  const names = [...keys, ...aggregates].map(({ name }) => name);
  return state => {
    const groups = new Map<string, { readonly key: readonly Value[]; readonly rows: Row[] }>();
    for (const row of state.rows) {
      const key = keys.map(({ read }) => read(row));
      const id = JSON.stringify(key.map(value => asText(value) ?? null));
      const group = groups.get(id);
      if (group) group.rows.push(row);
      else groups.set(id, { key, rows: [row] });
    }
    const rows = [...groups.values()].map(({ key, rows: members }) => {
      const row = new Row(undefined);
      for (const [i, { name }] of keys.entries()) row.set(name, key[i]);
      for (const { name, over } of aggregates) row.set(name, over(members));
      return row;
    });
    return { ...state, rows, shown: names.map(field) };
  };
}

function compileSort(keys: readonly SortKey[], scope: Scope): Step {
  const compiled = keys.map(({ expression, descending }) => ({ read: compile(expression, scope), descending }));
  return state => {
    const rows = [...state.rows].sort((a, b) => {
      for (const { read, descending } of compiled) {
        const order = compareValues(read(a), read(b));
        if (order !== 0) return descending ? -order : order;
      }
      return 0;
    });
    return { ...state, rows };
  };
}

/** Keeps the first row of each combination of values, and every row that lacks one of the values. */
function compileDedup(columns: readonly Column[], scope: Scope): Step {
  const read = compileColumns(columns, scope);
  return state => {
    const seen = new Set<string>();
    const rows = state.rows.filter(row => {
      const values = read.map(column => asText(column.read(row)));
      if (values.includes(undefined)) return true;
      const id = JSON.stringify(values);
      return !seen.has(id) && Boolean(seen.add(id));
    });
    return { ...state, rows };
  };
}
