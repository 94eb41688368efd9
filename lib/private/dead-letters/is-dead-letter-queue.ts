import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IDeadLetterQueue } from '../../i-dead-letter-queue';

/** By what only such a queue has, and not by its class: an app may hold this library twice. */
const ITS_OWN = ['fedByTopic', 'fedByFunction', 'fedByQueue', 'fedByRule', 'fedBySchedule', 'fedByRole'] as const;

/** Whether a queue looks after itself as a dead-letter queue: its access and its alarms. */
export function isDeadLetterQueue(queue: IQueue): queue is IDeadLetterQueue {
  const members = queue as IQueue & Partial<Record<(typeof ITS_OWN)[number], unknown>>;
  return ITS_OWN.every(name => typeof members[name] === 'function');
}
