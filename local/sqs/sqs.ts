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
import { SQS_ACTIONS } from './actions';
import { Directory } from './directory';
import { SqsInternals } from './internals';
import { Queue, type QueueIdentity } from './queue';
import type { SqsActions } from './sqs-actions';
import type { SqsContext } from './trace-events';

/** The text SNS's delivery log is on record with. */
function accessDenied({ region, urlSuffix }: Place): AccessDenied {
  const host = `https://sqs.${region}.${urlSuffix}/`;
  return (_caller, _permission, resource) => {
    const url = resource instanceof Queue ? resource.identity.url : host;
    return { code: 'AccessDenied', message: `Access to the resource ${url} is denied.`, httpStatus: 403 };
  };
}

/** A queue, and how many messages it holds. */
export interface QueueDepth extends QueueIdentity {
  /** That can be received. */
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
  /** That wait for a message. */
  readonly longPolls: number;
}

/**
 * Amazon SQS.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/Welcome.html
 */
export class Sqs implements Api<SqsActions> {
  /** An administrator of the account the queues belong to. */
  readonly owner: Caller;
  private readonly directory: Directory;
  private readonly api: ServiceApi<SqsInternals, SqsActions>;

  constructor(context: SqsContext) {
    this.owner = administrator(context.place.account);
    this.directory = new Directory(context);
    const keeper = new RequestChecks('sqs', context, accessDenied(context.place));
    this.api = new ServiceApi(keeper, SQS_ACTIONS, new SqsInternals(context, this.directory, keeper));
  }

  call<Name extends keyof SqsActions>(
    action: Name,
    caller: Caller,
    input: InputOf<SqsActions[Name]>,
  ): OutputOf<SqsActions[Name]> {
    return this.api.call(action, caller, input);
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return this.api.implements(action);
  }

  /** The queue with this ARN, if there is one. */
  queueByArn(arn: string): QueueIdentity | undefined {
    return this.directory.findByArn(arn)?.identity;
  }

  /** The queue at this URL, if there is one. */
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

  /** How many messages each queue holds, in the order in which the queues were created. */
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
   * Calls `listener`, as work of its own, whenever messages of the queue have become receivable: sent, visible again,
   * no longer delayed, or because there is room in flight again. Once for any number of messages: receive until nothing
   * comes. The queue need not exist yet. A listener who comes when messages are waiting is called at once.
   *
   * @returns stops the calls
   */
  whenReceivable(queueArn: string, listener: () => void): () => void {
    const receivers = this.directory.receiversOf(queueArn);
    const stop = receivers.add(listener);
    if (this.directory.findByArn(queueArn)?.store.isReceivable) receivers.announce();
    return stop;
  }
}
