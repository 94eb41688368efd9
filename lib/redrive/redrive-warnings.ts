import { Token } from 'aws-cdk-lib';
import { type CfnAlarm, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { warnOfLossyDestination } from '../queue/consumer-warnings';
import { isDeadLetterQueue, monitorOf, resourcesFeeding } from '../queue/feed';
import { retentionSeconds, warnOfForeignKey } from '../queue/queue-checks';
import { atSynthesis, knownSeconds, warn } from '../shared/checks';
import { mentions, ownedMetricAlarm } from '../shared/construct-tree';
import { neededSeconds } from './redrive-plan';
import type { RedriveProps } from './redrive-props';

const SECONDS_OF = { minute: 60, hour: 3_600, day: 86_400 } as const;

const RATE = /^rate\((\d+) (minute|hour|day)s?\)$/;

/** How often a rate fires; undefined of other expressions, and of one not known before deployment. */
function rateSeconds(expression: string): number | undefined {
  const [, count, unit] = Token.isUnresolved(expression) ? [] : (RATE.exec(expression) ?? []);
  const seconds = Object.entries(SECONDS_OF).find(([name]) => name === unit)?.[1];
  return count === undefined || seconds === undefined ? undefined : Number(count) * seconds;
}

/** How long letters lie at least: what SQS moved has spent up to its source's retention already, but in a FIFO queue. */
function lyingSeconds(deadLetterQueue: IQueue): number | undefined {
  const keptSeconds = retentionSeconds(deadLetterQueue);
  if (keptSeconds === undefined || deadLetterQueue.fifo) return keptSeconds;
  const feeders = monitorOf(deadLetterQueue)?.feeders ?? [];
  const sources = feeders.flatMap(({ construct }) => (construct instanceof Queue ? [construct] : []));
  return keptSeconds - Math.max(0, ...sources.map(source => retentionSeconds(source) ?? 0));
}

/** Letters that are gone before anything would send them home. */
function warnOfExpiry(scope: Construct, { deadLetterQueue, schedules = [], recoveryAlarms = [] }: RedriveProps): void {
  const rates = schedules.map(({ expressionString }) => rateSeconds(expressionString));
  const known = rates.filter(seconds => seconds !== undefined);
  const lieSeconds = lyingSeconds(deadLetterQueue);
  if (recoveryAlarms.length > 0 || known.length === 0 || known.length < rates.length) return;
  const oftenSeconds = Math.min(...known);
  if (lieSeconds === undefined || oftenSeconds < lieSeconds) return;
  const message = `Letters are redriven every ${oftenSeconds} s, and may lie for ${lieSeconds} s: what comes just after a run expires before the next. Redrive more often, or by a recovery.`;
  warn(scope, 'redrive-after-expiry', message);
}

function warnOfFastRate(scope: Construct, { settle, destination }: RedriveProps): void {
  const stated = knownSeconds(settle);
  const needed = neededSeconds(destination);
  if (stated === undefined || needed === undefined || stated >= needed) return;
  const message = `settle is ${stated} s, and what fails again takes up to ${needed} s to come back: the next step begins before that is known. Leave settle out.`;
  warn(scope, 'redrive-judged-too-soon', message);
}

/** Says what is legal of a redrive, and may lose messages, or tell of their fate too late. */
export function warnOfRedrive(scope: Construct, props: RedriveProps, anchor: IQueue | undefined): void {
  const { deadLetterQueue, destination } = props;
  if (deadLetterQueue.fifo) {
    const message = 'Messages of a group come after those that were sent since: order is not kept.';
    warn(scope, 'redrive-reorders', message);
  }
  atSynthesis(scope, () => warnOfExpiry(scope, props));
  warnOfFastRate(scope, props);
  warnOfAlarms(scope, props);
  warnOfUnknownSource(scope, deadLetterQueue, anchor);
  if (destination.targetQueue) warnOfForeignKey(scope, destination.targetQueue);
  warnOfLossyDestination(scope, destination);
}

/** What has no data at night, and is then neither INSUFFICIENT_DATA nor ALARM for it. */
const KEPT_OPEN: readonly string[] = [TreatMissingData.NOT_BREACHING, TreatMissingData.IGNORE];

/** What SQS measures as long as messages lie there, and is the higher for it. */
const LYING = /Approximate(NumberOfMessagesVisible|AgeOfOldestMessage)\b/;

/** Whether an alarm is not OK for want of data alone. */
function shutsWithoutData({ treatMissingData = TreatMissingData.MISSING }: CfnAlarm): boolean {
  return !Token.isUnresolved(treatMissingData) && !KEPT_OPEN.includes(treatMissingData);
}

/** Whether an alarm may fire because letters lie in the queue. */
function alarmsOnMessages(alarm: CfnAlarm, queueName: string): boolean {
  const { metricName, metrics, dimensions, stack } = alarm;
  const named = JSON.stringify(stack.resolve([metricName, metrics]));
  return LYING.test(named) && mentions(alarm, [dimensions, metrics], queueName);
}

const pathsOf = (alarms: readonly CfnAlarm[]) => alarms.map(({ node }) => node.scope?.node.path).join(', ');

/** Warns of alarms that keep a redrive from ever beginning, or for as long as nothing is wrong. */
export function warnOfAlarms(scope: Construct, props: RedriveProps): void {
  const { recoveryAlarms = [], healthAlarms = [], schedules = [], enabled = false, deadLetterQueue } = props;
  if (enabled && recoveryAlarms.length === 0 && schedules.length === 0) {
    const message = 'It is enabled, and begins no run by itself: pass schedules or recoveryAlarms.';
    warn(scope, 'redrive-by-hand-alone', message);
  }
  atSynthesis(scope, () => {
    const alarms = [...new Set([...recoveryAlarms, ...healthAlarms])].flatMap(it => ownedMetricAlarm(it) ?? []);
    const silent = alarms.filter(shutsWithoutData);
    const circular = alarms.filter(it => alarmsOnMessages(it, deadLetterQueue.queueName));
    if (silent.length > 0) {
      const message = `No run begins while there are no data, as in a quiet night: let ${pathsOf(silent)} take missing data as TreatMissingData.NOT_BREACHING or IGNORE.`;
      warn(scope, 'redrive-shut-without-data', message);
    }
    if (circular.length > 0) {
      const message = `${pathsOf(circular)} may fire because dead letters lie there, and then keeps them from going home: pass alarms on the destination.`;
      warn(scope, 'redrive-bars-itself', message);
    }
  });
}

/**
 * What shows only once the app is whole: a queue that a function consumes is at work, and what a redrive took out of it would be no
 * dead letters. The anchor would make SQS move what it refuses to otherwise. A mapping that is disabled reads nothing.
 */
export function liveQueueProblems({ queueArn, node: { root } }: IQueue): Problem[] {
  const readers = root.node
    .findAll()
    .filter(it => it instanceof CfnEventSourceMapping)
    .filter(it => it.enabled !== false && mentions(it, it.eventSourceArn, queueArn));
  const rule = 'must be a dead-letter queue, and its messages go to a function by an event source mapping';
  return readers.map(({ node: { path: value } }) => ({ property: 'deadLetterQueue', rule, value }));
}

/**
 * Warns at synthesis of a queue of which nothing says that it holds dead letters.
 * @param anchor names the queue, and says nothing of it
 */
export function warnOfUnknownSource(scope: Construct, queue: IQueue, anchor: IQueue | undefined): void {
  atSynthesis(scope, () => {
    const isKnown = isDeadLetterQueue(queue) || resourcesFeeding(queue).some(({ node }) => node.scope !== anchor);
    if (isKnown) return;
    const message = `Nothing in the app sends dead letters to ${queue.node.path}: were it a queue at work, or another app's quarantine, its messages would be taken away all the same. Say what it is: import it by DeadLetterQueue.fromQueueArn or Quarantine.fromQueueArn.`;
    warn(scope, 'redrive-source-unknown', message);
  });
}
