import type { Alarm, IAlarm, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { DurableTopic } from '../durable-topic';
import { Alarms, RunbookSection } from './alarms';

/** The alarms of a topic. They are made with its first dead-letter queue: without one there is nothing to watch. */
export class TopicAlarms {
  private readonly alarms: Alarms;

  /** @param name the name the user gave the topic, if any */
  constructor(
    private readonly topic: DurableTopic,
    actions: IAlarmAction[],
    name: string | undefined,
  ) {
    this.alarms = new Alarms(topic, { name, actions, unheard: 'A message is lost' });
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
    return this.alarms.get('LostMessages');
  }

  public watch(): void {
    this.alarms.watch({
      id: 'LostMessages',
      suffix: 'Lost',
      metric: this.topic.metricNotificationsFailedToRedriveToDlq(),
      threshold: 0,
      meaning: 'SNS could neither deliver a message nor put it into its dead-letter queue: it is lost.',
      runbook: RunbookSection.DEAD_LETTERS_LOST,
    });
  }
}
