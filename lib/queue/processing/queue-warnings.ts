import { type Duration, Token, TokenComparison } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { warn } from '../../shared/checks';
import { ownedQueue, QUEUE_DEFAULTS, retentionSeconds } from './queue-facts';

/** How soon after a dead letter comes somebody is to see to it. */
interface Attention {
  /** How long the queue keeps a message, or undefined where that is not known before deployment. */
  readonly keptSeconds: number | undefined;
  readonly timeToRespondSeconds: number;
  /** How long letters may lie before an alarm speaks of them again, or undefined where none does. */
  readonly unattendedSeconds: number | undefined;
}

/** Warns of a dead-letter queue that throws its letters away before anybody was to see to them. */
export function warnOfShortKeeping(queue: IQueue, attention: Attention): void {
  const { keptSeconds, timeToRespondSeconds, unattendedSeconds = 0 } = attention;
  if (keptSeconds === undefined) return;
  const late = [
    ...(keptSeconds < timeToRespondSeconds ? [`timeToRespond is ${timeToRespondSeconds} s`] : []),
    ...(keptSeconds <= unattendedSeconds ? [`unattendedAfter is ${unattendedSeconds} s`] : []),
  ];
  if (late.length === 0) return;
  const message = `It keeps dead letters for ${keptSeconds} s, and ${late.join(' and ')}: they are gone before anybody need look. Keep them for longer.`;
  warn(queue, 'dead-letters-kept-too-short', message);
}

/** Warns of an age no message reaches, because it expires first. */
export function warnOfUnreachableAge(queue: IQueue, thresholdSeconds: number | undefined): void {
  const keptSeconds = retentionSeconds(queue);
  if (thresholdSeconds === undefined || keptSeconds === undefined || thresholdSeconds < keptSeconds) return;
  const message = `The age alarm fires above ${thresholdSeconds} s, and a message is kept for ${keptSeconds} s: it expires, and no alarm has fired. Lower ageAlarmThreshold, or keep messages for longer.`;
  warn(queue, 'age-alarm-never-fires', message);
}

/** Warns of a message that expires between its receives, and so is never moved. @param receives after so many it is */
export function warnOfExpiryBeforeMove(queue: IQueue, receives: number): void {
  const keptSeconds = retentionSeconds(queue);
  const visibleSeconds = ownedQueue(queue)?.visibilityTimeout ?? QUEUE_DEFAULTS.visibilityTimeoutSeconds;
  if (keptSeconds === undefined || Token.isUnresolved(receives) || Token.isUnresolved(visibleSeconds)) return;
  const neededSeconds = receives * visibleSeconds;
  if (neededSeconds < keptSeconds) return;
  const message = `${receives} receives with a visibility timeout of ${visibleSeconds} s take ${neededSeconds} s, and a message is kept for ${keptSeconds} s: what always fails expires, and is never a dead letter. Lower one of both, or keep messages for longer.`;
  warn(queue, 'expires-before-last-receive', message);
}

/** Warns of durations that were stated, and that no alarm can have: what is not known before deployment. */
export function warnOfUnknownDuration(queue: IQueue, durations: Readonly<Record<string, Duration | undefined>>): void {
  const unknown = Object.entries(durations).filter(([, duration]) => duration?.isUnresolved());
  for (const [property] of unknown) {
    const message = `${property} is a token, not known before deployment, and the default counts in its place: state a number.`;
    warn(queue, 'duration-not-known', message);
  }
}

/** Warns of a key that only another account's owner can open to those who are to read the dead letters. */
export function warnOfForeignKey(scope: Construct, queue: IQueue): void {
  const { encryptionMasterKey: key } = queue;
  if (!key || Token.compareStrings(key.env.account, queue.env.account) !== TokenComparison.DIFFERENT) return;
  const message = `${queue.node.path} is encrypted with a key of account ${key.env.account}: unless that account lets account ${queue.env.account} use kms:Decrypt, nobody here can read or redrive what is in it. Use a key of the queue's own account.`;
  warn(scope, 'key-of-another-account', message);
}
