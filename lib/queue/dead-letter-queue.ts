import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type Alarm, type IAlarm, type Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { type IQueue, Queue, type QueueAttributes, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct, IDependable } from 'constructs';
import { grantConsume, grantPeek, grantRedrive } from '../shared/access/grants';
import { ownersAgeAlarm } from '../shared/alarm-set';
import { acknowledgeRule } from '../shared/cdk-features';
import { GRANTEE, QUEUE } from '../shared/cdk-shapes';
import { absentProblems, pathOf, throwProblems, warn } from '../shared/checks';
import { checkArguments, checkNew, metricOptions } from '../shared/shapes';
import { DeadLetterMonitor, RedriveAllowPolicy, WATCH_OPTIONS, watchProblems } from './dead-letter-monitor';
import { anchorFeeder, feederOf, roleFeeder } from './feeder-kinds';
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
 * A queue for messages that could not be delivered or processed. It is encrypted, accepts TLS only, stores messages for
 * 14 days, and has the alarm that reports every arrival.
 *
 * Which alarm that is depends on the sources of dead letters. Declare them with `fedBy`; `DurableTopic`,
 * `FunctionFailures` and `ProcessingQueue` do so themselves. SNS, Lambda and EventBridge send a dead letter, and `NumberOfMessagesSent` counts it. SQS moves a dead letter, and that
 * metric does not count it. If another resource of the app names this queue as its dead-letter queue or failure
 * destination, the queue gets the warning `dead-letter-office:feeder-unknown`.
 *
 * Other warnings: without encryption `dead-letter-office:dead-letters-unencrypted`; with a retention shorter than
 * `timeToRespond`, or not longer than `unattendedAfter`, `dead-letter-office:dead-letters-kept-too-short`; with a token
 * for either of the two, whose default is then used, `dead-letter-office:duration-not-known`; with a key of another
 * account `dead-letter-office:key-of-another-account`.
 *
 * Any number of sources can share it, as far as the 8,192 bytes of its policy go: statements that differ only in their
 * source, including those that aws-cdk-lib adds, become one with a list of source ARNs. SQS takes only 20 statements. If
 * the policy is certainly too large, the synthesis fails; if it probably is, there is the warning
 * `dead-letter-office:policy-nearly-too-large`.
 *
 * If you remove the queue from the app, it stays with its messages, unless `removalPolicy` says otherwise. Its alarms
 * are deleted.
 *
 * It is a `Queue`. A live `Queue` in your stack can become a `DeadLetterQueue` without being replaced.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
export class DeadLetterQueue extends Queue implements IDeadLetterQueue {
  /**
   * Imports a dead-letter queue as an `ImportedDeadLetterQueue`, returned as an `IQueue`. Its alarms have no actions.
   * Create an `ImportedDeadLetterQueue` yourself to set them and to say who grants access to SNS and EventBridge.
   */
  public static override fromQueueArn(scope: Construct, id: string, queueArn: string): IQueue {
    return DeadLetterQueue.fromQueueAttributes(scope, id, { queueArn });
  }

