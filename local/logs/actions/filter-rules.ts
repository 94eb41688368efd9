import { notImplemented } from '../../kernel/aws-error';
import { invalidParameter, limitExceeded } from '../errors';
import type { LogGroup } from '../log-group';
import type { MetricFilter } from '../metric-filter';
import type { SubscriptionFilter } from '../subscription-filter';

/** Filter patterns with regular expressions that a group may have. */
const MAX_REGEX_PATTERNS = 5;

/**
 * @param max how many filters of this kind a group may have
 * @throws AwsError when the group has as many as it may have; one of the same name takes its predecessor's place
 */
export function checkQuota<Kind extends MetricFilter | SubscriptionFilter>(
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

interface FieldSelection {
  readonly applyOnTransformedLogs?: boolean | undefined;
  readonly fieldSelectionCriteria?: string | undefined;
}

/** @throws AwsError for what filters can have on AWS and not here */
export function refuseSelections(input: FieldSelection, systemFields: readonly string[] | undefined): void {
  if (input.applyOnTransformedLogs) throw notImplemented('filters on transformed logs');
  if (input.fieldSelectionCriteria) throw notImplemented("a filter's fieldSelectionCriteria");
  if (systemFields && systemFields.length > 0) throw notImplemented('system fields in filters');
}
