import { ownMember } from '../../policy/json-members';
import { MINUTE_SECONDS } from '../../policy/time-units';
import { isKnown, knownValue, type MaybeKnown, thenKnown, type Unknown } from '../../template/maybe-known';
import type { PropertyValue } from '../../template/property-values';
import type { AlarmFacts, WatchedMetricFacts } from '../inventory/inventory';
import type { AppReading, ResourceReading } from './app-reading';

/** The dimension that identifies a resource in a service's metrics. */
const DIMENSION_OF: Readonly<Record<string, string>> = {
  'AWS/SQS': 'QueueName',
  'AWS/SNS': 'TopicName',
  'AWS/Lambda': 'FunctionName',
};

function dimensionsOf(given: PropertyValue, namespace: string): Readonly<Record<string, MaybeKnown<string>>> {
  const list = given.list();
  if (!isKnown(list)) return { [ownMember(DIMENSION_OF, namespace) ?? 'unknown']: list };
  const dimensions = list.map(it => [
    knownValue(it.at('Name').requiredText()) ?? 'unknown',
    it.at('Value').requiredText(),
  ]);
  return Object.fromEntries(dimensions);
}

function metric(
  of: PropertyValue,
  statistic: MaybeKnown<string | undefined>,
  periodSeconds: MaybeKnown<number>,
): WatchedMetricFacts {
  const namespace = knownValue(of.at('Namespace').requiredText()) ?? 'unknown';
  const name = knownValue(of.at('MetricName').requiredText()) ?? 'unknown';
  const dimensions = dimensionsOf(of.at('Dimensions'), namespace);
  return { namespace, name, dimensions, statistic: knownValue(statistic) ?? 'unknown', periodSeconds };
}

/** One entry of `Metrics`: a metric, or math over other entries, which watches nothing by itself. */
function entryMetrics(entry: PropertyValue): WatchedMetricFacts[] {
  const stat = entry.at('MetricStat');
  if (stat.isPresent !== false) {
    const account = entry.at('AccountId');
    const watched = metric(stat.at('Metric'), stat.at('Stat').requiredText(), stat.at('Period').number(MINUTE_SECONDS));
    return [{ ...watched, ...(account.isPresent !== false && { accountId: account.requiredText() }) }];
  }
  return [];
}

const QUERY = /^\s*SELECT\s/i;

/** The expressions that name their metrics themselves, or may do so. */
function queriesOf(alarm: ResourceReading): MaybeKnown<string>[] {
  const entries = alarm.given('Metrics').list();
  const expressions = isKnown(entries) ? entries.map(it => it.at('Expression').text('')) : [];
  return expressions.filter(it => !isKnown(it) || QUERY.test(it));
}

function metricsOf(alarm: ResourceReading): WatchedMetricFacts[] {
  if (alarm.given('MetricName').isPresent === false) {
    const entries = alarm.given('Metrics').list();
    return isKnown(entries) ? entries.flatMap(entryMetrics) : [];
  }
  const plain = alarm.given('Statistic').text(undefined);
  const statistic = plain === undefined ? alarm.given('ExtendedStatistic').text(undefined) : plain;
  return [metric(alarm.all, statistic, alarm.given('Period').number(MINUTE_SECONDS))];
}

/** Whether an alarm compares a metric itself. It may name its only metric in a list. */
function isPlain(alarm: ResourceReading): boolean {
  if (alarm.given('MetricName').isPresent === true) return true;
  const entries = alarm.given('Metrics').list();
  const [only, ...others] = isKnown(entries) ? entries : [];
  return others.length === 0 && only?.at('MetricStat').isPresent === true;
}

const METRIC_ALARM = 'AWS::CloudWatch::Alarm';
const COMPOSITE_ALARM = 'AWS::CloudWatch::CompositeAlarm';

const OF_OTHERS: Unknown = { unknownBecause: 'is that of a composite alarm' };

/** How long a metric must be beyond its threshold. Composite alarms have no such properties. */
function evaluation(alarm: ResourceReading) {
  if (alarm.type === COMPOSITE_ALARM) {
    return { evaluationPeriods: OF_OTHERS, datapointsToAlarm: OF_OTHERS, treatMissingData: OF_OTHERS };
  }
  const evaluationPeriods = alarm.given('EvaluationPeriods').number(1);
  return {
    evaluationPeriods,
    datapointsToAlarm: thenKnown(evaluationPeriods, periods => alarm.given('DatapointsToAlarm').number(periods)),
    treatMissingData: alarm.given('TreatMissingData').text('missing'),
  };
}

export function readAlarms(app: AppReading): AlarmFacts[] {
  return app.resources(METRIC_ALARM, COMPOSITE_ALARM).map(it => {
    const queries = queriesOf(it);
    return {
      ...it.as(it.attribute('Arn')),
      metrics: metricsOf(it),
      isPlain: isPlain(it),
      ...(queries.length > 0 && { queries }),
      ...(it.type === COMPOSITE_ALARM && { rule: it.given('AlarmRule').requiredText() }),
      comparison: it.given('ComparisonOperator').text(undefined),
      threshold: it.given('Threshold').number(undefined),
      ...evaluation(it),
      actionsEnabled: it.given('ActionsEnabled').flag(true),
      alarmActions: it.given('AlarmActions').texts(),
    };
  });
}
