import { nameInArn } from '../../../policy/arn';
import { arnIn, type Place } from '../../kernel/place';
import type { SqsContext } from '../trace-events';
import { Queue, type QueueIdentity } from './queue';
import type { AttributeMap } from './queue-attributes';
import { Receivers } from './receivers';

export class Directory {
  private readonly byName = new Map<string, Queue>();
  private readonly deletedMs = new Map<string, number>();
  private readonly receivers = new Map<string, Receivers>();
  private readonly deletionListeners: ((queueArn: string) => void)[] = [];

  constructor(private readonly context: SqsContext) {}

  all(): IterableIterator<Queue> {
    return this.byName.values();
  }

  findByName(name: string): Queue | undefined {
    return this.byName.get(name);
  }

  findByArn(arn: string): Queue | undefined {
    const queue = this.byName.get(nameInArn(arn));
    return queue?.arn === arn ? queue : undefined;
  }

  /** The ARN of a queue of this name, which need not exist. */
  arnOf(name: string): string {
    return arnIn(this.context.place, 'sqs', name);
  }

  /** Finds a queue by the account id and name in its URL. The host may be any. */
  findByUrl(url: string): Queue | undefined {
    const name = nameInUrl(url, this.context.place);
    return name === undefined ? undefined : this.byName.get(name);
  }

  /** When a queue of this name was deleted, in milliseconds since the Unix epoch. */
  deletedAtMs(name: string): number | undefined {
    return this.deletedMs.get(name);
  }

  create(name: string, attributes: AttributeMap): Queue {
    const identity = identityOf(name, this.context.place);
    const queue = new Queue(identity, attributes, this.receiversOf(identity.arn), this, this.context);
    this.byName.set(name, queue);
    return queue;
  }

  delete(queue: Queue): number {
    this.byName.delete(queue.identity.name);
    this.deletedMs.set(queue.identity.name, this.context.timeline.nowMs);
    const messages = queue.close();
    for (const tell of this.deletionListeners) tell(queue.arn);
    return messages;
  }

  whenDeleted(listener: (queueArn: string) => void): void {
    this.deletionListeners.push(listener);
  }

  /** The receivers of the queue with this ARN. They may exist before the queue does. */
  receiversOf(arn: string): Receivers {
    const known = this.receivers.get(arn);
    if (known) return known;
    const receivers = new Receivers(this.context.timeline);
    this.receivers.set(arn, receivers);
    return receivers;
  }
}

export function identityOf(name: string, place: Place): QueueIdentity {
  return {
    name,
    arn: arnIn(place, 'sqs', name),
    url: `https://sqs.${place.region}.${place.urlSuffix}/${place.account}/${name}`,
  };
}

/**
 * Returns the queue name in a queue URL of this account. A URL may have any host, and a bare name is accepted as is.
 */
export function nameInUrl(url: string, place: Place): string | undefined {
  const slash = url.lastIndexOf('/');
  const name = url.slice(slash + 1);
  if (slash === -1) return name;
  return url.slice(url.lastIndexOf('/', slash - 1) + 1, slash) === place.account ? name : undefined;
}
