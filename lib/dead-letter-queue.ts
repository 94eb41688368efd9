import { Duration, Validations } from 'aws-cdk-lib';
import {
  type Alarm,
  CfnAlarm,
  type IAlarm,
  type IAlarmAction,
  type Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IDependable } from 'constructs';
import { grantRoleSendOnKey, grantSnsOnKeyOf } from './private/access/key';
import { allowTopicToSend } from './private/access/queue';
import { Alarms, RunbookSection } from './private/alarms';
import { knownSeconds, pathOf, secondsProblems, throwProblems, warn } from './private/checks';
import { Feeders } from './private/feeders';
import { encryptionFor, queuePropsProblems, snsKeyProblems } from './private/queue-checks';
import { literalName, namedArn, ownedQueue, retentionSeconds } from './private/queue-facts';

/** The longest SQS keeps a message. */
const LONGEST_RETENTION = Duration.days(14);

/** How many sources a redrive-allow policy can name; with more, it must allow all. */
const MOST_SOURCE_QUEUES = 10;

const DEFAULT_TIME_TO_RESPOND = Duration.days(3);

/** Properties of a `DeadLetterQueue`. */
export interface DeadLetterQueueProps extends QueueProps {
  /**
   * Who is told when an alarm of this queue fires. An `OpsTopic` is such an action.
   *
   * @default - nobody, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];

  /**
   * How long before a dead letter may expire the age alarm fires: the time you need to see to it. A token counts as the
   * default.
   *
   * @default Duration.days(3)
   */
  readonly timeToRespond?: Duration;
}

/** What becomes of `props` once this construct's own defaults are filled in. */
function withDefaults(props: DeadLetterQueueProps): DeadLetterQueueProps {
  return {
    ...props,
    retentionPeriod: props.retentionPeriod ?? LONGEST_RETENTION,
    enforceSSL: props.enforceSSL ?? true,
    encryption: props.encryption ?? encryptionFor(props.encryptionMasterKey),
  };
}

/** The properties, once every one of them has been judged. */
function checked(scope: Construct, id: string, props: DeadLetterQueueProps): DeadLetterQueueProps {
  const ofItsOwn = props.deadLetterQueue && {
    property: 'deadLetterQueue',
    rule: 'must be absent, for a dead-letter queue is the last stop',
    value: props.deadLetterQueue.queue.node.path,
  };
  throwProblems(pathOf(scope, id), [
    ...queuePropsProblems(props),
    ...secondsProblems('timeToRespond', props.timeToRespond, { min: 60, max: LONGEST_RETENTION.toSeconds() }),
    ...(ofItsOwn ? [ofItsOwn] : []),
  ]);
  return withDefaults(props);
}

