import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IDependable } from 'constructs';
import type { Problem } from '../../../policy/problem';
import type { DeadLetterFeeder } from '../dead-letter-feeder';

/** The dead letters somebody brings, from which alarms follow. */
export interface DeadLetterArrivals {
  readonly feeder: DeadLetterFeeder;
  /** SQS counts what is sent to a queue, and not what it moves there itself: each has an alarm of its own. */
  readonly by: 'sent' | 'moved';
  /** What the alarm calls them, as in `what topic Stack/Orders could not deliver`. */
  readonly what: string;
  /** The queue that SQS moves from. @default - it is none */
  readonly source?: IQueue;
}

/** Who has to do with a dead-letter queue: all that is particular to one kind of feeder. */
export interface Feeder {
  /** What others know it by: the path of its resource, or what names it in the templates of others. */
  readonly names: readonly (string | undefined)[];
  /** The dead letters it brings. @default - none: it is an anchor, and only names the queue */
  readonly arrivals?: DeadLetterArrivals;
  /** What AWS would reject of the queue, or never reach. @default - nothing */
  readonly problems?: (queue: IQueue) => Problem[];
  /**
   * Lets in a service that comes as itself: the policy of the queue, and of its key. Returns what must be there before
   * the feeder may send.
   * @default - it comes with a role, or is SQS itself
   */
  readonly allowService?: (scope: Construct, queue: IQueue) => IDependable[];
  /** Lets in whoever comes with a role: the policy of the role. Returns as `admit` does. @default - it comes as itself */
  readonly grantRole?: (scope: Construct, queue: IQueue) => IDependable[];
  /** The queue that names this one in its redrive policy, which the redrive-allow policy must allow. @default - none */
  readonly namedBy?: IQueue;
}
