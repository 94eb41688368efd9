import type { IEventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { HttpRelay } from '../relay/http-relay';
import { FUNCTION, QUEUE } from '../shared/cdk-shapes';
import { checkArguments, having, listOf, optional, struct } from '../shared/shapes';
import { RELAY } from '../topic/delivery-shapes';
import type { TopicDelivery } from '../topic/topic-delivery';
import {
  consumedQueueDestination,
  failedEventsDestination,
  type IRedriveDestination,
  queueDestination,
  type RedriveQueueOptions,
  type ReplayedForm,
  subscriberDestination,
} from './i-redrive-destination';
import type { RedriveLane } from './redrive-lane';

const QUEUE_OPTIONS = struct<RedriveQueueOptions>({
  deadLetterQueue: optional(QUEUE),
  mappings: optional(listOf(having<IEventSourceMapping>('an event source mapping', 'eventSourceMappingId'))),
});

const LANE = having<RedriveLane>('a RedriveLane', 'queue', 'quarantine', 'mapping');

const DELIVERY = having<TopicDelivery>('a TopicDelivery', 'subscription', 'protocol');

/**
 * Where the messages of a dead-letter queue are moved. It is always explicit; SQS is never left to determine the
 * source.
 */
export class RedriveDestination implements IRedriveDestination {
  /**
   * A queue: the source of the messages, or any other of the same type, account and Region. Messages that SNS could not
   * deliver to a subscribed queue are in the format the queue would have received, including the envelope.
   *
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
   */
  public static queue(queue: IQueue, options: RedriveQueueOptions = {}): RedriveDestination {
    checkArguments('RedriveDestination.queue', { queue, options }, { queue: QUEUE, options: QUEUE_OPTIONS });
    return new RedriveDestination(queueDestination(queue, options));
  }

  /**
   * A retry lane. Each message has one automatic retry, and messages that fail again go to the lane's quarantine, which
   * no automation empties.
   */
  public static lane(lane: RedriveLane): RedriveDestination {
    checkArguments('RedriveDestination.lane', { lane }, { lane: LANE });
    const { queue, quarantine: deadLetterQueue, mapping } = lane;
    return new RedriveDestination(consumedQueueDestination({ queue, deadLetterQueue, mapping }));
  }

  /**
   * An `HttpRelay`, which retries the messages by its schedule: for its own dead letters, and for messages a topic
   * could not deliver to an HTTP/S endpoint. Messages must have SNS's envelope.
   */
  public static relay(relay: HttpRelay): RedriveDestination {
    checkArguments('RedriveDestination.relay', { relay }, { relay: RELAY });
    return new RedriveDestination(consumedQueueDestination(relay));
  }

  /**
   * The function that failed on the events in a dead-letter queue of Lambda. It is invoked once with each event again, and
   * the message is deleted when it has succeeded. A message on which it fails again goes to `quarantine`, or stays.
   *
   * The invocation is synchronous: an asynchronous one could lose the event. So the function must not have an on-success
   * destination, to which Lambda would send nothing, and its timeout must be at most 13 minutes.
   *
   * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-sync.html
   */
  public static failedEvents(handler: IFunction): RedriveDestination {
    checkArguments('RedriveDestination.failedEvents', { handler }, { handler: FUNCTION });
    return new RedriveDestination(failedEventsDestination(handler));
  }

  /**
   * The subscriber that a topic could not deliver to. A queue gets the messages; a function is invoked with the event
   * that SNS would have used, as with `failedEvents`. For an HTTP/S endpoint, use `relay` instead.
   *
   * @throws if the delivery is neither to a queue nor to a known function, or if it is to the queue of a relay without
   * SNS's envelope
   * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
   */
  public static subscriber(delivery: TopicDelivery): RedriveDestination {
    checkArguments('RedriveDestination.subscriber', { delivery }, { delivery: DELIVERY });
    return new RedriveDestination(subscriberDestination(delivery));
  }

  /** The queue that messages are moved to; undefined if a function is invoked. */
  public readonly targetQueue?: IQueue;
  /** The function that is invoked; undefined if messages are moved to a queue. */
  public readonly handler?: IFunction;
  /** The format of the messages for the function; undefined if they are moved to a queue. */
  public readonly form?: ReplayedForm;
  /** The ARN of the subscription whose messages they are, which the function's event names; undefined without one. */
  public readonly subscriptionArn?: string;
  /** The dead-letter queue of a destination queue, for messages that fail again; undefined if it is not known. */
  public readonly deadLetterQueue?: IQueue;
  /** The event source mappings that were passed, which must be enabled. */
  public readonly mappings: IEventSourceMapping[];

  private constructor(stated: IRedriveDestination) {
    this.targetQueue = stated.targetQueue;
    this.handler = stated.handler;
    this.form = stated.form;
    this.subscriptionArn = stated.subscriptionArn;
    this.deadLetterQueue = stated.deadLetterQueue;
    this.mappings = [...stated.mappings];
  }
}
