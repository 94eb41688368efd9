import { Token } from 'aws-cdk-lib';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { monitorOf } from '../queue/dead-letters/letters-of';
import { warnOfLossyDestination } from '../queue/processing/careless-consumers';
import { retentionSeconds } from '../queue/processing/queue-facts';
import { warnOfForeignKey } from '../queue/processing/queue-warnings';
import { atSynthesis } from '../shared/at-synthesis';
import { knownSeconds, warn } from '../shared/checks';
import { warnOfAlarms } from './alarm-warnings';
import { neededSeconds } from './redrive-plan';
import type { RedriveProps } from './redrive-props';
import { warnOfUnknownSource } from './redrive-source';

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
