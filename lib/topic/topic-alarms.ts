import { Duration, Lazy, Tokenization } from 'aws-cdk-lib';
import {
  type Alarm,
  type CompositeAlarm,
  type IAlarm,
  type IAlarmAction,
  MathExpression,
  type MathExpressionOptions,
  type Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { type ITopic, Topic, type TopicBase } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { AlarmSet } from '../shared/alarm-set';
import { type AlarmRow, Alarms, RunbookSection, shortList } from '../shared/alarms';
import { warn } from '../shared/checks';
import { metricOptions } from '../shared/shapes';
import { isElsewhere } from './delivery-place';
import type { TopicStatusLogging } from './delivery-status-logging';
import type { DeliveryFailureRateAlarmOptions, DurableTopicProps } from './durable-topic-props';

const DEAD_LETTERED = 'DeadLettered';

const LOSSES = { deadLetters: 'LostMessages', unkept: 'Unkept' } as const;

const DEFAULT_RATE = { thresholdPercent: 10, minimumAttempts: 20 };

/**
 * The alarms of a topic. An alarm on losses is created with the first subscription that can lose messages in that way.
 */
export class TopicAlarms {
  private readonly alarms: Alarms;
  private readonly lossActions: IAlarmAction[];
  private readonly deliveries = new Set<string>();
  private losing?: CompositeAlarm;
  private hasWarned = false;

  constructor(
    private readonly topic: TopicBase,
    { alarmActions, lossActions = [], topicName, deliveryFailureRateAlarm }: DurableTopicProps,
    private readonly logging?: TopicStatusLogging,
  ) {
    this.alarms = new Alarms(topic, { name: topicName, actions: alarmActions, withoutActions: 'A message is lost' });
    this.lossActions = lossActions;
    if (deliveryFailureRateAlarm) this.watchFailureRate(deliveryFailureRateAlarm);
  }

  public get actions(): IAlarmAction[] {
    return this.alarms.actions;
  }

  /** The alarms created so far. */
  public get all(): IAlarm[] {
    return this.alarms.all;
  }

  /** Fires when SNS sent a message to a dead-letter queue; undefined before the first one. */
  public get deadLettered(): Alarm | undefined {
    return this.alarms.get(DEAD_LETTERED);
  }

  /** Fires when SNS could not deliver to a dead-letter queue; undefined before the first one. */
  public get lostMessages(): Alarm | undefined {
    return this.alarms.get(LOSSES.deadLetters);
  }

  /** Fires when SNS discards a message; undefined without a subscription that has no dead-letter queue. */
  public get unkept(): Alarm | undefined {
    return this.alarms.get(LOSSES.unkept);
  }

  /** In ALARM while one of the two is; undefined before the first of them, and without actions. */
  public get losingMessages(): CompositeAlarm | undefined {
    return this.losing;
  }

  /** Fires when the percentage of failed deliveries is too high; undefined unless it was requested. */
  public get failureRate(): Alarm | undefined {
    return this.alarms.get('FailureRate');
  }

  /** Watches messages that SNS cannot dead-letter. An alarm can read only metrics of its own account and Region. */
  public watchLosses(): void {
    if (isElsewhere(this.topic, this.topic)) {
      this.warnOfUnwatched();
      return;
    }
    this.watchLoss({
      id: LOSSES.deadLetters,
      suffix: 'Lost',
      metric: failedToRedrive(this.topic),
      threshold: 0,
      meaning: 'SNS could neither deliver a message nor send it to its dead-letter queue. The message is lost.',
      runbook: RunbookSection.DEAD_LETTERS_LOST,
    });
  }

  /**
   * Watches the dead letters of a delivery, if one alarm for all deliveries of the topic can. An imported topic may have
   * subscriptions of others. AWS does not say which account has the metric if the subscription is in another one
   * (assumption CW-16).
   * @param name the delivery's name in the description
   * @returns whether that alarm reports each dead letter of the delivery
   */
  public watchDeadLettersOf(name: string, delivery: Construct): boolean {
    if (!(this.topic instanceof Topic) || isElsewhere(delivery, this.topic)) return false;
    this.deliveries.add(name);
    return this.alarms.watchIfWanted(this.deadLetteredRow()) !== undefined;
  }

  private deadLetteredRow(): AlarmRow {
    const names = Lazy.string({ produce: () => shortList([...this.deliveries], ', ') });
    return {
      id: DEAD_LETTERED,
      only: AlarmSet.ESSENTIAL,
      metric: redriven(this.topic),
      threshold: 0,
      evaluationPeriods: 20,
      datapointsToAlarm: 1,
      meaning: `SNS could not deliver a message and sent it to the dead-letter queue of its delivery: ${names}.`,
      runbook: RunbookSection.DEAD_LETTERS_ARRIVED,
    };
  }

  public watchUnkept(): void {
    const deliveryStatus = this.logging?.deliveryStatus;
    if (!deliveryStatus) return;
    this.watchLoss({
      id: LOSSES.unkept,
      metric: deliveryStatus.metricUnkept(),
      threshold: 0,
      meaning: 'SNS discarded a message for a subscription without a dead-letter queue. The message is lost.',
      runbook: RunbookSection.MESSAGES_NOT_KEPT,
    });
  }

  private warnOfUnwatched(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    const { account, region } = this.topic.env;
    const message = `Messages that SNS cannot dead-letter are counted in ${region} of account ${account}, whose metrics this stack cannot read. Create an alarm there on NumberOfNotificationsFailedToRedriveToDlq of ${this.topic.topicName}.`;
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
      meaning: `More than ${Tokenization.stringifyNumber(thresholdPercent)} percent of delivery attempts fail.`,
      runbook: RunbookSection.DELIVERIES_FAILING,
    });
  }
}

