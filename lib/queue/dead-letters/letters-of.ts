import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IDeadLetterQueue } from '../i-dead-letter-queue';
import type { DeadLetters } from './dead-letters';

/** The same in every copy of this library: an app may hold it twice. */
const LETTERS: unique symbol = Symbol.for('dead-letter-office.DeadLetters');

interface Watched {
  [LETTERS]?: DeadLetters;
}

/** Lets others find what looks after a queue. */
export function rememberLetters(queue: IDeadLetterQueue, letters: DeadLetters): void {
  Object.defineProperty(queue, LETTERS, { value: letters });
}

/** What looks after a queue as a dead-letter queue; undefined of any other queue. */
export function lettersOf(queue: object): DeadLetters | undefined {
  const watched: Watched = queue;
  return watched[LETTERS];
}

/** Whether a queue looks after itself as a dead-letter queue: its access and its alarms. */
export function isDeadLetterQueue(queue: IQueue): queue is IDeadLetterQueue {
  return lettersOf(queue) !== undefined;
}

/** The queue as one that looks after itself, if it is one. */
export function asDeadLetterQueue(queue: IQueue): IDeadLetterQueue | undefined {
  return isDeadLetterQueue(queue) ? queue : undefined;
}
