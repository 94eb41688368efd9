import { type Duration, Stack } from 'aws-cdk-lib';
import { type Alarm, type IAlarm, type Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { AddToResourcePolicyResult, Grant, IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type IQueue, QueueBase, type QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct, IDependable } from 'constructs';
import { grantConsume, grantPeek, grantRedrive, InlinePolicy } from '../shared/access/grants';
import { ownersAgeAlarm } from '../shared/alarm-set';
import { DURATION, GRANTEE, QUEUE } from '../shared/cdk-shapes';
import { knownSeconds, mismatchProblems, pathOf, secondsProblems, throwProblems } from '../shared/checks';
import { checkArguments, checkNew, enumValue, metricOptions, optional, struct } from '../shared/shapes';
import { DeadLetterMonitor, WATCH_OPTIONS, watchProblems } from './dead-letter-monitor';
import { anchorFeeder, feederOf, roleFeeder } from './feeder-kinds';
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

  public get alarms(): IAlarm[] {
    return this.messages.alarms.all;
  }

  public get feeders(): DeadLetterFeeder[] {
    return this.messages.feeders;
  }

  public get ageAlarm(): Alarm {
    return this.messages.ageAlarm ?? ownersAgeAlarm(this);
  }

  public get arrivalsAlarm(): Alarm | undefined {
    return this.messages.alarms.get('Arrivals');
  }

  public get growthAlarm(): Alarm | undefined {
    return this.messages.alarms.get('Growth');
  }

  public get waitingAlarm(): Alarm | undefined {
    return this.messages.alarms.get('Waiting');
  }

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
   * As on a `DeadLetterQueue`. For a topic or a rule without `access`, the synthesis fails and shows the statement to
   * add. If the queue has a redrive-allow policy, add a source queue there yourself.
   *
   * @returns what must exist before the source may send
   * @throws as on a `DeadLetterQueue`
   */
  public fedBy(source: IConstruct): IDependable {
    return this.messages.feed(feederOf(source));
  }

  public fedByRole(grantee: IGrantable): IDependable {
    checkArguments(this, { grantee }, { grantee: GRANTEE });
    return this.messages.feed(roleFeeder(grantee));
  }

  /** As on a `DeadLetterQueue`. If the queue has a redrive-allow policy, add the anchor there yourself. */
  public anchoredBy(anchor: IQueue): IDependable {
    checkArguments(this, { anchor }, { anchor: QUEUE });
    return this.messages.feed(anchorFeeder(anchor));
  }

  public grantRedrive(grantee: IGrantable, destination: IQueue): Grant {
    checkArguments(this, { grantee, destination }, { grantee: GRANTEE, destination: QUEUE });
    return grantRedrive(this, grantee, destination);
  }

  public grantPeek(grantee: IGrantable): Grant {
    checkArguments(this, { grantee }, { grantee: GRANTEE });
    return grantPeek(this, grantee);
  }

  /** As on a `DeadLetterQueue`. */
  public override grantConsumeMessages(grantee: IGrantable): Grant {
    checkArguments(this, { grantee }, { grantee: GRANTEE });
    return grantConsume(this, grantee, super.grantConsumeMessages(grantee));
  }

  public metricArrivals(options?: MetricOptions): Metric {
    return this.metricNumberOfMessagesSent({ statistic: Stats.SUM, ...metricOptions(this, options) });
  }

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
