import type { Alarm, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { DurableTopic } from '../durable-topic';
import { alarmAbove, RunbookSection } from './alarms';
import { warn } from './checks';

/** The alarms of a topic. They are made with its first dead-letter queue: without one there is nothing to watch. */
export class TopicAlarms {
  private lost?: Alarm;

  /** @param topicName the name the user gave the topic, if any */
  constructor(
    private readonly topic: DurableTopic,
    public readonly actions: IAlarmAction[],
    private readonly topicName: string | undefined,
  ) {}

  /** Fires when SNS could not even reach a dead-letter queue; undefined before the first. */
  public get lostMessages(): Alarm | undefined {
    return this.lost;
  }

  public watch(): void {
    if (this.lost) return;
    if (this.actions.length === 0) {
      warn(this.topic, 'alarm-tells-nobody', 'A message is lost and nobody is told: pass alarmActions.');
    }
    this.lost = alarmAbove(this.topic, 'LostMessagesAlarm', {
      metric: this.topic.metricNotificationsFailedToRedriveToDlq(),
      threshold: 0,
      name: this.topicName && `${this.topicName}-Lost`,
      meaning: 'SNS could neither deliver a message nor put it into its dead-letter queue: it is lost.',
      runbook: RunbookSection.DEAD_LETTERS_LOST,
      actions: this.actions,
    });
  }
}
