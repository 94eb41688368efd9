import type { StartQueryRequest } from '@aws-sdk/client-cloudwatch-logs';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import { constrainText, logsConstraints } from '../constraints';
import { invalidParameter } from '../errors';
import { nameInIdentifier } from '../log-arns';
import type { LogGroup } from '../log-group';
import type { LogsState } from '../logs-state';
import { groupResource, type LogsAction } from './logs-action';

const MAX_GROUPS = 50;
const MAX_ROWS = 10_000;

/**
 * The permission is asked for on each of the groups.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_StartQuery.html
 */
export const startQuery: LogsAction<'StartQuery'> = {
  permission: 'logs:StartQuery',
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
    const question = { queryString, groups, fromMs: startTime * 1000, toMs: endTime * 1000 + 999, limit };
    return { queryId: state.queries.start(question).id };
  },
};

/** The names of the groups, however the call names them. */
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
    state.keeper.checkAccess(caller, 'logs:StartQuery', groupResource(state, name));
    return group;
  });
}
