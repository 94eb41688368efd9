import type { StartQueryRequest } from '@aws-sdk/client-cloudwatch-logs';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import { constrainText, invalidParameter, logsConstraints, logsPage, resourceMissing } from '../errors';
import type { LogGroup } from '../log-group';
import type { LogsState } from '../logs-state';
import { nameInIdentifier } from '../ports';
import { groupResource, type LogsFamily } from './logs-action';

const MAX_GROUPS = 50;
const MAX_ROWS = 10_000;

const MAX_QUERIES_LISTED = 1000;

const MAX_DEFINITIONS_LISTED = 1000;

export const queryActions = {
  /** The caller needs the permission on every log group of the query. */
  StartQuery: {
    resourceOf: (state, input) => groupResource(state, namesIn(input)[0] ?? ''),
    run: (state, { input, caller }) => {
      const { queryString = '', startTime = 0, endTime = 0, limit = MAX_ROWS, queryLanguage = 'CWLI' } = input;
      if (queryLanguage !== 'CWLI') throw notImplemented(`queries in ${queryLanguage}`);
      constrainText(logsConstraints(), 'queryString', input.queryString, 10_000)
        .range('limit', limit, 1, MAX_ROWS)
        .notNull('startTime', input.startTime)
        .notNull('endTime', input.endTime)
        .check();
      if (endTime < startTime) {
        throw invalidParameter(`endTime must not be before startTime, got ${endTime} and ${startTime}`);
      }
      const groups = groupsOf(state, input, caller);
      const query = { queryString, groups, fromMs: startTime * 1000, toMs: endTime * 1000 + 999, limit };
      return { queryId: state.queries.start(query).id };
    },
  },

  StopQuery: {
    run: (state, { input: { queryId = '' } }) => {
      state.queries.stop(queryId);
      return { success: true };
    },
  },

  GetQueryResults: {
    run: (state, { input: { queryId = '' } }) => {
      const { status, result, input: query } = state.queries.get(queryId);
      return {
        queryLanguage: 'CWLI',
        status,
        results: result?.rows.map(row => [...row]) ?? [],
        statistics: {
          recordsMatched: result?.matched ?? 0,
          recordsScanned: result?.scanned ?? 0,
          bytesScanned: result?.bytes ?? 0,
          estimatedRecordsSkipped: 0,
          estimatedBytesSkipped: 0,
          logGroupsScanned: result ? query.groups.length : 0,
        },
      };
    },
  },

  DescribeQueries: {
    run: (state, { input: { logGroupName, status: wanted, maxResults = MAX_QUERIES_LISTED, nextToken: token } }) => {
      logsConstraints().range('maxResults', maxResults, 1, MAX_QUERIES_LISTED).check();
      const found = state.queries
        .list()
        .filter(({ status }) => wanted === undefined || status === wanted)
        .filter(
          ({ input: query }) => logGroupName === undefined || query.groups.some(({ name }) => name === logGroupName),
        );
      const { items, nextToken } = logsPage(found, maxResults, token);
      return {
        queries: items.map(({ id, input: query, status, startedAtMs }) => ({
          queryLanguage: 'CWLI',
          queryId: id,
          queryString: query.queryString,
          status,
          createTime: startedAtMs,
          logGroupName: logGroupName ?? query.groups[0]?.name,
        })),
        nextToken,
      };
    },
  },

  PutQueryDefinition: {
    run: (state, { input }) => {
      const { name = '', queryString = '', logGroupNames, queryLanguage, queryDefinitionId: id, parameters } = input;
      if (parameters && parameters.length > 0) throw notImplemented('query definitions with parameters');
      const constraints = constrainText(logsConstraints(), 'name', input.name, 255);
      constrainText(constraints, 'queryString', input.queryString, 10_000).check();
      if (id !== undefined && !state.queryDefinitions.has(id)) throw resourceMissing();
      const queryDefinitionId = id ?? state.context.random.uuid();
      const lastModified = state.nowMs;
      state.queryDefinitions.put({ queryDefinitionId, name, queryString, lastModified, logGroupNames, queryLanguage });
      return { queryDefinitionId };
    },
  },

  DeleteQueryDefinition: {
    run: (state, { input: { queryDefinitionId = '' } }) => {
      state.queryDefinitions.delete(queryDefinitionId);
      return { success: true };
    },
  },

  DescribeQueryDefinitions: {
    run: (
      state,
      { input: { queryDefinitionNamePrefix = '', maxResults = MAX_DEFINITIONS_LISTED, nextToken: token } },
    ) => {
      logsConstraints().range('maxResults', maxResults, 1, MAX_DEFINITIONS_LISTED).check();
      const found = state.queryDefinitions.list(queryDefinitionNamePrefix);
      const { items, nextToken } = logsPage(found, maxResults, token);
      return { queryDefinitions: items, nextToken };
    },
  },
} satisfies LogsFamily;

/** Returns the names of the groups, from whichever member names them. */
function namesIn({ logGroupName, logGroupNames, logGroupIdentifiers }: StartQueryRequest): readonly string[] {
  return [
    ...(logGroupName === undefined ? [] : [logGroupName]),
    ...(logGroupNames ?? []),
    ...(logGroupIdentifiers ?? []).map(nameInIdentifier),
  ];
}

function groupsOf(state: LogsState, input: StartQueryRequest, caller: Caller): readonly LogGroup[] {
  const ways = [input.logGroupName, input.logGroupNames, input.logGroupIdentifiers].filter(way => way !== undefined);
  if (ways.length !== 1) {
    throw invalidParameter('Exactly one of logGroupName, logGroupNames and logGroupIdentifiers must be given');
  }
  const names = [...new Set(namesIn(input))];
  if (names.length < 1 || names.length > MAX_GROUPS) {
    throw invalidParameter(`A query reads 1 to ${MAX_GROUPS} log groups, got ${names.length}`);
  }
  return names.map(name => {
    const group = state.find(name);
    const { account } = state.context.place;
    if (!group) {
      throw new AwsError('ResourceNotFoundException', `Log group '${name}' does not exist for account ID '${account}'`);
    }
    state.checks.checkAccess(caller, 'logs:StartQuery', groupResource(state, name));
    return group;
  });
}
