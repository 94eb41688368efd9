import { Annotations, Token } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { EventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { laneSection } from '../operations/dashboard/redrive-section';
import type { DashboardSection, IWatched } from '../operations/i-watched';
import { ProcessingQueue } from '../queue/processing-queue';
import { type LanePlan, planOf } from './lane-plan';
import { Quarantine } from './quarantine';
import type { RedriveLaneProps } from './redrive-lane-props';

/** What a message needs at least to be tried although Lambda was throttled once. */
const LEAST_RECEIVES = 2;

/**
 * A way home for dead letters beside the queue they came from: a queue of its own, by which the same function gets them, few at
 * a time, and a quarantine for those it fails on again.
 *
 * Sent home to their own queue, dead letters compete with what has just come in, and poison comes back to the dead-letter
 * queue, from where the next redrive takes it again. By a lane each has exactly one automatic pass: it is done, or in quarantine,
 * where a human sees to it. Name the lane as the destination of a `Redrive`.
 *
 * The function gets the event it would have got of its own queue, but for `eventSourceARN`, and so must not depend on that. Its
 * reserved concurrency, where it has any, must have room for the lane.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
export class RedriveLane extends Construct implements IWatched {
  /** What is redriven: send or move dead letters here. Its dead-letter queue is the quarantine. */
  public readonly queue: ProcessingQueue;
  /** What the function failed on again. */
  public readonly quarantine: Quarantine;
  /** The function, which consumes another queue beside. */
  public readonly handler: IFunction;
  /** What lets the function have the lane's messages; disabled, it stops the lane, and no pass is spent meanwhile. */
  public readonly mapping: EventSourceMapping;

  /** @throws one error that names each property AWS would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: RedriveLaneProps) {
    const plan = planOf(scope, id, props);
    super(scope, id);
    const { handler, maxReceiveCount, maximumConcurrency: maxConcurrency, batchSize } = plan;
    const { alarmActions } = props;
    this.quarantine = props.quarantine ?? this.addQuarantine(props, plan);
    const deadLetterQueue = { queue: this.quarantine, maxReceiveCount };
    this.queue = new ProcessingQueue(this, 'Queue', { ...plan.queue, alarmActions, deadLetterQueue });
    this.acceptFewReceives(plan);
    this.handler = handler;
    this.mapping = this.queue.addFunctionConsumer(handler, { batchSize, maxConcurrency }).mapping;
  }

  /** None of its own: its queue and its quarantine have theirs. */
  public get alarms(): IAlarm[] {
    return [];
  }

  /** Where what fails again ends: `quarantine`, and no other. */
  public get deadLetterQueues(): IQueue[] {
    return [this.quarantine];
  }

  /** What an `OpsDashboard` shows beside it: its queue. */
  public get watchedParts(): IWatched[] | undefined {
    return [this.queue];
  }

  /** What an `OpsDashboard` shows of it. */
  public dashboardSection(): DashboardSection {
    return laneSection(this);
  }

  private addQuarantine({ alarmActions }: RedriveLaneProps, { queue }: LanePlan): Quarantine {
    const { fifo, encryptionMasterKey } = queue;
    return new Quarantine(this, 'Quarantine', { encryptionMasterKey, alarmActions, ...(fifo && { fifo }) });
  }

  /** What is moved early here is not lost by it, nor in a loop: it waits for a human, as it would after more receives. */
  private acceptFewReceives({ maxReceiveCount }: LanePlan): void {
    if (!Token.isUnresolved(maxReceiveCount) && maxReceiveCount < LEAST_RECEIVES) return;
    const reason = 'In a lane few receives are meant: what fails is to be in quarantine soon.';
    Annotations.of(this.queue).acknowledgeWarning('dead-letter-office:too-few-receives', reason);
  }
}