  /** Imports a dead-letter queue that has a key. */
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
        'Messages that were encrypted in transit are stored unencrypted here: leave encryption out.',
      );
    }
    this.messages = new DeadLetterMonitor(this, { ...props, keptSeconds: retentionSeconds(this), allowPolicy });
    acknowledgeRule(this, {
      id: 'AwsSolutions-SQS3',
      reason:
        'It is a dead-letter queue itself. The rule detects that only if a queue of the stack names it in its redrive policy.',
    });
  }

  /** Its alarms, including those that its sources require. */
  public get alarms(): IAlarm[] {
    return this.messages.alarms.all;
  }

  /** The sources of its dead letters, each once, in the order in which they were declared, without anchors. */
  public get feeders(): DeadLetterFeeder[] {
    return this.messages.feeders;
  }

  /**
   * Fires `timeToRespond` before the oldest dead letter may expire. For the queue of a relay with `AlarmSet.ESSENTIAL`, it
   * is the relay's alarm on messages that may expire.
   */
  public get ageAlarm(): Alarm {
    return this.messages.ageAlarm ?? ownersAgeAlarm(this);
  }

  /**
   * Fires within a minute after a dead letter was sent; undefined if only queues feed it, or nothing does, or if with
   * `AlarmSet.ESSENTIAL` alarms of its sources report their dead letters: a `DurableTopic` has one for all its deliveries.
   */
  public get arrivalsAlarm(): Alarm | undefined {
    return this.messages.alarms.get('Arrivals');
  }

  /**
   * Fires when a dead letter that SQS moved here has arrived; undefined if no queue feeds it, or if an alarm of the relay
   * that owns the queue does. It also fires if the queue holds messages and somebody looks at it after six idle hours.
   */
  public get growthAlarm(): Alarm | undefined {
    return this.messages.alarms.get('Growth');
  }

  /**
   * In ALARM while a dead letter that SQS moved here is waiting. It has no actions, because `growthAlarm` reports the same
   * messages. Undefined without `AlarmSet.ALL`, or if no queue feeds it.
   */
  public get waitingAlarm(): Alarm | undefined {
    return this.messages.alarms.get('Waiting');
  }

  /**
   * Fires when dead letters have waited for `unattendedAfter`; undefined without `AlarmSet.ALL`, `watchUnattended` or
   * `unattendedAfter`.
   */
  public get unattendedAlarm(): Alarm | undefined {
    return this.messages.alarms.get('Unattended');
  }

  /**
   * Declares a source of dead letters: a topic, function, queue, rule or schedule. Grants it what it needs, and adds the
   * alarms for its dead letters. A `DurableTopic`, a `FunctionFailures` and a `ProcessingQueue` do so themselves. Otherwise name
   * this queue as the dead-letter queue of the source yourself.
   *
   * A **queue** needs no permission. A message that SQS moves between standard queues keeps its original expiry. So a
   * dead-letter queue must store messages for longer than its source; otherwise there is the warning
   * `dead-letter-office:dead-letters-expire-early`. If the retention of a source is not known, because it is a token or
   * the queue is imported, 14 days are assumed. The age alarm then fires as soon as there is a dead letter. If all sources
   * have physical names, and there are at most 10, the redrive-allow policy names them and **closes this queue to every
   * other queue**: SQS rejects sources that were not declared here. Set `redriveAllowPolicy` to override this.
   *
   * A **rule**: the policy names it, so CloudFormation creates the rule first. Events that a new rule cannot deliver in
   * the seconds before the policy exists are lost. If that matters, deploy the rule with `enabled: false` first.
   *
   * @returns what must exist before the source may send, so that no message is lost before the permission exists; a rule
   * itself cannot depend on it
   * @throws one error that names everything AWS would reject about this queue as the dead-letter queue of the source: one
   * of the two is FIFO and the other must not be, their Regions or accounts differ, the queue is encrypted with the
   * AWS-managed key, which SNS and EventBridge can never use, or its `redriveAllowPolicy` excludes the source
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-configure-dead-letter-queue.html
   * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/setting-up-dead-letter-queue-retention.html
   * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
   * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
   */
  public fedBy(source: IConstruct): IDependable {
    return this.messages.feed(feederOf(source));
  }

  /**
   * Declares an anchor: an empty queue that names this one as its dead-letter queue but never sends dead letters. An
   * SQS move task accepts only a queue that another queue names as its dead-letter queue. A queue that only SNS or
   * Lambda feeds has none. The redrive-allow policy allows an anchor like a source queue of `fedBy`. No alarm and no
   * expiry follow from it. Set the redrive policy on `anchor` itself.
   *
   * @returns the queue itself: SQS needs no permission
   * @throws as `fedBy` does
   */
  public anchoredBy(anchor: IQueue): IDependable {
    checkArguments(this, { anchor }, { anchor: QUEUE });
    return this.messages.feed(anchorFeeder(anchor));
  }

  /**
   * Lets a principal send messages that it gave up on, such as a function that handles its own failures. Adds its
   * policy, the key permissions and the arrivals alarm.
   *
   * @returns what must exist before the principal may send
   */
  public fedByRole(grantee: IGrantable): IDependable {
    checkArguments(this, { grantee }, { grantee: GRANTEE });
    return this.messages.feed(roleFeeder(grantee));
  }

  /**
   * Lets a principal move dead letters to `destination` with an SQS move task, and list and cancel such tasks. It
   * grants access to both queues and their keys, and `kms:Decrypt` for the keys of the queues that SQS moves dead letters
   * from: a moved message keeps its encryption. The task must name the destination: moving each message to its original
   * source would need more permissions.
   *
   * SQS moves messages only from a queue that another queue names as its dead-letter queue: see `anchoredBy`.
   *
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
   */
  public grantRedrive(grantee: IGrantable, destination: IQueue): Grant {
    checkArguments(this, { grantee, destination }, { grantee: GRANTEE, destination: QUEUE });
    return grantRedrive(this, grantee, destination);
  }

  /**
   * Lets a principal read dead letters and return them, but not delete them. Includes `kms:Decrypt` for the keys of the
   * queues that SQS moves dead letters from: a moved message keeps its encryption.
   *
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html#receive-from-encrypted-queue
   */
  public grantPeek(grantee: IGrantable): Grant {
    checkArguments(this, { grantee }, { grantee: GRANTEE });
    return grantPeek(this, grantee);
  }

  /**
   * As on a `Queue`, with `kms:Decrypt` also for the keys of the queues that SQS moves dead letters from: a moved message
   * keeps its encryption.
   */
  public override grantConsumeMessages(grantee: IGrantable): Grant {
    checkArguments(this, { grantee }, { grantee: GRANTEE });
    return grantConsume(this, grantee, super.grantConsumeMessages(grantee));
  }

  /** Counts dead letters that were sent, without those that SQS moved. Sum over 5 minutes by default. */
  public metricArrivals(options?: MetricOptions): Metric {
    return this.metricNumberOfMessagesSent({ statistic: Stats.SUM, ...metricOptions(this, options) });
  }

  /** The number of waiting dead letters, whether sent or moved. Maximum over 5 minutes by default. */
  public metricWaiting(options?: MetricOptions): Metric {
    return this.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, ...metricOptions(this, options) });
  }
}

