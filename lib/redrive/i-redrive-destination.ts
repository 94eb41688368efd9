import type { IEventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Subscription, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { throwProblems } from '../shared/checks';
import { resourceOf } from '../topic/delivery-place';

/** What a `Redrive` cannot know of the queue it moves messages to. */
export interface RedriveQueueOptions {
  /**
   * The dead-letter queue of the queue. Messages that fail again are counted there. If messages return to their source,
   * it is the dead-letter queue that is emptied.
   *
   * @default - the dead-letter queue of a queue of this app; none for an imported queue
   */
  readonly deadLetterQueue?: IQueue;

  /**
   * The event source mappings that read the queue. They must be enabled, because messages must not be moved to a queue
   * without a consumer. Mappings in the stack of the `Redrive` are found automatically.
   *
   * @default - those of the same stack
   */
  readonly mappings?: IEventSourceMapping[];
}

/** The format of the messages that a function is invoked with. */
export enum ReplayedForm {
  /** The event itself, as Lambda stores it: `FailedEventForm.EVENT`. */
  EVENT = 'EVENT',

  /**
   * A message in SNS's envelope, as SNS stores what it could not deliver. The function gets the event with which SNS
   * would have invoked it.
   */
  SNS_ENVELOPE = 'SNS_ENVELOPE',
}

/** Where a `Redrive` moves the messages of a dead-letter queue. `RedriveDestination` has one factory method for each kind. */
export interface IRedriveDestination {
  /** The queue that messages are moved to; undefined if a function is invoked instead. */
  readonly targetQueue?: IQueue;

  /** The function that is invoked with each message; undefined if messages are moved to a queue. */
  readonly handler?: IFunction;

  /** What each message contains for the function; undefined if messages are moved to a queue. */
  readonly form?: ReplayedForm;

  /** The ARN of the subscription whose delivery failed, which the event of the function names; undefined without one. */
  readonly subscriptionArn?: string;

  /**
   * The dead-letter queue of the destination, where messages go that fail again; undefined if it is not known, or if a
   * function is invoked, because messages on which it fails stay where they are.
   */
  readonly deadLetterQueue?: IQueue;

  /** The event source mappings that must be enabled before messages are moved. */
  readonly mappings: IEventSourceMapping[];
}

/** A queue that one mapping consumes, such as that of a relay or a retry lane. */
interface ConsumedQueue {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly mapping: IEventSourceMapping;
}

/** A delivery of a topic, as far as its dead letters can be redriven. */
interface RedrivableDelivery {
  readonly id: string;
  readonly protocol: SubscriptionProtocol;
  readonly subscription: Subscription;
  readonly queue?: IQueue;
  readonly handler?: IFunction;
}

export function queueDestination(queue: IQueue, options: RedriveQueueOptions = {}): IRedriveDestination {
  const { deadLetterQueue = failuresOfQueue(queue), mappings = [] } = options;
  return { targetQueue: queue, ...(deadLetterQueue && { deadLetterQueue }), mappings };
}

export function consumedQueueDestination({ queue, deadLetterQueue, mapping }: ConsumedQueue): IRedriveDestination {
  return { targetQueue: queue, deadLetterQueue, mappings: [mapping] };
}

export function failedEventsDestination(handler: IFunction): IRedriveDestination {
  return functionDestination(handler, ReplayedForm.EVENT);
}

/** @throws if the delivery is neither to a queue nor to a function that is known as such */
export function subscriberDestination(delivery: RedrivableDelivery): IRedriveDestination {
  const { id, queue, handler, protocol, subscription } = delivery;
  if (queue) return queueDestination(queue);
  if (handler) {
    const subscriptionArn = resourceOf(subscription).ref;
    return { ...functionDestination(handler, ReplayedForm.SNS_ENVELOPE), subscriptionArn };
  }
  const rule =
    'must be to a queue or function of this app; for an HTTP/S endpoint use RedriveDestination.relay instead';
  throwProblems(id, [{ property: 'delivery', rule, value: protocol }]);
  return { mappings: [] };
}

function functionDestination(handler: IFunction, form: ReplayedForm): IRedriveDestination {
  return { handler, form, mappings: [] };
}

/** The dead-letter queue of a queue; undefined if it has none or is imported. */
function failuresOfQueue(queue: IQueue): IQueue | undefined {
  return queue instanceof Queue ? queue.deadLetterQueue?.queue : undefined;
}
