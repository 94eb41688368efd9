import type { Place } from '../kernel/place';
import { type AccessDenied, RequestChecks, ServiceApi } from '../kernel/service-api';
import { SQS_ACTIONS, type SqsActions } from './actions';
import { Directory } from './queue/directory';
import { Queue, type QueueIdentity } from './queue/queue';
import { SqsState } from './sqs-state';
import type { SqsContext } from './trace-events';

/** The text recorded in a delivery-status log of SNS. */
function accessDenied({ region, urlSuffix }: Place): AccessDenied {
  const host = `https://sqs.${region}.${urlSuffix}/`;
  return (_caller, _permission, resource) => {
    const url = resource instanceof Queue ? resource.identity.url : host;
    return { code: 'AccessDenied', message: `Access to the resource ${url} is denied.`, httpStatus: 403 };
  };
}

export interface QueueDepth extends QueueIdentity {
  /** Messages that can be received. */
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
  readonly longPolls: number;
}

/**
 * Amazon SQS.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/Welcome.html
 */
export class Sqs extends ServiceApi<SqsState, SqsActions> {
  constructor(context: SqsContext) {
    const checks = new RequestChecks('sqs', context, accessDenied(context.place));
    super(checks, SQS_ACTIONS, new SqsState(context, new Directory(context), checks));
  }

  queueByArn(arn: string): QueueIdentity | undefined {
    return this.state.directory.findByArn(arn)?.identity;
  }

  queueByUrl(url: string): QueueIdentity | undefined {
    return this.state.directory.findByUrl(url)?.identity;
  }

  queueByName(name: string): QueueIdentity | undefined {
    return this.state.directory.findByName(name)?.identity;
  }

  queues(): readonly QueueIdentity[] {
    return [...this.state.directory.all()].map(({ identity }) => identity);
  }

  /** The numbers of messages of all queues, in the order in which the queues were created. */
  depths(): readonly QueueDepth[] {
    return [...this.state.directory.all()].map(({ identity, store, receivers }) => ({
      ...identity,
      visible: store.visibleCount,
      inFlight: store.inFlightCount,
      delayed: store.delayedCount,
      longPolls: receivers.waiting,
    }));
  }

  /** Calls `listener` whenever a queue is deleted. */
  whenDeleted(listener: (queueArn: string) => void): void {
    this.state.directory.whenDeleted(listener);
  }

  /**
   * Calls `listener` when messages of the queue become receivable: sent, visible again, no longer delayed, or because
   * the limit of in-flight messages is no longer reached. One call stands for any number of messages, so the listener
   * must receive until the queue returns none. The listener is called as work of its own, not
   * within another API call. The queue need not exist yet. If messages
   * are already waiting, the listener is called at once.
   * @returns a function that stops the calls
   */
  whenReceivable(queueArn: string, listener: () => void): () => void {
    const receivers = this.state.directory.receiversOf(queueArn);
    const stop = receivers.add(listener);
    const queue = this.state.directory.findByArn(queueArn);
    queue?.use();
    if (queue?.store.isReceivable) receivers.announce();
    return stop;
  }
}
