import { type Duration, Stack } from 'aws-cdk-lib';
import { type Alarm, type IAlarm, type Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IRule } from 'aws-cdk-lib/aws-events';
import type { AddToResourcePolicyResult, Grant, IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISchedule } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, QueueBase, type QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IDependable } from 'constructs';
import { grantConsume, grantPeek, grantRedrive, InlinePolicy } from '../shared/access/grants';
import { ownersAgeAlarm } from '../shared/alarm-set';
import { DURATION, FUNCTION, GRANTEE, QUEUE, RULE, SCHEDULE, TOPIC } from '../shared/cdk-shapes';
import { knownSeconds, mismatchProblems, pathOf, secondsProblems, throwProblems } from '../shared/checks';
import { checkArguments, checkNew, enumValue, metricOptions, optional, struct } from '../shared/shapes';
import { DeadLetterMonitor, WATCH_OPTIONS, watchProblems } from './dead-letter-monitor';
import {
  anchorFeeder,
  functionFeeder,
  queueFeeder,
  roleFeeder,
  ruleFeeder,
  scheduleFeeder,
  topicFeeder,
} from './feeder-kinds';
import type { DeadLetterFeeder, DeadLetterWatchOptions, IDeadLetterQueue } from './i-dead-letter-queue';
import { LONGEST_RETENTION_SECONDS, queueArnProblems, retentionSeconds } from './queue-checks';

/** Who manages the policy of a queue that this app does not create. */
export enum DeadLetterAccess {
  /**
   * This stack writes the whole queue policy, as an `AWS::SQS::QueueInlinePolicy`. A queue has one policy, so add the
   * statements that others need with `addToResourcePolicy`. The policy is deleted with the stack.
   *
   * If the queue already has a policy, import it into this stack with `npx cdk import`, or remove it first.
   * CloudFormation does not create such a resource where one exists. (An `AWS::SQS::QueuePolicy` would replace it
   * silently.)
   *
   * Only one construct in all stacks and apps may write the policy. The others that import the queue use
   * `GRANTED_ELSEWHERE`. Two writers in one app fail the synthesis; with two apps, the second deployment fails.
   */
  WRITE_POLICY = 'WRITE_POLICY',

  /**
   * The owner of the queue manages it: the policies of the queue and its key already allow the sources. This is not
   * checked.
   */
  GRANTED_ELSEWHERE = 'GRANTED_ELSEWHERE',
}

/** Properties of an `ImportedDeadLetterQueue`. */
export interface ImportedDeadLetterQueueProps extends DeadLetterWatchOptions {
  /** The queue: from `Queue.fromQueueArn`, or from `Queue.fromQueueAttributes` if it has a key. */
  readonly queue: IQueue;

  /**
   * Who allows SNS and EventBridge to send to the queue. Roles of this app get their permissions in any case.
   *
   * @default - not stated: a source such as SNS or EventBridge is an error that shows the statement to add
   */
  readonly access?: DeadLetterAccess;

  /**
   * How long the queue stores a message, in whole seconds.
   *
   * @default - not known: the age alarm fires as soon as there is a dead letter
   */
  readonly retentionPeriod?: Duration;
}

/**
 * A dead-letter queue of another stack or app. It gets the same alarms as a `DeadLetterQueue`. Its policy is either
 * written here or stated to exist.
 *
 * CloudFormation generates the names of its alarms, because the owner and other importers may have alarms on the queue
 * too.
 *
 * The queue itself does not change: the owner sets its retention, encryption and redrive-allow policy.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queueinlinepolicy.html
 */
export class ImportedDeadLetterQueue extends QueueBase implements IDeadLetterQueue {
  /** The ARN of the queue. */
  public readonly queueArn: string;
  /** The URL of the queue. */
  public readonly queueUrl: string;
  /** The name of the queue. */
  public readonly queueName: string;
  /** The key that encrypts the queue, if the import named one. */
  public override readonly encryptionMasterKey?: IKey;
  /** How the queue is encrypted, if the import says so. */
  public override readonly encryptionType?: QueueEncryption;
  /** Whether the queue is FIFO. */
  public readonly fifo: boolean;

  protected readonly autoCreatePolicy: boolean = false;
  private readonly original: IQueue;
  private readonly inlinePolicy?: InlinePolicy;
  private readonly messages: DeadLetterMonitor;

  /** @throws one error that names each property AWS would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: ImportedDeadLetterQueueProps) {
    const { queue, access, retentionPeriod } = checkedImport(scope, id, props);
    super(scope, id, { account: queue.env.account, region: queue.env.region });
    this.original = queue;
    this.queueArn = queue.queueArn;
    this.queueUrl = queue.queueUrl;
    this.queueName = queue.queueName;
    this.encryptionMasterKey = queue.encryptionMasterKey;
    this.encryptionType = queue.encryptionType;
    this.fifo = queue.fifo;
    if (access === DeadLetterAccess.WRITE_POLICY) this.inlinePolicy = new InlinePolicy(this);
    this.messages = new DeadLetterMonitor(this, {
      ...props,
      keptSeconds: knownSeconds(retentionPeriod) ?? retentionSeconds(queue),
      grantedElsewhere: access === DeadLetterAccess.GRANTED_ELSEWHERE,
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
   * is the relay's alarm on messages in danger.
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

  /** As on a `Queue` if the policy is written here; otherwise does nothing. */
  public override addToResourcePolicy(statement: PolicyStatement): AddToResourcePolicyResult {
    const added = this.original.addToResourcePolicy(statement);
    if (added.statementAdded || !this.inlinePolicy) return added;
    return { statementAdded: true, policyDependable: this.inlinePolicy.add(statement) };
  }

