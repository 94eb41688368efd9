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
import { grantPeek, grantRedrive, InlinePolicy } from '../shared/access/grants';
import { knownSeconds, mismatchProblems, pathOf, secondsProblems, throwProblems } from '../shared/checks';
import { DeadLetterMonitor, watchProblems } from './dead-letters';
import {
  anchorFeeder,
  functionFeeder,
  queueFeeder,
  roleFeeder,
  ruleFeeder,
  scheduleFeeder,
  topicFeeder,
} from './feeders';
import type { DeadLetterFeeder, DeadLetterWatchOptions, IDeadLetterQueue } from './i-dead-letter-queue';
import { LONGEST_RETENTION_SECONDS, queueArnProblems, retentionSeconds } from './queue-checks';

/** Who sees to the policy of a queue that was made elsewhere. */
export enum DeadLetterAccess {
  /**
   * This stack: it writes the queue's whole policy, as an `AWS::SQS::QueueInlinePolicy`. A queue has one policy, so add
   * what others need with `addToResourcePolicy`; when the stack is deleted, so is the policy.
   *
   * The policy of a queue that has one already must first be taken into this stack, with `npx cdk import`, or be removed:
   * by the rules of CloudFormation such a resource is not created where it exists. (An `AWS::SQS::QueuePolicy` would
   * replace it without a word.)
   *
   * So one construct writes it, in whatever stack or app, and the others that import the queue say `GRANTED_ELSEWHERE`. Two
   * in one app fail its synthesis; of two apps the second fails to deploy.
   */
  WRITE_POLICY = 'WRITE_POLICY',

  /** Somebody else: the policies of the queue, and of its key, let in already whoever feeds it. Nobody checks that. */
  GRANTED_ELSEWHERE = 'GRANTED_ELSEWHERE',
}

/** Properties of an `ImportedDeadLetterQueue`. */
export interface ImportedDeadLetterQueueProps extends DeadLetterWatchOptions {
  /** The queue: `Queue.fromQueueArn`, or `Queue.fromQueueAttributes` where it has a key. */
  readonly queue: IQueue;

  /**
   * Who lets in the services that feed the queue as themselves: SNS and EventBridge. What comes with a role of this app
   * gets its permission in any case.
   *
   * @default - nobody has said, so such a feeder is an error, which says what to add by hand
   */
  readonly access?: DeadLetterAccess;

  /**
   * How long the queue keeps a message, in whole seconds.
   *
   * @default - not known, and the age alarm fires as soon as a dead letter is there
   */
  readonly retentionPeriod?: Duration;
}

/**
 * A dead-letter queue that was made elsewhere, in another stack or by hand: with the alarms a `DeadLetterQueue` has, by
 * who feeds it, and with its policy either written here or said to be there.
 *
 * Its alarms have names CloudFormation makes up, for its owner, and whoever else imports it, may have alarms of it too.
 *
 * The queue itself stays as it is. Its retention, its encryption and its redrive-allow policy are its owner's.
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
  /** The key that encrypts the queue, where the import named one. */
  public override readonly encryptionMasterKey?: IKey;
  /** How the queue is encrypted, as far as the import says. */
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

  /** As on a `Queue`, where the policy is written here; does nothing otherwise. */
  public override addToResourcePolicy(statement: PolicyStatement): AddToResourcePolicyResult {
    const added = this.original.addToResourcePolicy(statement);
    if (added.statementAdded || !this.inlinePolicy) return added;
    return { statementAdded: true, policyDependable: this.inlinePolicy.add(statement) };
  }

  /**
   * As on a `DeadLetterQueue`. Without an `access`, the synthesis fails with the statement to add by hand.
   *
   * @returns what a subscription must depend on, so that no message is lost before the permission exists
   * @throws if the queue is FIFO and the topic is not, or if the queue is encrypted with the AWS-managed key, which SNS
   * can never use
   */
  public fedByTopic(topic: ITopic): IDependable {
    return this.messages.feed(topicFeeder(topic));
  }

  /**
   * As on a `DeadLetterQueue`.
   *
   * @returns what must be there before the function may send
   * @throws if the queue is FIFO, which Lambda refuses as a dead-letter queue
   */
  public fedByFunction(handler: IFunction): IDependable {
    return this.messages.feed(functionFeeder(handler));
  }

  /**
   * As on a `DeadLetterQueue`, but for the redrive-allow policy: let the source in there yourself, if there is one.
   *
   * @returns the queue itself: SQS needs no permission
   * @throws if it is this queue itself, if one of the two is FIFO and the other is not, or if they are not in one Region and
   * account
   */
  public fedByQueue(source: IQueue): IDependable {
    return this.messages.feed(queueFeeder(source));
  }

  /**
   * As on a `DeadLetterQueue`, but for the redrive-allow policy: let the anchor in there yourself, if there is one.
   *
   * @returns the queue itself: SQS needs no permission
   * @throws as `fedByQueue` does
   */
  public anchoredBy(anchor: IQueue): IDependable {
    return this.messages.feed(anchorFeeder(anchor));
  }

  /**
   * As on a `DeadLetterQueue`. Without an `access`, the synthesis fails with the statement to add by hand.
   *
   * @returns what must be there before the rule may send; the rule itself cannot wait for it
   * @throws if the queue is FIFO, or encrypted with the AWS-managed key, which EventBridge can never use
   */
  public fedByRule(rule: IRule): IDependable {
    return this.messages.feed(ruleFeeder(rule));
  }

  /**
   * As on a `DeadLetterQueue`.
   *
   * @returns what must be there before the schedule may send
   * @throws if the queue is FIFO, which EventBridge Scheduler refuses, or if the schedule is not made in this app
   */
  public fedBySchedule(schedule: ISchedule): IDependable {
    return this.messages.feed(scheduleFeeder(schedule));
  }

  /**
   * As on a `DeadLetterQueue`.
   *
   * @returns what must be there before they may send
   */
  public fedByRole(grantee: IGrantable): IDependable {
    return this.messages.feed(roleFeeder(grantee));
  }

  /** As on a `DeadLetterQueue`. */
  public grantRedrive(grantee: IGrantable, destination: IQueue): Grant {
    return grantRedrive(this, grantee, destination);
  }

  /** As on a `DeadLetterQueue`. */
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

/** The properties of an imported dead-letter queue, once every one of them has been judged. */
export function checkedImport(
  scope: Construct,
  id: string,
  props: ImportedDeadLetterQueueProps,
): ImportedDeadLetterQueueProps {
  const { account, region } = Stack.of(scope);
  const { env } = props.queue;
  const regionRule = 'must be in the Region of the stack, for an alarm watches the metrics of its own Region,';
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
