import { Duration, Tokenization } from 'aws-cdk-lib';
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
import type { ITopic, TopicBase } from 'aws-cdk-lib/aws-sns';
import { type AlarmRow, Alarms, RunbookSection } from '../shared/alarms';
import { warn } from '../shared/checks';
import type { StatusLogging } from './delivery-status-logging';
import type { DeliveryFailureRateAlarmOptions, DurableTopicProps } from './durable-topic-props';
import { isElsewhere } from './recipient';

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

/**
 * SNS sends neither metric while it has nothing to count: each is 0 where there is the other one. Where there is neither,
 * nothing is filled in: metrics come late, a newest datapoint that is filled with 0 stands for each that is still to come, and
 * an alarm on all datapoints would never fire.
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
  return new MathExpression({ label: 'delivery failures, %', ...options, expression, usingMetrics });
}

/** How many of a hundred attempts failed; nothing while there were none. */
export function failureRate(topic: ITopic, options?: MathExpressionOptions): MathExpression {
  return expressionOf(topic, RATE, options);
}

/** The same, and 0 wherever there were fewer attempts than `minimumAttempts`. */
export function failureRateAbove(topic: ITopic, minimumAttempts: number): MathExpression {
  const atLeast = Tokenization.stringifyNumber(minimumAttempts);
  return expressionOf(topic, `IF(${ATTEMPTS} >= ${atLeast}, ${RATE}, 0)`);
}

/** A metric of a topic that may have been made in another account or Region: SNS counts there. */
function countOf(topic: TopicBase, metricName: string, options?: MetricOptions): Metric {
  const there = isElsewhere(topic, topic) ? topic.env : {};
  return topic.metric(metricName, { statistic: Stats.SUM, ...there, ...options });
}

/** Messages moved to a dead-letter queue. */
export function redriven(topic: TopicBase, options?: MetricOptions): Metric {
  return countOf(topic, 'NumberOfNotificationsRedrivenToDlq', options);
}

/** Messages that could not be moved to their dead-letter queue, and are lost. */
export function failedToRedrive(topic: TopicBase, options?: MetricOptions): Metric {
  return countOf(topic, 'NumberOfNotificationsFailedToRedriveToDlq', options);
}

/** Messages no subscription got because a filter of their body found that to be no JSON. */
export function filteredForNoJson(topic: TopicBase, options?: MetricOptions): Metric {
  return countOf(topic, 'NumberOfNotificationsFilteredOut-InvalidMessageBody', options);
}
