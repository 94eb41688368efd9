import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IDeadLetterQueue } from '../i-dead-letter-queue';
import type { DeadLetterMonitor } from './dead-letters';

/** The same in every copy of this library: an app may hold it twice. */
const MESSAGES: unique symbol = Symbol.for('dead-letter-office.DeadLetters');

interface Watched {
  [MESSAGES]?: DeadLetterMonitor;
}

/** Lets others find what looks after a queue. */
export function registerMonitor(queue: IDeadLetterQueue, messages: DeadLetterMonitor): void {
  Object.defineProperty(queue, MESSAGES, { value: messages });
}

/** What looks after a queue as a dead-letter queue; undefined of any other queue. */
export function monitorOf(queue: object): DeadLetterMonitor | undefined {
  const watched: Watched = queue;
  return watched[MESSAGES];
}

/** Whether a queue looks after itself as a dead-letter queue: its access and its alarms. */
export function isDeadLetterQueue(queue: IQueue): queue is IDeadLetterQueue {
  return monitorOf(queue) !== undefined;
}

/** The queue as one that looks after itself, if it is one. */
export function asDeadLetterQueue(queue: IQueue): IDeadLetterQueue | undefined {
  return isDeadLetterQueue(queue) ? queue : undefined;
}
