import type { IEventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { HttpRelay } from '../relay/http-relay';
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

/** Where the letters of a dead-letter queue go home to. It is always stated: SQS is never left to find out. */
export class RedriveDestination implements IRedriveDestination {
  /**
   * A queue: the one letters came from, or any other of the same type, account and Region. Letters that SNS kept for a queue that
   * subscribes are what the queue would have got, envelope and all.
   *
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
   */
  public static queue(queue: IQueue, options: RedriveQueueOptions = {}): RedriveDestination {
    return new RedriveDestination(queueDestination(queue, options));
  }

  /**
   * A retry lane: each letter has one automatic pass, and what fails again is in the lane's quarantine, where no automation takes it
   * out.
   */
  public static lane(lane: RedriveLane): RedriveDestination {
    const { queue, quarantine: deadLetterQueue, mapping } = lane;
    return new RedriveDestination(consumedQueueDestination({ queue, deadLetterQueue, mapping }));
  }

  /**
   * An `HttpRelay`, which tries by its schedule what it is given: for its own dead letters, and for those a topic could not deliver to
   * an HTTP/S endpoint. Letters must be SNS's envelopes.
   */
  public static relay(relay: HttpRelay): RedriveDestination {
    return new RedriveDestination(consumedQueueDestination(relay));
  }

  /**
   * The function that failed on the events which a dead-letter queue of Lambda keeps: it is invoked with each anew,
   * asynchronously, so that Lambda retries it, and keeps it, as it did before.
   *
   * Where it is a version or alias, or one that was made elsewhere, make the `FunctionFailures` of its function first.
   *
   * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async.html
   */
  public static failedEvents(handler: IFunction): RedriveDestination {
    return new RedriveDestination(failedEventsDestination(handler));
  }

  /**
   * Whoever a topic delivers to, for what it could not deliver: a queue gets the letters, and a function is invoked with the event
   * SNS would have invoked it with. An endpoint has no place for letters: pass the relay that is to deliver them to `relay`.
   *
   * @throws if the delivery is neither to a queue nor to a function that is known as such, or, to a queue of a relay, without
   * SNS's envelope
   * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
   */
  public static subscriber(delivery: TopicDelivery): RedriveDestination {
    return new RedriveDestination(subscriberDestination(delivery));
  }

  /** The queue letters go to; undefined where a function is invoked. */
  public readonly targetQueue?: IQueue;
  /** The function that is invoked; undefined where letters go to a queue. */
  public readonly handler?: IFunction;
  /** What letters hold for the function; undefined where they go to a queue. */
  public readonly form?: ReplayedForm;
  /** The subscription whose letters they are, which the function's event names; undefined without one. */
  public readonly subscriptionArn?: string;
  /** Where what it fails on again ends; undefined where that is not known. */
  public readonly deadLetterQueue?: IQueue;
  /** Event source mappings that must be enabled, as far as they were stated. */
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
