import { Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { RedriveProps } from '../../redrive-props';
import { knownSeconds, warn } from '../checks';
import { warnOfCarelessDestination } from '../queues/careless-consumers';
import { retentionSeconds } from '../queues/queue-facts';
import { warnOfForeignKey } from '../queues/queue-warnings';
import { neededSeconds } from './redrive-plan';

const SECONDS_OF = { minute: 60, hour: 3_600, day: 86_400 } as const;

const RATE = /^rate\((\d+) (minute|hour|day)s?\)$/;

/** How often a rate fires; undefined of other expressions, and of one not known before deployment. */
function rateSeconds(expression: string): number | undefined {
  const [, count, unit] = Token.isUnresolved(expression) ? [] : (RATE.exec(expression) ?? []);
  const seconds = Object.entries(SECONDS_OF).find(([name]) => name === unit)?.[1];
  return count === undefined || seconds === undefined ? undefined : Number(count) * seconds;
}

/** Letters that are gone before anything would send them home. */
function warnOfExpiry(scope: Construct, { deadLetterQueue, schedules = [], recoveryAlarms = [] }: RedriveProps): void {
  const keptSeconds = retentionSeconds(deadLetterQueue);
  const rates = schedules.map(({ expressionString }) => rateSeconds(expressionString));
  const known = rates.filter(seconds => seconds !== undefined);
  if (keptSeconds === undefined || recoveryAlarms.length > 0 || known.length < schedules.length) return;
  const oftenSeconds = Math.min(...known);
  if (known.length === 0 || oftenSeconds < keptSeconds) return;
  const message = `Letters are redriven every ${oftenSeconds} s and kept for ${keptSeconds} s: what comes just after a run expires before the next. Redrive more often, or by a recovery.`;
  warn(scope, 'redrive-after-expiry', message);
}

function warnOfHaste(scope: Construct, { settle, destination }: RedriveProps): void {
  const stated = knownSeconds(settle);
  const needed = neededSeconds(destination);
  if (stated === undefined || needed === undefined || stated >= needed) return;
  const message = `settle is ${stated} s, and what fails again takes up to ${needed} s to come back: the next step begins before that is known. Leave settle out.`;
  warn(scope, 'redrive-judged-too-soon', message);
}

/** Says what is legal of a redrive, and may lose messages, or tell of their fate too late. */
export function warnOfRedrive(scope: Construct, props: RedriveProps): void {
  const { deadLetterQueue, destination } = props;
  if (deadLetterQueue.fifo) {
    const message = 'Messages of a group come after those that were sent since: order is not kept.';
    warn(scope, 'redrive-reorders', message);
  }
  warnOfExpiry(scope, props);
  warnOfHaste(scope, props);
  if (destination.targetQueue) warnOfForeignKey(scope, destination.targetQueue);
  warnOfCarelessDestination(scope, destination);
}
