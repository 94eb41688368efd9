import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { isDeadLetterQueue } from '../queue/dead-letters/letters-of';
import { resourcesFeeding } from '../queue/feeders/unknown-feeders';
import { atSynthesis } from '../shared/at-synthesis';
import { warn } from '../shared/checks';
import { mentions } from '../shared/mentions';

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