/**
 * SNS sends neither metric while its count is zero, so each is filled with 0 if the other has a value. If neither has
 * one, nothing is filled: metrics arrive late, and if the newest datapoint were filled with 0 until then, an alarm that
 * needs all datapoints would never fire.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
const FAILED = 'FILL(failed, 0 * delivered)';
const ATTEMPTS = `(${FAILED} + FILL(delivered, 0 * failed))`;
const RATE = `100 * ${FAILED} / ${ATTEMPTS}`;

function expressionOf(topic: ITopic, expression: string, options?: MathExpressionOptions): MathExpression {
  const usingMetrics = {
    failed: topic.metricNumberOfNotificationsFailed(),
    delivered: topic.metricNumberOfNotificationsDelivered(),
  };
  return new MathExpression({
    label: 'delivery failures, %',
    ...metricOptions(topic, options),
    expression,
    usingMetrics,
  });
}

/** The percentage of failed attempts; no value without attempts. */
export function failureRate(topic: ITopic, options?: MathExpressionOptions): MathExpression {
  return expressionOf(topic, RATE, options);
}

/** The percentage of failed attempts, but 0 with fewer attempts than `minimumAttempts`. */
function failureRateAbove(topic: ITopic, minimumAttempts: number): MathExpression {
  const atLeast = Tokenization.stringifyNumber(minimumAttempts);
  return expressionOf(topic, `IF(${ATTEMPTS} >= ${atLeast}, ${RATE}, 0)`);
}

function countOf(topic: TopicBase, metricName: string, options?: MetricOptions): Metric {
  const there = isElsewhere(topic, topic) ? topic.env : {};
  return topic.metric(metricName, { statistic: Stats.SUM, ...there, ...metricOptions(topic, options) });
}

/** Counts messages moved to a dead-letter queue. */
export function redriven(topic: TopicBase, options?: MetricOptions): Metric {
  return countOf(topic, 'NumberOfNotificationsRedrivenToDlq', options);
}

/** Counts messages that could not be moved to their dead-letter queue and are lost. */
export function failedToRedrive(topic: TopicBase, options?: MetricOptions): Metric {
  return countOf(topic, 'NumberOfNotificationsFailedToRedriveToDlq', options);
}

/** Counts messages that a body filter rejected because the body is not JSON. */
export function filteredForNoJson(topic: TopicBase, options?: MetricOptions): Metric {
  return countOf(topic, 'NumberOfNotificationsFilteredOut-InvalidMessageBody', options);
}
