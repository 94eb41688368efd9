import { type IQueue, Queue, type QueueAttributes } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { markQuarantines } from '../queue/dead-letter-alarms';
import { DeadLetterQueue } from '../queue/dead-letter-queue';
import { ImportedDeadLetterQueue } from '../queue/imported-dead-letter-queue';

/**
 * A dead-letter queue for messages that failed again after a `Redrive` moved them.
 *
 * It has everything a `DeadLetterQueue` has. No `Redrive` can empty it; one that tries fails at synthesis. So its
 * messages have had their one automatic retry and wait for an operator. The descriptions of its alarms say so, and what
 * to do.
 *
 * A `RedriveLane` creates one. Create one yourself to share it between lanes, or for a `Redrive` that invokes a
 * function.
 */
export class Quarantine extends DeadLetterQueue {
  /** Imports a quarantine. Its alarms have no actions. No `Redrive` can empty it either. */
  public static override fromQueueArn(scope: Construct, id: string, queueArn: string): IQueue {
    return Quarantine.fromQueueAttributes(scope, id, { queueArn });
  }

  /** Imports a dead-letter queue that has a key. */
  public static override fromQueueAttributes(scope: Construct, id: string, attrs: QueueAttributes): IQueue {
    return new ImportedQuarantine(scope, id, { queue: Queue.fromQueueAttributes(scope, `${id}Queue`, attrs) });
  }
}

class ImportedQuarantine extends ImportedDeadLetterQueue {}

markQuarantines(Quarantine);
markQuarantines(ImportedQuarantine);
