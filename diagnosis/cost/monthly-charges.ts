import { DAY_SECONDS, HOUR_SECONDS } from '../../policy/time-units';
import { isKnown, knownValue } from '../../template/maybe-known';
import type { PropertyValue } from '../../template/property-values';
import type { ResourceReading } from '../template-reader/app-reading';
import { LONG_POLL_SECONDS, MAPPING_POLLERS, MONTH_SECONDS } from './assumptions';
import { type Counted, charger, chargesOnly, functionCharges, NOTHING, together, unknownOf } from './charge';
import type { CostedApp } from './costed-app';
import { usageIn } from './declared-usage';
import type { PriceName } from './price-list';

/** Resources that cost the same every month. */
const FLAT: Readonly<Record<string, PriceName>> = {
  'AWS::CloudWatch::CompositeAlarm': 'compositeAlarm',
  'AWS::CloudWatch::Dashboard': 'dashboard',
  'AWS::KMS::Key': 'key',
  'AWS::KMS::ReplicaKey': 'key',
  'AWS::SecretsManager::Secret': 'secret',
};

const HIGH_RESOLUTION_SECONDS = 60;

/** The upper and the lower bound of an anomaly detection band. */
const BAND_METRICS = 2;

const QUERY = /^\s*SELECT\s/i;

/** The metrics that an alarm watches, each with the property of its period. Undefined if it finds them with a query. */
function watchedPeriods(alarm: ResourceReading): readonly PropertyValue[] | undefined {
  if (alarm.given('MetricName').isPresent !== false) return [alarm.given('Period')];
  const entries = alarm.given('Metrics').list();
  if (!isKnown(entries)) return undefined;
  const expressions = entries.map(it => it.at('Expression').text(''));
  if (expressions.some(it => !isKnown(it) || QUERY.test(it))) return undefined;
  return entries.map(it => it.at('MetricStat')).flatMap(it => (it.isPresent ? [it.at('Period')] : []));
}

/** AWS bills an alarm for each metric that it evaluates, also those of metric math. */
function alarmCharges(alarm: ResourceReading): Counted {
  const billed = alarm.as('');
  const periods = watchedPeriods(alarm);
  if (!periods) return unknownOf(billed, 'the number of metrics of this alarm is unknown, so it is not counted');
  const band = alarm.given('ThresholdMetricId').isPresent ? BAND_METRICS : 0;
  const isHighResolution = periods.some(it => {
    const seconds = it.number(HIGH_RESOLUTION_SECONDS);
    return isKnown(seconds) && seconds < HIGH_RESOLUTION_SECONDS;
  });
  const charge = charger(billed, 'month');
  return chargesOnly([charge(isHighResolution ? 'highResolutionAlarmMetric' : 'alarmMetric', periods.length + band)]);
}

/** Lambda polls a queue also while it is empty. */
function pollingCharges(mapping: ResourceReading, { app }: CostedApp): Counted {
  const source = mapping.given('EventSourceArn').text('');
  const billed = mapping.as('');
  if (!isKnown(source)) return unknownOf(billed, 'its event source is unknown, so its polls are not counted');
  const isDisabled = knownValue(mapping.given('Enabled').flag(true)) === false;
  if (!source.includes(':sqs:') || isDisabled) return NOTHING;
  if (mapping.given('ProvisionedPollerConfig').isPresent) {
    return unknownOf(billed, 'provisioned pollers are billed by the hour, and are not counted');
  }
  const queue = app.resources('AWS::SQS::Queue').find(it => it.attribute('Arn') === source);
  const isFifo = queue ? knownValue(queue.given('FifoQueue').flag(false)) === true : source.endsWith('.fifo');
  const receives = (MAPPING_POLLERS * MONTH_SECONDS) / LONG_POLL_SECONDS;
  const charge = charger(billed, 'month');
  return chargesOnly([charge(isFifo ? 'fifoQueueRequest' : 'queueRequest', receives, 'empty receives')]);
}

