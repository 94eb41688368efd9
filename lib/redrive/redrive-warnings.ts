import { Token } from 'aws-cdk-lib';
import { type CfnAlarm, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { DAY_SECONDS, HOUR_SECONDS } from '../../policy/time-units';
import { isDeadLetterQueue, monitorOf, resourcesFeeding } from '../queue/feeder-registry';
import { warnOfLossyDestination } from '../queue/lossy-consumer-warnings';
import { retentionSeconds, warnOfForeignKey } from '../queue/queue-checks';
import { atSynthesis, knownSeconds, warn } from '../shared/checks';
import { mentions, ownedMetricAlarm } from '../shared/construct-tree';
import type { RedriveProps } from './redrive-props';
import { neededSeconds } from './redrive-sizing';

const SECONDS_OF = { minute: 60, hour: HOUR_SECONDS, day: DAY_SECONDS } as const;

const RATE = /^rate\((\d+) (minute|hour|day)s?\)$/;

/** The interval of a rate expression; undefined for other expressions and for tokens. */
function rateSeconds(expression: string): number | undefined {
  const [, count, unit] = Token.isUnresolved(expression) ? [] : (RATE.exec(expression) ?? []);
  const seconds = Object.entries(SECONDS_OF).find(([name]) => name === unit)?.[1];
  return count === undefined || seconds === undefined ? undefined : Number(count) * seconds;
}

/**
 * The minimum time that messages stay in the queue. A message that SQS moved has already used up to its source's
 * retention, except in a FIFO queue.
 */
function remainingSeconds(deadLetterQueue: IQueue): number | undefined {
  const keptSeconds = retentionSeconds(deadLetterQueue);
  if (keptSeconds === undefined || deadLetterQueue.fifo) return keptSeconds;
  const feeders = monitorOf(deadLetterQueue)?.feeders ?? [];
  const sources = feeders.flatMap(({ construct }) => (construct instanceof Queue ? [construct] : []));
  return keptSeconds - Math.max(0, ...sources.map(source => retentionSeconds(source) ?? 0));
}

/** Warns about messages that expire before the next scheduled run. */
function warnOfExpiry(scope: Construct, { deadLetterQueue, schedules = [], recoveryAlarms = [] }: RedriveProps): void {
  const rates = schedules.map(({ expressionString }) => rateSeconds(expressionString));
  const known = rates.filter(seconds => seconds !== undefined);
  const keptSeconds = remainingSeconds(deadLetterQueue);
  if (recoveryAlarms.length > 0 || known.length === 0 || known.length < rates.length) return;
  const intervalSeconds = Math.min(...known);
  if (keptSeconds === undefined || intervalSeconds < keptSeconds) return;
  const message = `Messages are redriven every ${intervalSeconds} s but may expire after ${keptSeconds} s, so a message that arrives just after a run expires before the next. Redrive more often, or on recovery.`;
  warn(scope, 'redrive-after-expiry', message);
}

function warnOfFastRate(scope: Construct, { settle, destination }: RedriveProps): void {
  const stated = knownSeconds(settle);
  const needed = neededSeconds(destination);
  if (stated === undefined || needed === undefined || stated >= needed) return;
  const message = `settle is ${stated} s, but a message that fails again returns after up to ${needed} s, so the next step starts before the result is known. Leave settle out.`;
  warn(scope, 'redrive-judged-too-soon', message);
}

/** Warns about settings that are legal, but may lose messages or report a failure too late. */
export function warnOfRedrive(scope: Construct, props: RedriveProps, anchor: IQueue | undefined): void {
  const { deadLetterQueue, destination } = props;
  if (deadLetterQueue.fifo) {
    const message = 'Redriven messages of a group come after those that were sent meanwhile, so their order changes.';
    warn(scope, 'redrive-reorders', message);
  }
  atSynthesis(scope, () => warnOfExpiry(scope, props));
  warnOfFastRate(scope, props);
  warnOfAlarms(scope, props);
  warnOfUnknownSource(scope, deadLetterQueue, anchor);
  if (destination.targetQueue) warnOfForeignKey(scope, destination.targetQueue);
  warnOfLossyDestination(scope, destination);
}

/** Treatments of missing data with which an alarm stays OK while there is none, for example at night. */
const OK_WITHOUT_DATA: readonly string[] = [TreatMissingData.NOT_BREACHING, TreatMissingData.IGNORE];

/** Metrics that are sent while messages are in a queue, and are above 0 because of them. */
const QUEUE_METRICS = /Approximate(NumberOfMessagesVisible|AgeOfOldestMessage)\b/;

/** Whether missing data alone keeps an alarm from being OK. */
function needsData({ treatMissingData = TreatMissingData.MISSING }: CfnAlarm): boolean {
  return !Token.isUnresolved(treatMissingData) && !OK_WITHOUT_DATA.includes(treatMissingData);
}

/** Whether an alarm may fire because messages are in the queue. */
function alarmsOnMessages(alarm: CfnAlarm, queueName: string): boolean {
  const { metricName, metrics, dimensions, stack } = alarm;
  const named = JSON.stringify(stack.resolve([metricName, metrics]));
  return QUEUE_METRICS.test(named) && mentions(alarm, [dimensions, metrics], queueName);
}

const pathsOf = (alarms: readonly CfnAlarm[]) => alarms.map(({ node }) => node.scope?.node.path).join(', ');

/** Warns about alarms with which a redrive never starts, or does not start while there is no data. */
function warnOfAlarms(scope: Construct, props: RedriveProps): void {
  const { recoveryAlarms = [], healthAlarms = [], schedules = [], enabled = false, deadLetterQueue } = props;
  if (enabled && recoveryAlarms.length === 0 && schedules.length === 0) {
    const message = 'It is enabled but never starts a run by itself: pass schedules or recoveryAlarms.';
    warn(scope, 'redrive-by-hand-alone', message);
  }
  atSynthesis(scope, () => {
    const alarms = [...new Set([...recoveryAlarms, ...healthAlarms])].flatMap(it => ownedMetricAlarm(it) ?? []);
    const silent = alarms.filter(needsData);
    const circular = alarms.filter(it => alarmsOnMessages(it, deadLetterQueue.queueName));
    if (silent.length > 0) {
      const message = `No run starts while there is no data, for example in a quiet night: set treatMissingData of ${pathsOf(silent)} to TreatMissingData.NOT_BREACHING or IGNORE.`;
      warn(scope, 'redrive-shut-without-data', message);
    }
    if (circular.length > 0) {
      const message = `${pathsOf(circular)} may fire because of the dead letters themselves, so the redrive would never start: use alarms that watch the destination.`;
      warn(scope, 'redrive-bars-itself', message);
    }
  });
}

/**
 * Checks at synthesis that no function consumes the queue: its messages would not be dead letters. SQS itself would
 * refuse to move them, but with the anchor it does not. A disabled mapping does not count.
 */
export function liveQueueProblems({ queueArn, node: { root } }: IQueue): Problem[] {
  const readers = root.node
    .findAll()
    .filter(it => it instanceof CfnEventSourceMapping)
    .filter(it => it.enabled !== false && mentions(it, it.eventSourceArn, queueArn));
  const rule = 'must be a dead-letter queue, but an event source mapping sends its messages to a function';
  return readers.map(({ node: { path: value } }) => ({ property: 'deadLetterQueue', rule, value }));
}

/**
 * Warns at synthesis if nothing shows that a queue contains dead letters.
 * @param anchor names the queue, but is no evidence
 */
function warnOfUnknownSource(scope: Construct, queue: IQueue, anchor: IQueue | undefined): void {
  atSynthesis(scope, () => {
    const isKnown = isDeadLetterQueue(queue) || resourcesFeeding(queue).some(({ node }) => node.scope !== anchor);
    if (isKnown) return;
    const message = `Nothing in the app sends dead letters to ${queue.node.path}. If it is a queue in normal use, or a quarantine of another app, its messages would be moved too. Import it with DeadLetterQueue.fromQueueArn or Quarantine.fromQueueArn.`;
    warn(scope, 'redrive-source-unknown', message);
  });
}
