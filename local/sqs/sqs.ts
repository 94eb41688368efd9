import type { Api, InputOf, OutputOf } from '../kernel/api';
import { AwsError } from '../kernel/aws-error';
import { administrator, type Caller } from '../kernel/caller';
import type { SqsContext } from './context';
import { Desk } from './desk';
import { Directory } from './directory';
import { type Doors, sqsDoors } from './doors';
import type { QueueIdentity } from './queue';
import type { SqsActions } from './sqs-actions';

/**
 * Amazon SQS: standard queues. FIFO queues and message move tasks are refused by name, never half done.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/Welcome.html
 */
export class Sqs implements Api<SqsActions> {
  /** An administrator of the account the queues belong to. */
  readonly owner: Caller;
  private readonly directory: Directory;
  private readonly doors: Doors;

  constructor(context: SqsContext) {
    this.owner = administrator(context.place.account);
    this.directory = new Directory(context);
    this.doors = sqsDoors(new Desk(context, this.directory));
  }

  call<Name extends keyof SqsActions>(
    action: Name,
    caller: Caller,
    input: InputOf<SqsActions[Name]>,
  ): OutputOf<SqsActions[Name]> {
    if (!this.implements(action)) {
      throw new AwsError('InvalidAction', `The action ${action} is not implemented by the embedded SQS.`, 501);
    }
    return this.doors[action]({ caller, input });
  }

  implements(action: string): action is keyof SqsActions {
    return Object.hasOwn(this.doors, action);
  }

  /** The queue with this ARN, if there is one. */
  queueByArn(arn: string): QueueIdentity | undefined {
    return this.directory.findByArn(arn)?.identity;
  }

  /** The queue at this URL, if there is one. */
  queueByUrl(url: string): QueueIdentity | undefined {
    return this.directory.findByUrl(url)?.identity;
  }

  /** All queues, in the order in which they were created. */
  queues(): readonly QueueIdentity[] {
    return [...this.directory.all()].map(({ identity }) => identity);
  }

  /**
   * Calls `listener`, as work of its own, whenever messages of the queue have become receivable: sent, visible again,
   * no longer delayed, or because there is room in flight again. Once for any number of messages: receive until nothing
   * comes. The queue need not exist yet. A listener who comes when messages are waiting is called at once.
   *
   * @returns stops the calls
   */
  whenReceivable(queueArn: string, listener: () => void): () => void {
    const receivers = this.directory.receiversOf(queueArn);
    const stop = receivers.add(listener);
    const queue = this.directory.findByArn(queueArn);
    if (queue && queue.store.visibleCount > 0) receivers.announce();
    return stop;
  }
}
