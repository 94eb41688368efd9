import { type IEventSourceMapping, type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type IQueue, Queue, QueueBase } from 'aws-cdk-lib/aws-sqs';
import { isDeadLetterQueue } from '../queue/feed';
import { DeadLetterFeederKind } from '../queue/i-dead-letter-queue';
import type { HttpRelay } from '../relay/http-relay';
import { throwProblems } from '../shared/checks';
import { functionBehind } from '../shared/construct-tree';
import { resourceOf } from '../topic/recipient';
import type { TopicDelivery } from '../topic/topic-delivery';
import type { RedriveLane } from './redrive-lane';

/** What of a queue letters go to is not known by itself. */
export interface RedriveQueueOptions {
  /**
   * Where what the queue's consumer fails on again ends: what comes back is counted there. It is the dead-letter queue that is
   * emptied, where letters go back to where they came from.
   *
   * @default - the dead-letter queue of a queue that is made in this app, and none of one that was made elsewhere
   */
  readonly deadLetterQueue?: IQueue;

  /**
   * Event source mappings that read the queue, and must be enabled: a queue nobody reads is no destination. Those of the
   * stack of the `Redrive` are found by themselves.
   *
   * @default - those of the same stack
   */
  readonly mappings?: IEventSourceMapping[];
}

/** What a letter holds that a function is invoked with. */
export enum ReplayedForm {
  /** The event itself, as Lambda keeps it: `FailedEventForm.EVENT`. */
  EVENT = 'EVENT',

  /**
   * SNS's envelope around a message, as SNS keeps what it could not deliver. The function gets the event SNS would have invoked
   * it with.
   */
  SNS_ENVELOPE = 'SNS_ENVELOPE',
}

interface Destination {
  readonly queue?: IQueue;
  readonly handler?: IFunction;
  readonly form?: ReplayedForm;
  readonly subscriptionArn?: string | undefined;
  readonly deadLetterQueue?: IQueue | undefined;
  readonly mappings?: readonly IEventSourceMapping[] | undefined;
}

/** Where the letters of a dead-letter queue go home to. It is always stated: SQS is never left to find out. */
export class RedriveDestination {
  /**
   * A queue: the one letters came from, or any other of the same type, account and Region. Letters that SNS kept for a queue that
   * subscribes are what the queue would have got, envelope and all.
   *
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
   */
  public static queue(queue: IQueue, options: RedriveQueueOptions = {}): RedriveDestination {
    const { deadLetterQueue = failuresOfQueue(queue), mappings } = options;
    return new RedriveDestination({ queue, deadLetterQueue, mappings });
  }

  /**
   * A retry lane: each letter has one automatic pass, and what fails again is in the lane's quarantine, where no automation takes it
   * out.
   */
  public static lane(lane: RedriveLane): RedriveDestination {
    const { queue, quarantine: deadLetterQueue, mapping } = lane;
    return new RedriveDestination({ queue, deadLetterQueue, mappings: [mapping] });
  }

  /**
   * An `HttpRelay`, which tries by its schedule what it is given: for its own dead letters, and for those a topic could not deliver to
   * an HTTP/S endpoint. Letters must be SNS's envelopes.
   */
  public static relay(relay: HttpRelay): RedriveDestination {
    const { queue, deadLetterQueue, mapping } = relay;
    return new RedriveDestination({ queue, deadLetterQueue, mappings: [mapping] });
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
    return new RedriveDestination({ handler, form: ReplayedForm.EVENT, deadLetterQueue: failuresOfFunction(handler) });
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
    const { id, queue, handler, protocol, subscription } = delivery;
    if (queue) return RedriveDestination.queue(queue);
    const rule =
      'must be to a queue or function of the app; what goes to an endpoint is given to RedriveDestination.relay';
    throwProblems(id, handler ? [] : [{ property: 'delivery', rule, value: protocol }]);
    return new RedriveDestination({
      ...(handler && { handler, deadLetterQueue: failuresOfFunction(handler) }),
      form: ReplayedForm.SNS_ENVELOPE,
      subscriptionArn: resourceOf(subscription).ref,
    });
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

  private constructor(stated: Destination) {
    this.targetQueue = stated.queue;
    this.handler = stated.handler;
    this.form = stated.form;
    this.subscriptionArn = stated.subscriptionArn;
    this.deadLetterQueue = stated.deadLetterQueue;
    this.mappings = [...(stated.mappings ?? [])];
  }
}

/** Where what a queue's consumer fails on ends; undefined of a queue that has no such place, or was made elsewhere. */
export function failuresOfQueue(queue: IQueue): IQueue | undefined {
  return queue instanceof Queue ? queue.deadLetterQueue?.queue : undefined;
}

/** Where what a function fails on ends, as far as a dead-letter queue was told of it, or the function itself says. */
export function failuresOfFunction(handler: IFunction): IQueue | undefined {
  const behind = functionBehind(handler);
  const isFed = (queue: IQueue) =>
    isDeadLetterQueue(queue) &&
    queue.feeders.some(({ kind, construct }) => kind === DeadLetterFeederKind.FUNCTION && construct === behind);
  const queues = behind.node.root.node.findAll().filter(it => it instanceof QueueBase);
  return queues.find(isFed) ?? (behind instanceof LambdaFunction ? behind.deadLetterQueue : undefined);
}
