import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { type Alarm, type IAlarm, type Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IRule } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISchedule } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue, type QueueAttributes, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IDependable } from 'constructs';
import { grantPeek, grantRedrive } from '../shared/access/grants';
import { absentProblems, pathOf, throwProblems, warn } from '../shared/checks';
import { DeadLetterMonitor, RedriveAllowPolicy, watchProblems } from './dead-letters';
import {
  anchorFeeder,
  functionFeeder,
  queueFeeder,
  roleFeeder,
  ruleFeeder,
  scheduleFeeder,
  topicFeeder,
} from './feeders';
import type { DeadLetterFeeder, DeadLetterQueueProps, IDeadLetterQueue } from './i-dead-letter-queue';
import { ImportedDeadLetterQueue } from './imported-dead-letter-queue';
import {
  encryptionFor,
  keyPlaceProblems,
  LONGEST_RETENTION_SECONDS,
  ownedQueue,
  queuePropsProblems,
  retentionSeconds,
} from './queue-checks';

/**
 * A queue that keeps what could not be delivered or processed: for 14 days, encrypted, over TLS only, and with the
 * alarm that cannot miss an arrival.
 *
 * Which alarm that is depends on who fills the queue, so say it with `fedByTopic`, `fedByFunction`, `fedByQueue` and the
 * others (`DurableTopic`, `FunctionFailures` and `ProcessingQueue` do). SNS, Lambda and EventBridge send a dead letter,
 * and `NumberOfMessagesSent` counts it; SQS moves one, and that metric does not see it. Whatever else in the app names
 * this queue as its dead-letter queue or failure destination gets it the warning `dead-letter-office:feeder-unknown`.
 *
 * Told not to encrypt, it gets the warning `dead-letter-office:dead-letters-unencrypted`; told to keep letters for less
 * than `timeToRespond`, or not beyond `unattendedAfter`, `dead-letter-office:dead-letters-kept-too-short`; told either as a
 * token, `dead-letter-office:duration-not-known`, for the default then counts. Encrypted with a key of another account, it
 * gets the warning `dead-letter-office:key-of-another-account`.
 *
 * Taken out of the app, it stays, with its letters, unless `removalPolicy` says otherwise; its alarms go.
 *
 * It is a `Queue`: a `Queue` in your stack can become a `DeadLetterQueue` and stay the live queue it is.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
export class DeadLetterQueue extends Queue implements IDeadLetterQueue {
  /**
   * A dead-letter queue that was made elsewhere: an `ImportedDeadLetterQueue`, of which its type says only that it is a
   * queue. Its alarms tell nobody; make one yourself to say who is told, and who lets in the services that feed it.
   */
  public static override fromQueueArn(scope: Construct, id: string, queueArn: string): IQueue {
    return DeadLetterQueue.fromQueueAttributes(scope, id, { queueArn });
  }

  /** The same, of a queue that has a key. */
  public static override fromQueueAttributes(scope: Construct, id: string, attrs: QueueAttributes): IQueue {
    return new ImportedDeadLetterQueue(scope, id, { queue: Queue.fromQueueAttributes(scope, `${id}Queue`, attrs) });
  }

  private readonly messages: DeadLetterMonitor;

  /** @throws one error that names each property AWS would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: DeadLetterQueueProps = {}) {
    super(scope, id, checkedProps(scope, id, props));
    const resource = ownedQueue(this);
    const allowPolicy = resource && !props.redriveAllowPolicy ? new RedriveAllowPolicy(resource) : undefined;
    if (this.encryptionType === QueueEncryption.UNENCRYPTED) {
      warn(
        this,
        'dead-letters-unencrypted',
        'What was encrypted on its way lies here in the clear: leave encryption out.',
      );
    }
    this.messages = new DeadLetterMonitor(this, { ...props, keptSeconds: retentionSeconds(this), allowPolicy });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason:
        'It is a dead-letter queue itself, which the rule sees only where a queue of the stack names it in its redrive policy.',
    });
  }

  /** Its alarms, those that who feeds it brought included. */
  public get alarms(): IAlarm[] {
    return this.messages.alarms.all;
  }

  /** Who feeds it, each once, in the order in which it was told. An anchor does not. */
  public get feeders(): DeadLetterFeeder[] {
    return this.messages.feeders;
  }

  /** Fires `timeToRespond` before the oldest dead letter may expire. */
  public get ageAlarm(): Alarm {
    return this.messages.ageAlarm;
  }

  /** Fires in the minute in which somebody sends a dead letter; undefined while only queues feed it, or nobody. */
  public get arrivalsAlarm(): Alarm | undefined {
    return this.messages.alarms.get('Arrivals');
  }

  /** Fires while a dead letter that SQS moved here waits to be seen to; undefined while no queue feeds it. */
  public get waitingAlarm(): Alarm | undefined {
    return this.messages.alarms.get('Waiting');
  }

  /** Fires when dead letters have waited for `unattendedAfter`; undefined where `watchUnattended` is false. */
  public get unattendedAlarm(): Alarm | undefined {
    return this.messages.alarms.get('Unattended');
  }

  /**
   * Lets a topic send here what it could not deliver: queue policy, key policy, and the arrivals alarm.
   *
   * @returns what a subscription must depend on, so that no message is lost before the permission exists
   * @throws if the queue is FIFO and the topic is not, or if the queue is encrypted with the AWS-managed key, which SNS
   * can never use
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-configure-dead-letter-queue.html
   */
  public fedByTopic(topic: ITopic): IDependable {
    return this.messages.feed(topicFeeder(topic));
  }

  /**
   * Lets a function's role send here the events the function failed on: its policy, the key, and the arrivals alarm.
   *
   * @returns what must be there before the function may send
   * @throws if the queue is FIFO, which Lambda refuses as a dead-letter queue
   * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
   */
  public fedByFunction(handler: IFunction): IDependable {
    return this.messages.feed(functionFeeder(handler));
  }

  /**
   * Says that SQS moves here what `source` could not get processed: the waiting alarm, and an age alarm that knows how
   * old a message may already be when it comes. Set the redrive policy on `source` itself, or use a `ProcessingQueue`.
   *
   * A message moved between standard queues keeps the expiry it was first sent with, so a dead-letter queue must keep
   * messages for longer than its source: otherwise the warning `dead-letter-office:dead-letters-expire-early`. A source
   * whose retention is not known, because a token hides it or it was created elsewhere, counts as keeping messages for
   * 14 days, and the age alarm then fires as soon as a dead letter is there.
   *
   * As long as every source so named has a name of its own, up to 10 of them, the redrive-allow policy names them and so
   * **closes this queue to every other queue**: SQS refuses any that was not passed here. Pass `redriveAllowPolicy` to
   * decide otherwise.
   *
   * @returns the queue itself: SQS needs no permission
   * @throws if it is this queue itself, if one of the two is FIFO and the other is not, if they are not in one Region and
   * account, or if a `redriveAllowPolicy` of your own keeps the source out
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/setting-up-dead-letter-queue-retention.html
   */
  public fedByQueue(source: IQueue): IDependable {
    return this.messages.feed(queueFeeder(source));
  }

  /**
   * Lets a queue name this one as its dead-letter queue that brings no dead letters: an anchor, to which nobody sends. SQS's
   * move task takes letters only from a queue that another names so, and what SNS or Lambda send here has no such queue.
   * The redrive-allow policy lets it in as it does a source of `fedByQueue`; no alarm and no expiry follow from it. Set
   * the redrive policy on `anchor` itself.
   *
   * @returns the queue itself: SQS needs no permission
   * @throws as `fedByQueue` does
   */
  public anchoredBy(anchor: IQueue): IDependable {
    return this.messages.feed(anchorFeeder(anchor));
  }

  /**
   * Lets EventBridge send here the events that a rule could not deliver: queue policy, key policy, and the arrivals
   * alarm. Name the queue as the dead-letter queue of the rule's target yourself.
   *
   * The policy names the rule, so CloudFormation makes the rule first: what a new rule cannot deliver in the seconds until
   * the policy is there is lost. Where that matters, deploy the rule with `enabled: false` at first.
   *
   * @returns what must be there before the rule may send; the rule itself cannot wait for it
   * @throws if the queue is FIFO, or encrypted with the AWS-managed key, which EventBridge can never use
   * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
   */
  public fedByRule(rule: IRule): IDependable {
    return this.messages.feed(ruleFeeder(rule));
  }

  /**
   * Lets a schedule's role send here what the schedule could not deliver: its policy, the key, and the arrivals alarm.
   * Name the queue as the dead-letter queue of the schedule's target yourself. The schedule waits for the permission.
   *
   * @returns what must be there before the schedule may send
   * @throws if the queue is FIFO, which EventBridge Scheduler refuses, or if the schedule is not made in this app
   * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
   */
  public fedBySchedule(schedule: ISchedule): IDependable {
    return this.messages.feed(scheduleFeeder(schedule));
  }

  /**
   * Lets somebody send here what they gave up on, such as a function that handles its failures itself: their policy, the
   * key, and the arrivals alarm.
   *
   * @returns what must be there before they may send
   */
  public fedByRole(grantee: IGrantable): IDependable {
    return this.messages.feed(roleFeeder(grantee));
  }

  /**
   * Lets somebody move dead letters to `destination` by a move task of SQS, watch it, and cancel it: this queue, and the
   * keys of both. They must state the destination: moved to wherever each letter came from, it would take more.
   *
   * SQS moves only from a queue that an SQS queue names as its dead-letter queue: see `anchoredBy`.
   *
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
   */
  public grantRedrive(grantee: IGrantable, destination: IQueue): Grant {
    return grantRedrive(this, grantee, destination);
  }

  /** Lets somebody look at dead letters, and put them back, but not take them out. */
  public grantPeek(grantee: IGrantable): Grant {
    return grantPeek(this, grantee);
  }

  /** Dead letters sent here; not those SQS moved. Sum over 5 minutes by default. */
  public metricArrivals(options?: MetricOptions): Metric {
    return this.metricNumberOfMessagesSent({ statistic: Stats.SUM, ...options });
  }

  /** Dead letters waiting to be seen to, whoever sent or moved them. Maximum over 5 minutes by default. */
  public metricWaiting(options?: MetricOptions): Metric {
    return this.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, ...options });
  }
}

/** What becomes of a queue, and of the letters in it, that is taken out of the app; a deployment that fails leaves none. */
const KEPT = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

/** What becomes of `props` once this construct's own defaults are filled in. */
function withDefaults(props: DeadLetterQueueProps): DeadLetterQueueProps {
  return {
    ...props,
    retentionPeriod: props.retentionPeriod ?? Duration.seconds(LONGEST_RETENTION_SECONDS),
    enforceSSL: props.enforceSSL ?? true,
    encryption: props.encryption ?? encryptionFor(props.encryptionMasterKey),
    removalPolicy: props.removalPolicy ?? KEPT,
  };
}

/** The properties of a dead-letter queue, once every one of them has been judged. */
export function checkedProps(scope: Construct, id: string, props: DeadLetterQueueProps): DeadLetterQueueProps {
  const ofItsOwn = props.deadLetterQueue?.queue.node.path;
  throwProblems(pathOf(scope, id), [
    ...queuePropsProblems(props),
    ...keyPlaceProblems(scope, props),
    ...watchProblems(props),
    ...absentProblems('deadLetterQueue', ofItsOwn, ', for a dead-letter queue is the last stop'),
  ]);
  return withDefaults(props);
}
