import { parseArn } from '../../../policy/arn';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import type { Resource } from '../../kernel/service-api';
import {
  constrainName,
  constrainText,
  filterMissing,
  invalidParameter,
  limitExceeded,
  logsConstraints,
  logsPage,
  MAX_LISTED,
} from '../errors';
import { parseFilterPattern } from '../filter/filter-pattern';
import type { LogGroup } from '../log-group';
import type { LogsState } from '../logs-state';
import { MetricFilter } from '../metric-filter';
import { logsCaller, SubscriptionFilter } from '../subscription-filter';
import { anyGroup, type GroupNamed, groupNamed, type LogsFamily } from './logs-action';

/** The maximum number of filter patterns with regular expressions in one group. */
const MAX_REGEX_PATTERNS = 5;

interface FieldSelection {
  readonly applyOnTransformedLogs?: boolean | undefined;
  readonly fieldSelectionCriteria?: string | undefined;
}

const MAX_METRIC_FILTERS = 100;

const MAX_MESSAGES = 50;

const MAX_SUBSCRIPTION_FILTERS = 2;

export const filterActions = {
  PutMetricFilter: {
    resourceOf: groupNamed,
    run: (state, { input }) => {
      const { logGroupName = '', filterName = '', filterPattern = '', metricTransformations = [] } = input;
      constrainName(logsConstraints(), 'filterName', input.filterName).check();
      refuseSelections(input, input.emitSystemFieldDimensions);
      const group = state.get(logGroupName);
      const [transformation, ...others] = metricTransformations;
      if (!transformation || others.length > 0) {
        throw invalidParameter(
          `A metric filter has exactly one metric transformation, got ${metricTransformations.length}`,
        );
      }
      const filter = new MetricFilter(filterName, filterPattern, transformation, state.nowMs);
      checkQuota(group, group.metricFilters, filterName, filter, MAX_METRIC_FILTERS);
      group.metricFilters.set(filterName, filter);
      return {};
    },
  },

  DeleteMetricFilter: {
    resourceOf: groupNamed,
    run: (state, { input: { logGroupName = '', filterName = '' } }) => {
      if (!state.get(logGroupName).metricFilters.delete(filterName)) throw filterMissing('metric');
      return {};
    },
  },

  DescribeMetricFilters: {
    resourceOf: (state: LogsState, input: GroupNamed): Resource =>
      input.logGroupName === undefined ? anyGroup(state) : groupNamed(state, input),
    run: (state, { input }) => {
      const { logGroupName, filterNamePrefix = '', metricName, metricNamespace, limit, nextToken: token } = input;
      logsConstraints().range('limit', limit, 1, MAX_LISTED).check();
      if ((metricName === undefined) !== (metricNamespace === undefined)) {
        throw invalidParameter('metricName and metricNamespace must be given together');
      }
      const groups = logGroupName === undefined ? state.groups : [state.get(logGroupName)];
      const found = groups
        .flatMap(group => [...group.metricFilters.values()].map(filter => ({ group, filter })))
        .filter(({ filter: { filterName, transformation } }) => {
          if (!filterName.startsWith(filterNamePrefix)) return false;
          if (metricName === undefined) return true;
          return transformation.metricName === metricName && transformation.metricNamespace === metricNamespace;
        })
        .sort((a, b) => (a.filter.filterName < b.filter.filterName ? -1 : 1));
      const { items, nextToken } = logsPage(found, limit, token);
      return {
        metricFilters: items.map(({ group, filter: { filterName, filterPattern, transformation, createdAtMs } }) => ({
          filterName,
          filterPattern,
          metricTransformations: [transformation],
          creationTime: createdAtMs,
          logGroupName: group.name,
        })),
        nextToken,
      };
    },
  },

  TestMetricFilter: {
    run: (_, { input: { filterPattern = '', logEventMessages = [] } }) => {
      logsConstraints().length('logEventMessages', logEventMessages, 1, MAX_MESSAGES).check();
      const pattern = parseFilterPattern(filterPattern);
      const matches = logEventMessages.flatMap((eventMessage, i) =>
        pattern.matches(eventMessage)
          ? [{ eventNumber: i + 1, eventMessage, extractedValues: { ...pattern.extract(eventMessage) } }]
          : [],
      );
      return { matches };
    },
  },

  /** Accepts only functions as destinations. Streams and destinations of other accounts are rejected. */
  PutSubscriptionFilter: {
    resourceOf: groupNamed,
    run: (state, { input }) => {
      const { filterName = '', filterPattern = '', destinationArn = '', distribution = 'ByLogStream' } = input;
      const constraints = constrainName(logsConstraints(), 'filterName', input.filterName);
      constrainText(constraints, 'destinationArn', input.destinationArn, 2048).check();
      refuseSelections(input, input.emitSystemFields);
      const group = state.get(input.logGroupName ?? '');
      if (!/^arn:[^:]+:lambda:/.test(destinationArn)) throw notImplemented(`subscription filters to ${destinationArn}`);
      checkPlace(state, destinationArn);
      const subscription = { logGroupName: group.name, filterName, filterPattern, destinationArn, distribution };
      const filter = new SubscriptionFilter(subscription, state.nowMs, state.context, state.functions);
      checkQuota(group, group.subscriptionFilters, filterName, filter, MAX_SUBSCRIPTION_FILTERS);
      checkFunction(state, group.name, destinationArn);
      group.subscriptionFilters.set(filterName, filter);
      return {};
    },
  },

  DeleteSubscriptionFilter: {
    resourceOf: groupNamed,
    run: (state, { input: { logGroupName = '', filterName = '' } }) => {
      if (!state.get(logGroupName).subscriptionFilters.delete(filterName)) throw filterMissing('subscription');
      return {};
    },
  },

  DescribeSubscriptionFilters: {
    resourceOf: groupNamed,
    run: (state, { input: { logGroupName = '', filterNamePrefix = '', limit, nextToken: token } }) => {
      logsConstraints().range('limit', limit, 1, MAX_LISTED).check();
      const found = [...state.get(logGroupName).subscriptionFilters.values()]
        .filter(({ subscription }) => subscription.filterName.startsWith(filterNamePrefix))
        .sort((a, b) => (a.subscription.filterName < b.subscription.filterName ? -1 : 1));
      const { items, nextToken } = logsPage(found, limit, token);
      return {
        subscriptionFilters: items.map(({ subscription, createdAtMs }) => ({
          ...subscription,
          creationTime: createdAtMs,
        })),
        nextToken,
      };
    },
  },
} satisfies LogsFamily;

