import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct, IDependable } from 'constructs';
import { admitTopic } from './access/queue';
import { warn } from './checks';

/** A dead-letter queue that sees to its own access and alarms, wherever the queue itself was created. */
export interface DeadLetterHolder extends IQueue {
  /** Lets a topic send here what it could not deliver. @returns what the subscription must depend on */
  fedByTopic(topic: ITopic): IDependable;
}

export function isDeadLetterHolder(queue: IQueue): queue is DeadLetterHolder {
  return 'fedByTopic' in queue && typeof queue.fedByTopic === 'function';
}

/** Lets `topic` send its dead letters to `queue`, whoever made it. @returns what the subscription must depend on */
export function feedFromTopic(scope: IConstruct, queue: IQueue, topic: ITopic): IDependable[] {
  if (isDeadLetterHolder(queue)) return [queue.fedByTopic(topic)];
  const message = `No alarm watches the dead letters in ${queue.node.path}: a DeadLetterQueue brings one.`;
  warn(scope, 'dead-letters-unwatched', message);
  return admitTopic(scope, queue, topic, 'its dead letters are lost');
}