  /**
   * As on a `DeadLetterQueue`. Without `access`, the synthesis fails and shows the statement to add.
   *
   * @returns what a subscription must depend on, so that no message is lost before the permission exists
   * @throws if the queue is FIFO and the topic is not, or if the queue is encrypted with the AWS-managed key, which SNS
   * can never use
   */
  public fedByTopic(topic: ITopic): IDependable {
    checkArguments(this, { topic }, { topic: TOPIC });
    return this.messages.feed(topicFeeder(topic));
  }

  /**
   * As on a `DeadLetterQueue`.
   *
   * @returns what must exist before the function may send
   * @throws if the queue is FIFO, which Lambda rejects as a dead-letter queue
   */
  public fedByFunction(handler: IFunction): IDependable {
    checkArguments(this, { handler }, { handler: FUNCTION });
    return this.messages.feed(functionFeeder(handler));
  }

  /**
   * As on a `DeadLetterQueue`, without the redrive-allow policy: if the queue has one, add the source there yourself.
   *
   * @returns the queue itself: SQS needs no permission
   * @throws if `source` is this queue, if one of the two is FIFO and the other is not, or if they are not in one Region
   * and account
   */
  public fedByQueue(source: IQueue): IDependable {
    checkArguments(this, { source }, { source: QUEUE });
    return this.messages.feed(queueFeeder(source));
  }

  /**
   * As on a `DeadLetterQueue`, without the redrive-allow policy: if the queue has one, add the anchor there yourself.
   *
   * @returns the queue itself: SQS needs no permission
   * @throws as `fedByQueue` does
   */
  public anchoredBy(anchor: IQueue): IDependable {
    checkArguments(this, { anchor }, { anchor: QUEUE });
    return this.messages.feed(anchorFeeder(anchor));
  }

  /**
   * As on a `DeadLetterQueue`. Without `access`, the synthesis fails and shows the statement to add.
   *
   * @returns what must exist before the rule may send; the rule itself cannot depend on it
   * @throws if the queue is FIFO, or encrypted with the AWS-managed key, which EventBridge can never use
   */
  public fedByRule(rule: IRule): IDependable {
    checkArguments(this, { rule }, { rule: RULE });
    return this.messages.feed(ruleFeeder(rule));
  }

  /**
   * As on a `DeadLetterQueue`.
   *
   * @returns what must exist before the schedule may send
   * @throws if the queue is FIFO, which EventBridge Scheduler rejects, or if the schedule is not created in this app
   */
  public fedBySchedule(schedule: ISchedule): IDependable {
    checkArguments(this, { schedule }, { schedule: SCHEDULE });
    return this.messages.feed(scheduleFeeder(schedule));
  }

  /**
   * As on a `DeadLetterQueue`.
   *
   * @returns what must exist before the principal may send
   */
  public fedByRole(grantee: IGrantable): IDependable {
    checkArguments(this, { grantee }, { grantee: GRANTEE });
    return this.messages.feed(roleFeeder(grantee));
  }

  /** As on a `DeadLetterQueue`. */
  public grantRedrive(grantee: IGrantable, destination: IQueue): Grant {
    checkArguments(this, { grantee, destination }, { grantee: GRANTEE, destination: QUEUE });
    return grantRedrive(this, grantee, destination);
  }

  /** As on a `DeadLetterQueue`. */
  public grantPeek(grantee: IGrantable): Grant {
    checkArguments(this, { grantee }, { grantee: GRANTEE });
    return grantPeek(this, grantee);
  }

  /** As on a `DeadLetterQueue`. */
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

const PROPS = struct<ImportedDeadLetterQueueProps>({
  ...WATCH_OPTIONS.members,
  queue: QUEUE,
  access: optional(enumValue('DeadLetterAccess', DeadLetterAccess)),
  retentionPeriod: optional(DURATION),
});

/** Validates the properties of an imported dead-letter queue. */
function checkedImport(
  scope: Construct,
  id: string,
  props: ImportedDeadLetterQueueProps,
): ImportedDeadLetterQueueProps {
  checkNew(scope, id, props, PROPS);
  const { account, region } = Stack.of(scope);
  const { env } = props.queue;
  const regionRule = 'must be in the Region of the stack, because an alarm reads the metrics of its own Region,';
  const accountRule = 'must be in the account of the stack that writes its policy,';
  const writes = props.access === DeadLetterAccess.WRITE_POLICY;
  throwProblems(pathOf(scope, id), [
    ...queueArnProblems('queue', props.queue),
    ...mismatchProblems('queue', regionRule, region, env.region),
    ...(writes ? mismatchProblems('queue', accountRule, account, env.account) : []),
    ...secondsProblems('retentionPeriod', props.retentionPeriod, { min: 60, max: LONGEST_RETENTION_SECONDS }),
    ...watchProblems(props),
  ]);
  return props;
}