/** The functions that a rule or a schedule invokes, as far as they are part of the app. */
function targetsOf(scheduled: ResourceReading, costed: CostedApp): readonly ResourceReading[] {
  const targets = scheduled.given(scheduled.type === 'AWS::Events::Rule' ? 'Targets' : 'Target').list();
  return isKnown(targets) ? targets.flatMap(it => costed.functionAt(it.at('Arn').text('')) ?? []) : [];
}

/** The invocations of a schedule. AWS bills those of Scheduler. Those of a scheduled rule cost only what they invoke. */
function scheduleCharges(scheduled: ResourceReading, costed: CostedApp): Counted {
  const expression = scheduled.given('ScheduleExpression').text(undefined);
  const state = scheduled.given('State').text('ENABLED');
  if (expression === undefined || state === 'DISABLED') return NOTHING;
  const billed = scheduled.as('');
  const invocations = isKnown(expression) ? invocationsAMonth(expression) : undefined;
  if (invocations === undefined || !isKnown(state)) {
    return unknownOf(billed, 'how often it runs is unknown, so its invocations are not counted');
  }
  const isSchedule = scheduled.type === 'AWS::Scheduler::Schedule';
  const own = isSchedule ? [charger(billed, 'month')('scheduledInvocation', invocations)] : [];
  const runs = { invocations, messages: 0, billedFor: 'month', purpose: 'by schedule' } as const;
  const run = targetsOf(scheduled, costed).map(it => functionCharges(it, runs, costed.assumptions));
  return together([chargesOnly(own), ...run]);
}

/** The custom metrics that functions of this package write while nothing happens. */
function idleMetricCharges(handler: ResourceReading): Counted {
  const { idleMetrics = 0 } = usageIn(handler.metadata) ?? {};
  return chargesOnly(idleMetrics > 0 ? [charger(handler.as(''), 'month')('customMetric', idleMetrics)] : []);
}

/** What an app costs in a month without messages. */
export function monthlyCharges(costed: CostedApp): Counted {
  const { app } = costed;
  const flat = Object.entries(FLAT).flatMap(([type, price]) =>
    app.resources(type).map(it => charger(it.as(''), 'month')(price, 1)),
  );
  return together([
    ...app.resources('AWS::CloudWatch::Alarm').map(alarmCharges),
    chargesOnly(flat),
    ...app.resources('AWS::Lambda::EventSourceMapping').map(it => pollingCharges(it, costed)),
    ...app.resources('AWS::Events::Rule', 'AWS::Scheduler::Schedule').map(it => scheduleCharges(it, costed)),
    ...app.resources('AWS::Lambda::Function').map(idleMetricCharges),
  ]);
}

/** The metrics of a metric filter exist in hours in which it finds something, and have a price in these hours only. */
function filterMetricCharges(filter: ResourceReading): Counted {
  const billed = filter.as('');
  const transformations = filter.given('MetricTransformations').list();
  if (!isKnown(transformations)) return unknownOf(billed, 'its metrics are unknown, so they are not counted');
  return chargesOnly([charger(billed, 'metrics')('customMetric', transformations.length)]);
}

/** The custom metrics that have a price in hours in which they have data. */
export function metricCharges({ app }: CostedApp): Counted {
  const busy = app.resources('AWS::Lambda::Function').flatMap(it => {
    const { busyMetrics = 0 } = usageIn(it.metadata) ?? {};
    return busyMetrics > 0 ? [charger(it.as(''), 'metrics')('customMetric', busyMetrics)] : [];
  });
  return together([chargesOnly(busy), ...app.resources('AWS::Logs::MetricFilter').map(filterMetricCharges)]);
}

const RATE = /^rate\(\s*(\d+)\s+(minute|hour|day)s?\s*\)$/;
const AT = /^at\(.*\)$/;
const CRON = /^cron\(\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*\)$/;

