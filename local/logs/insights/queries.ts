import type { QueryDefinition, QueryStatus } from '@aws-sdk/client-cloudwatch-logs';
import { AwsError } from '../../kernel/aws-error';
import type { ServiceContext } from '../../kernel/service-api';
import type { Scheduled } from '../../kernel/timeline';
import { invalidParameter, limitExceeded, queryMissing, resourceMissing } from '../errors';
import type { LogGroup } from '../log-group';
import type { LogsTraceEvent } from '../trace-events';
import { parseQuery } from './parser';
import type { FoundEvent } from './row';
import { CompiledQuery, type QueryResult } from './run-query';

/** The duration of every query. **Assumption:** AWS does not publish how long queries take. */
const QUERY_MS = 1_000;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html */
const MAX_RUNNING = 100;
const KEPT_MS = 7 * 24 * 3_600_000;

/** The input of a query. */
interface QueryInput {
  readonly queryString: string;
  readonly groups: readonly LogGroup[];
  /** The first and the last millisecond, both inclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The maximum number of rows, unless the query has its own `limit`. */
  readonly limit: number;
}

/** A started query with its status and result. */
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

  /**
   * Starts a query. It reads the events that exist when it completes.
   *
   * @throws AwsError for a malformed query, or when too many queries are running
   */
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

  /** @throws AwsError when the query does not exist or has expired */
  get(id: string): StartedQuery {
    this.forgetOld();
    const query = this.byId.get(id);
    if (!query) throw queryMissing();
    return query;
  }

  /** @throws AwsError when the query is not running */
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

/** A saved query. */
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

  /** @throws AwsError when the account already has the maximum number of query definitions */
  put(query: SavedQuery): void {
    if (!this.has(query.queryDefinitionId) && this.byId.size >= MAX_DEFINITIONS) throw limitExceeded();
    this.byId.set(query.queryDefinitionId, query);
  }

  /** @throws AwsError when no definition has this id */
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
