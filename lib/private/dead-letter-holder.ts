import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IDependable } from 'constructs';

/** A dead-letter queue that sees to its own access and alarms, wherever the queue itself was created. */
export interface DeadLetterHolder extends IQueue {
  /** Lets a topic send here what it could not deliver. @returns what the subscription must depend on */
  fedByTopic(topic: ITopic): IDependable;
}

export function isDeadLetterHolder(queue: IQueue): queue is DeadLetterHolder {
  return 'fedByTopic' in queue && typeof queue.fedByTopic === 'function';
}
