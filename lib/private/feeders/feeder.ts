import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IDependable } from 'constructs';
import type { IDeadLetterQueue } from '../../i-dead-letter-queue';
import type { Problem } from '../../policy/problem';

/** Who puts dead letters into a queue: all that is particular to one kind of feeder. */
export interface Feeder {
  /** What others know it by: the path of its resource, or what names it in the templates of others. */
  readonly names: readonly (string | undefined)[];
  /** SQS counts what is sent to a queue, and not what it moves there itself: each has an alarm of its own. */
  readonly arrives: 'sent' | 'moved';
  /** What AWS would reject of the queue, or never reach. @default - nothing */
  readonly problems?: (queue: IQueue) => Problem[];
  /**
   * Lets in a service that comes as itself: the policy of the queue, and of its key. Returns what must be there before
   * the feeder may send.
   * @default - it comes with a role, or is SQS itself
   */
  readonly admit?: (scope: Construct, queue: IQueue) => IDependable[];
  /** Lets in whoever comes with a role: the policy of the role. @default - it comes as itself */
  readonly grant?: (scope: Construct, queue: IQueue) => void;
  /** The queue that SQS moves from. @default - it is none */
  readonly source?: IQueue;
  /** Says it to a dead-letter queue that looks after itself. */
  readonly tell: (queue: IDeadLetterQueue) => IDependable | undefined;
}
