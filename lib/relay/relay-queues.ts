import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Problem } from '../../policy/problem';
import { absentProblems } from '../shared/checks';

const RELAY_QUEUES = new WeakSet<IQueue>();

export function rememberRelayQueue(queue: IQueue): void {
  RELAY_QUEUES.add(queue);
}

/** Whether a queue is one a relay delivers from: what waits there is tried again, and watched by the relay. */
export function isRelayQueue(queue: IQueue): boolean {
  return RELAY_QUEUES.has(queue);
}

/** What SNS would deliver and the relay could not read: it needs the envelope, and makes the message itself dead. */
export function envelopeProblems(queue: IQueue | undefined, rawMessageDelivery: boolean | undefined): Problem[] {
  if (!queue || !isRelayQueue(queue) || !rawMessageDelivery) return [];
  return absentProblems(
    'rawMessageDelivery',
    rawMessageDelivery,
    'where the queue is that of an HttpRelay: ask the relay for it',
  );
}