/**
 * A queue that keeps what could not be delivered or processed: for 14 days, encrypted, over TLS only, and with the
 * alarm that cannot miss an arrival.
 *
 * Which alarm that is depends on who fills the queue, so say it with `fedByTopic`, `fedByFunction` or `fedByQueue`
 * (`DurableTopic`, `FunctionFailures` and `ProcessingQueue` do). SNS and Lambda send a dead letter, and
 * `NumberOfMessagesSent` counts it; SQS moves one, and that metric does not see it. Whatever else in the app names this
 * queue as its dead-letter queue or failure destination gets it the warning `dead-letter-office:feeder-unknown`.
 *
 * Told not to encrypt, it gets the warning `dead-letter-office:dead-letters-unencrypted`.
 *
 * It is a `Queue`: a `Queue` in your stack can become a `DeadLetterQueue` and stay the live queue it is.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
export class DeadLetterQueue extends Queue {
  /** Fires `timeToRespond` before the oldest dead letter may expire. */
  public readonly ageAlarm: Alarm;

  private readonly watching: Alarms;
  private readonly timeToRespondSeconds: number;
  private longestFeederSeconds = 0;
  private readonly feeders = new Feeders();
  private readonly sourceArns = new Set<string | undefined>();
  private readonly hasItsOwnAllowPolicy: boolean;

  /** @throws one error that names each property AWS would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: DeadLetterQueueProps = {}) {
    super(scope, id, checked(scope, id, props));
    this.watching = new Alarms(this, {
      name: literalName(this),
      actions: props.alarmActions,
      unheard: 'A dead letter arrives',
    });
    this.hasItsOwnAllowPolicy = props.redriveAllowPolicy !== undefined;
    this.timeToRespondSeconds = knownSeconds(props.timeToRespond) ?? DEFAULT_TIME_TO_RESPOND.toSeconds();
    if (this.encryptionType === QueueEncryption.UNENCRYPTED) {
      warn(
        this,
        'dead-letters-unencrypted',
        'What was encrypted on its way lies here in the clear: leave encryption out.',
      );
    }
    this.ageAlarm = this.addAgeAlarm();
    this.feeders.warnOfUnknown(this, this.queueArn);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is a dead-letter queue itself, fed by SNS or Lambda, which the rule does not look at.',
    });
  }

  /** Its alarms, those that who feeds it brought included. */
  public get alarms(): IAlarm[] {
    return this.watching.all;
  }

  /** Fires in the minute in which SNS or Lambda sends a dead letter; undefined while no topic or function feeds it. */
  public get arrivalsAlarm(): Alarm | undefined {
    return this.watching.get('Arrivals');
  }

  /** Fires while a dead letter that SQS moved here waits to be seen to; undefined while no queue feeds it. */
  public get waitingAlarm(): Alarm | undefined {
    return this.watching.get('Waiting');
  }

  /**
   * Lets a topic send here what it could not deliver: queue policy, key policy, and the arrivals alarm.
   *
   * @returns what a subscription must depend on, so that no message is lost before the permission exists
   * @throws if the queue is encrypted with the AWS-managed key, which SNS can never use
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-configure-dead-letter-queue.html
   */
  public fedByTopic(topic: ITopic): IDependable {
    throwProblems(this.node.path, snsKeyProblems('encryption', this));
    this.feeders.know(topic.topicArn);
    this.addArrivalsAlarm();
    grantSnsOnKeyOf(this, this, topic);
    return allowTopicToSend(this, this, topic, 'the dead letters of the topic are lost') ?? this;
  }

  /**
   * Lets a function's role send here the events the function failed on: its policy, the key, and the arrivals alarm.
   *
   * @throws if the queue is FIFO, which Lambda refuses as a dead-letter queue
   * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
   */
  public fedByFunction(handler: IFunction): void {
    if (this.fifo) {
      const rule = 'must be false, for Lambda takes only a standard queue as dead-letter queue';
      throwProblems(this.node.path, [{ property: 'fifo', rule, value: true }]);
    }
    this.feeders.know(handler.node.defaultChild?.node.path, handler.functionName);
    this.addArrivalsAlarm();
    this.grants.actions(handler, ['sqs:SendMessage']);
    if (this.encryptionMasterKey) grantRoleSendOnKey(this.encryptionMasterKey, handler);
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
   * @throws if one of the two is FIFO and the other is not
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/setting-up-dead-letter-queue-retention.html
   */
  public fedByQueue(source: IQueue): void {
    if (source.fifo !== this.fifo) {
      const rule = `must be ${source.fifo}, as its source ${source.node.path} is`;
      throwProblems(this.node.path, [{ property: 'fifo', rule, value: this.fifo }]);
    }
    this.feeders.know(ownedQueue(source)?.node.path);
    this.addWaitingAlarm();
    this.admit(source);
    if (!this.fifo) this.keepLongerThan(source);
  }

  /** Dead letters sent here by SNS, by Lambda or by hand; not those SQS moved. Sum over 5 minutes by default. */
  public metricArrivals(options?: MetricOptions): Metric {
    return this.metricNumberOfMessagesSent({ statistic: Stats.SUM, ...options });
  }

  /** Dead letters waiting to be seen to, whoever sent or moved them. Maximum over 5 minutes by default. */
  public metricWaiting(options?: MetricOptions): Metric {
    return this.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, ...options });
  }

  private addArrivalsAlarm(): void {
    this.watching.watch({
      id: 'Arrivals',
      metric: this.metricArrivals(),
      threshold: 0,
      meaning: 'SNS or Lambda gave up on a message and sent it to this dead-letter queue.',
      runbook: RunbookSection.DEAD_LETTERS_ARRIVED,
    });
  }

  private addWaitingAlarm(): void {
    this.watching.watch({
      id: 'Waiting',
      metric: this.metricWaiting(),
      threshold: 0,
      meaning:
        'SQS moved a message here after its last receive. The alarm stays, and tells nobody again, until the queue is empty.',
      runbook: RunbookSection.DEAD_LETTERS_WAITING,
    });
  }

  private addAgeAlarm(): Alarm {
    return this.watching.watch({
      id: 'Age',
      metric: this.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM }),
      threshold: this.ageThresholdSeconds(),
      meaning: 'The oldest dead letter expires soon, and is then gone for good.',
      runbook: RunbookSection.DEAD_LETTERS_AGEING,
    });
  }

  /**
   * The age counts from the move, the expiry from the first send: what the source may have used up is taken off. With a
   * retention not known before deployment, ours or a source's, the alarm fires at once rather than too late.
   */
  private ageThresholdSeconds(): number {
    const kept = retentionSeconds(this) ?? 0;
    return Math.max(0, kept - this.longestFeederSeconds - this.timeToRespondSeconds);
  }

  /**
   * Lets the queues that name this one as theirs, and no others, move messages here. Their ARNs are made from their
   * names: an ARN taken from the queue itself would be a cycle, because the queue already takes ours.
   */
  private admit(source: IQueue): void {
    this.sourceArns.add(namedArn(source));
    const resource = ownedQueue(this);
    if (!resource || this.hasItsOwnAllowPolicy) return;
    const sourceQueueArns = [...this.sourceArns];
    const allNamed = sourceQueueArns.every(arn => arn !== undefined) && sourceQueueArns.length <= MOST_SOURCE_QUEUES;
    resource.redriveAllowPolicy = allNamed ? { redrivePermission: 'byQueue', sourceQueueArns } : undefined;
  }

  private keepLongerThan(source: IQueue): void {
    const sourceSeconds = retentionSeconds(source);
    const ownSeconds = retentionSeconds(this);
    if (sourceSeconds !== undefined && ownSeconds !== undefined && ownSeconds <= sourceSeconds) {
      const message = `It keeps messages for ${ownSeconds} s and its source ${source.node.path} for ${sourceSeconds} s, counted from the same first send: a message may expire as soon as it is moved. Keep the source's for less.`;
      warn(this, 'dead-letters-expire-early', message);
    }
    this.longestFeederSeconds = Math.max(this.longestFeederSeconds, sourceSeconds ?? LONGEST_RETENTION.toSeconds());
    const resource = this.ageAlarm.node.defaultChild;
    if (resource instanceof CfnAlarm) resource.threshold = this.ageThresholdSeconds();
  }
}
