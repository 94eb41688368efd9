import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';

/** Properties of an `ImportedTopic`. */
export interface ImportedTopicProps {
  /** The topic: `Topic.fromTopicArn`, or `Topic.fromTopicAttributes` where you publish to it and it has a key. */
  readonly topic: ITopic;

  /**
   * Who is told when an alarm of this stack on the topic, or of a dead-letter queue made for a delivery, fires. An
   * `OpsTopic` is such an action. At most 5, in the Region of the alarm.
   *
   * @default - nobody, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];
}
