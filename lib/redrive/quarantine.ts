import { type IQueue, Queue, type QueueAttributes } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { markQuarantines } from '../queue/dead-letter-alarms';
import { DeadLetterQueue } from '../queue/dead-letter-queue';
import { ImportedDeadLetterQueue } from '../queue/imported-dead-letter-queue';

/**
 * A dead-letter queue at the end of automation: it keeps what failed again after a `Redrive` had sent it home.
 *
 * It has all a `DeadLetterQueue` has. But no `Redrive` takes anything out of it, on whatever it is asked to: such a one
 * fails at synthesis. So whatever is here has had its one automatic pass, and waits for a human. Its alarms say so, and what to
 * do.
 *
 * A `RedriveLane` brings one. Make one yourself for several lanes to share, or for a `Redrive` that invokes a function.
 */
export class Quarantine extends DeadLetterQueue {
  /** A quarantine that was made elsewhere, with its alarms, which tell nobody. No `Redrive` takes anything out of it either. */
  public static override fromQueueArn(scope: Construct, id: string, queueArn: string): IQueue {
    return Quarantine.fromQueueAttributes(scope, id, { queueArn });
  }

  /** The same, of a queue that has a key. */
  public static override fromQueueAttributes(scope: Construct, id: string, attrs: QueueAttributes): IQueue {
    return new ImportedQuarantine(scope, id, { queue: Queue.fromQueueAttributes(scope, `${id}Queue`, attrs) });
  }
}

class ImportedQuarantine extends ImportedDeadLetterQueue {}

markQuarantines(Quarantine);
markQuarantines(ImportedQuarantine);