/**
 * Checks the quotas of a group. A filter with an existing name replaces that filter.
 *
 * @param max the maximum number of filters of this kind
 */
function checkQuota<Kind extends MetricFilter | SubscriptionFilter>(
  group: LogGroup,
  filters: ReadonlyMap<string, Kind>,
  name: string,
  filter: Kind,
  max: number,
): void {
  if (!filters.has(name) && filters.size >= max) throw limitExceeded();
  const predecessor: MetricFilter | SubscriptionFilter | undefined = filters.get(name);
  const others = [...group.metricFilters.values(), ...group.subscriptionFilters.values()].filter(
    it => it !== predecessor && it.pattern.regexes > 0,
  );
  if (filter.pattern.regexes > 0 && others.length >= MAX_REGEX_PATTERNS) {
    throw invalidParameter(`A log group has at most ${MAX_REGEX_PATTERNS} filter patterns with regular expressions`);
  }
}

function refuseSelections(input: FieldSelection, systemFields: readonly string[] | undefined): void {
  if (input.applyOnTransformedLogs) throw notImplemented('filters on transformed logs');
  if (input.fieldSelectionCriteria) throw notImplemented("a filter's fieldSelectionCriteria");
  if (systemFields && systemFields.length > 0) throw notImplemented('system fields in filters');
}

/** **Assumption LOGS-9:** AWS documents that the function belongs to the same account, but not the error. */
function checkPlace({ context: { place } }: LogsState, functionArn: string): void {
  const { account, region } = parseArn(functionArn) ?? {};
  if (account === place.account && region === place.region) return;
  throw invalidParameter(`The function ${functionArn} must be in the account and Region of the log group.`);
}

function checkFunction({ context, functions }: LogsState, logGroupName: string, functionArn: string): void {
  try {
    functions().invoke(functionArn, logsCaller(context, logGroupName), 'DryRun', '{}');
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    throw invalidParameter(
      'Could not execute the lambda function. Make sure you have given CloudWatch Logs permission to execute your function.',
    );
  }
}