/**
 * Keeps a queue and its messages when it is removed from the app, and when the deployment that created it is rolled back. A queue
 * with a stated name is deleted by that rollback: kept, it would block the next attempt with "already exists".
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html
 */
function keptWithMessages(queueName: string | undefined): RemovalPolicy {
  return queueName === undefined ? RemovalPolicy.RETAIN : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
}

/** Adds the defaults of this construct. */
function withDefaults(props: DeadLetterQueueProps): DeadLetterQueueProps {
  return {
    ...props,
    retentionPeriod: props.retentionPeriod ?? Duration.seconds(LONGEST_RETENTION_SECONDS),
    enforceSSL: props.enforceSSL ?? true,
    encryption: props.encryption ?? encryptionFor(props.encryptionMasterKey),
    removalPolicy: props.removalPolicy ?? keptWithMessages(props.queueName),
  };
}

function checkedProps(scope: Construct, id: string, props: DeadLetterQueueProps): DeadLetterQueueProps {
  checkNew(scope, id, props, WATCH_OPTIONS);
  const ofItsOwn = props.deadLetterQueue?.queue.node.path;
  throwProblems(pathOf(scope, id), [
    ...queuePropsProblems(props),
    ...keyPlaceProblems(scope, props),
    ...watchProblems(props),
    ...absentProblems('deadLetterQueue', ofItsOwn, ', because a dead-letter queue has no dead-letter queue of its own'),
  ]);
  return withDefaults(props);
}
