import { administrator, type Caller } from '../kernel/caller';
import type { Place } from '../kernel/place';
import {
  type AccessDenied,
  type Api,
  type InputOf,
  type OutputOf,
  RequestChecks,
  ServiceApi,
} from '../kernel/service-api';
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

/** A queue and its numbers of messages. */
export interface QueueDepth extends QueueIdentity {
  /** Messages that can be received. */
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
  /** Long polls that wait for a message. */
  readonly longPolls: number;
}

/**
 * Amazon SQS.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/Welcome.html
 */
export class Sqs implements Api<SqsActions> {
  /** An administrator of the queues' account. */
  readonly owner: Caller;
  private readonly directory: Directory;
  private readonly api: ServiceApi<SqsState, SqsActions>;

  constructor(context: SqsContext) {
    this.owner = administrator(context.place.account);
    this.directory = new Directory(context);
    const checks = new RequestChecks('sqs', context, accessDenied(context.place));
    this.api = new ServiceApi<SqsState, SqsActions>(checks, SQS_ACTIONS, new SqsState(context, this.directory, checks));
  }

  call<Name extends keyof SqsActions>(
    action: Name,
    caller: Caller,
    input: InputOf<SqsActions[Name]>,
  ): OutputOf<SqsActions[Name]> {
    return this.api.call(action, caller, input);
  }

  /** Whether this SQS supports an API action. */
  implements(action: string): boolean {
    return this.api.implements(action);
  }

  /** Finds a queue by its ARN. */
  queueByArn(arn: string): QueueIdentity | undefined {
    return this.directory.findByArn(arn)?.identity;
  }

  /** Finds a queue by its URL. */
  queueByUrl(url: string): QueueIdentity | undefined {
    return this.directory.findByUrl(url)?.identity;
  }

  queueByName(name: string): QueueIdentity | undefined {
    return this.directory.findByName(name)?.identity;
  }

  /** All queues, in the order in which they were created. */
  queues(): readonly QueueIdentity[] {
    return [...this.directory.all()].map(({ identity }) => identity);
  }

  /** The numbers of messages of all queues, in the order in which the queues were created. */
  depths(): readonly QueueDepth[] {
    return [...this.directory.all()].map(({ identity, store, receivers }) => ({
      ...identity,
      visible: store.visibleCount,
      inFlight: store.inFlightCount,
      delayed: store.delayedCount,
      longPolls: receivers.waiting,
    }));
  }

  /** Calls `listener` whenever a queue is deleted. */
  whenDeleted(listener: (queueArn: string) => void): void {
    this.directory.whenDeleted(listener);
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
    const receivers = this.directory.receiversOf(queueArn);
    const stop = receivers.add(listener);
    const queue = this.directory.findByArn(queueArn);
    queue?.use();
    if (queue?.store.isReceivable) receivers.announce();
    return stop;
  }
}