const UNIT_SECONDS: Readonly<Record<string, number>> = { minute: 60, hour: HOUR_SECONDS, day: DAY_SECONDS };

const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** A field of a cron expression: its values, and their names. */
interface Field {
  readonly first: number;
  readonly last: number;
  readonly names?: readonly string[];
}

const MINUTES: Field = { first: 0, last: 59 };
const HOURS: Field = { first: 0, last: 23 };
const DAYS: Field = { first: 1, last: 31 };
const MONTHS_OF_A_YEAR: Field = { first: 1, last: 12, names: MONTHS };
const DAYS_OF_A_WEEK: Field = { first: 1, last: 7, names: WEEKDAYS };

const DIGITS = /^\d+$/;

function numberOf(text: string, { first, names = [] }: Field): number {
  const named = names.indexOf(text.toUpperCase());
  if (named !== -1) return first + named;
  return DIGITS.test(text) ? Number(text) : Number.NaN;
}

/** The number of values that a part without a comma selects; undefined if it is not a range, a step or a value. */
function countOfPart(part: string, field: Field): number | undefined {
  const [range = '', step, ...others] = part.split('/');
  const by = step === undefined ? 1 : Number(step);
  if (others.length > 0 || !Number.isInteger(by) || by < 1) return undefined;
  const bounds = range === '*' ? [field.first, field.last] : range.split('-').map(it => numberOf(it, field));
  const [from, to = step === undefined ? from : field.last] = bounds;
  const isValid = [from, to].every(it => Number.isInteger(it));
  if (from === undefined || to === undefined || !isValid || bounds.length > 2 || to < from) return undefined;
  return Math.floor((to - from) / by) + 1;
}

function countOf(text: string, field: Field): number | undefined {
  const counts = text.split(',').map(part => countOfPart(part, field));
  return counts.reduce((sum, count) => (sum === undefined || count === undefined ? undefined : sum + count), 0);
}

const ANY = new Set(['*', '?']);

/** Days like the last one of the month (`L`) or the second Monday (`2#2`) happen once a month. */
const ONCE_A_MONTH = /^(L|LW|\d+W|L-\d+|\w+L|\w+#\d)$/i;

const WEEKS_A_MONTH = MONTH_SECONDS / (7 * DAY_SECONDS);

function daysAMonth(dayOfMonth: string, dayOfWeek: string): number | undefined {
  if (ONCE_A_MONTH.test(dayOfMonth) || (ONCE_A_MONTH.test(dayOfWeek) && !WEEKDAYS.includes(dayOfWeek))) return 1;
  if (!ANY.has(dayOfWeek)) {
    const weekdays = countOf(dayOfWeek, DAYS_OF_A_WEEK);
    return weekdays === undefined ? undefined : weekdays * WEEKS_A_MONTH;
  }
  return ANY.has(dayOfMonth) ? MONTH_SECONDS / DAY_SECONDS : countOf(dayOfMonth, DAYS);
}

/**
 * The average number of invocations of a schedule in a month: none for a time that happens once. Undefined if the
 * expression is not one of AWS's.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
 */
export function invocationsAMonth(expression: string): number | undefined {
  const [, count = '', unit = ''] = RATE.exec(expression) ?? [];
  const everySeconds = Number(count) * (UNIT_SECONDS[unit] ?? 0);
  if (everySeconds > 0) return MONTH_SECONDS / everySeconds;
  if (AT.test(expression)) return 0;
  const [, minutes = '', hours = '', dayOfMonth = '', months = '', dayOfWeek = ''] = CRON.exec(expression) ?? [];
  const parts = [
    countOf(minutes, MINUTES),
    countOf(hours, HOURS),
    daysAMonth(dayOfMonth, dayOfWeek),
    countOf(months, MONTHS_OF_A_YEAR),
  ];
  const product = parts.reduce((all, part) => (all === undefined || part === undefined ? undefined : all * part), 1);
  return product === undefined ? undefined : product / MONTHS.length;
}
