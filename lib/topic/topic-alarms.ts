import { Duration, Tokenization } from 'aws-cdk-lib';
import type { Alarm, CompositeAlarm, IAlarm, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { TopicBase } from 'aws-cdk-lib/aws-sns';
import { type AlarmRow, Alarms, RunbookSection } from '../shared/alarms';
import { warn } from '../shared/checks';
import { isElsewhere } from './deliveries/delivery-place';
import type { DeliveryFailureRateAlarmOptions, DurableTopicProps } from './durable-topic-props';
import { failureRateAbove } from './failure-rate';
import type { StatusLogging } from './status-logging/status-logging';
import { failedToRedrive } from './topic-metrics';

/** Those that say that a message is gone. */
const LOSSES = { deadLetters: 'LostMessages', unkept: 'Unkept' } as const;

const DEFAULT_RATE = { thresholdPercent: 10, minimumAttempts: 20 };

/** The alarms of a topic. What watches for losses is made with the first subscription that can lose in that way. */
export class TopicAlarms {
  private readonly alarms: Alarms;
  private readonly lossActions: IAlarmAction[];
  private losing?: CompositeAlarm;
  private hasWarned = false;

  constructor(
    private readonly topic: TopicBase,
    { alarmActions, lossActions = [], topicName, deliveryFailureRateAlarm }: DurableTopicProps,
    private readonly logging?: StatusLogging,
  ) {
    this.alarms = new Alarms(topic, { name: topicName, actions: alarmActions, unheard: 'A message is lost' });
    this.lossActions = lossActions;
    if (deliveryFailureRateAlarm) this.watchFailureRate(deliveryFailureRateAlarm);
  }

  public get actions(): IAlarmAction[] {
    return this.alarms.actions;
  }

  /** Those there are by now. */
  public get all(): IAlarm[] {
    return this.alarms.all;
  }

  /** Fires when SNS could not even reach a dead-letter queue; undefined before the first. */
  public get lostMessages(): Alarm | undefined {
    return this.alarms.get(LOSSES.deadLetters);
  }

  /** Fires when SNS gave up on a message of which nothing is kept; undefined without a subscription of that kind. */
  public get unkept(): Alarm | undefined {
    return this.alarms.get(LOSSES.unkept);
  }

  /** Fires when any of the two does; undefined before the first of them, and where nobody is to be told. */
  public get losingMessages(): CompositeAlarm | undefined {
    return this.losing;
  }

  /** Fires when too many deliveries fail; undefined where nobody asked for it. */
  public get failureRate(): Alarm | undefined {
    return this.alarms.get('FailureRate');
  }

  /** Alarms see the metrics of their own account and Region alone. */
  public watchDeadLetters(): void {
    if (isElsewhere(this.topic, this.topic)) {
      this.warnOfUnwatched();
      return;
    }
    this.watchLoss({
      id: LOSSES.deadLetters,
      suffix: 'Lost',
      metric: failedToRedrive(this.topic),
      threshold: 0,
      meaning: 'SNS could neither deliver a message nor put it into its dead-letter queue: it is lost.',
      runbook: RunbookSection.DEAD_LETTERS_LOST,
    });
  }

  public watchUnkept(): void {
    const deliveryStatus = this.logging?.deliveryStatus;
    if (!deliveryStatus) return;
    this.watchLoss({
      id: LOSSES.unkept,
      metric: deliveryStatus.metricUnkept(),
      threshold: 0,
      meaning: 'SNS gave up on a message for a subscription without a dead-letter queue: it is lost.',
      runbook: RunbookSection.MESSAGES_NOT_KEPT,
    });
  }

  private warnOfUnwatched(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    const { account, region } = this.topic.env;
    const message = `A message that SNS can put into no dead-letter queue is counted in ${region} of account ${account}, where this stack can watch nothing: have an alarm there on NumberOfNotificationsFailedToRedriveToDlq of ${this.topic.topicName}.`;
    warn(this.topic, 'losses-counted-elsewhere', message);
  }

  private watchLoss(row: AlarmRow): void {
    this.alarms.watch(row);
    if (this.lossActions.length === 0) return;
    this.losing = this.alarms.watchAny({
      id: 'LosingMessages',
      of: Object.values(LOSSES),
      meaning: 'Messages of the topic are being lost.',
      runbook: RunbookSection.TOPIC_LOSES_MESSAGES,
      actions: this.lossActions,
    });
  }

  private watchFailureRate(options: DeliveryFailureRateAlarmOptions): void {
    const { thresholdPercent = DEFAULT_RATE.thresholdPercent, minimumAttempts = DEFAULT_RATE.minimumAttempts } =
      options;
    this.alarms.watch({
      id: 'FailureRate',
      metric: failureRateAbove(this.topic, minimumAttempts),
      threshold: thresholdPercent,
      period: Duration.minutes(5),
      evaluationPeriods: 3,
      meaning: `More than ${Tokenization.stringifyNumber(thresholdPercent)} of a hundred attempts to deliver fail.`,
      runbook: RunbookSection.DELIVERIES_FAILING,
    });
  }
}
