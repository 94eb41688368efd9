import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IDependable } from 'constructs';
import { isRelayQueue } from '../../relay/relay-queues';
import { throwProblems, warn } from '../../shared/checks';
import { monitorOf } from '../dead-letters/letters-of';
import { warnOfForeignKey } from '../processing/queue-warnings';
import type { Feeder } from './feeder';

/**
 * Says to a dead-letter queue who feeds it. One that does not look after itself gets the access alone, and a warning,
 * unless a relay delivers what it holds.
 * @returns what must be there before the feeder may send
 */
export function feed(scope: Construct, queue: IQueue, feeder: Feeder): IDependable[] {
  const messages = monitorOf(queue);
  if (messages) return [messages.feed(feeder)];
  throwProblems(queue.node.path, feeder.problems?.(queue) ?? []);
  if (!isRelayQueue(queue)) {
    const message = `No alarm watches the dead letters in ${queue.node.path}: a DeadLetterQueue brings one, and an ImportedDeadLetterQueue for a queue made elsewhere.`;
    warn(scope, 'dead-letters-unwatched', message);
  }
  warnOfForeignKey(scope, queue);
  return [...(feeder.grantRole?.(scope, queue) ?? []), ...(feeder.allowService?.(scope, queue) ?? [])];
}
