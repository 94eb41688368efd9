import type { AlarmActionConfig, IAlarm, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Subscription, SubscriptionProtocol, Topic, type TopicProps } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { alarmConditions, grantCloudWatchOnKey } from './private/service-access';

/** Properties of an `OpsTopic`. */
export interface OpsTopicProps extends TopicProps {
  /**
   * The mailbox told of each alarm. SNS first asks it to confirm.
   *
   * @default - nobody is subscribed
   */
  readonly email?: string;
}

/**
 * The topic alarms speak to. It is an alarm action, so pass it wherever `alarmActions` are asked for.
 *
 * CloudWatch may publish to it, for the alarms of its own account and Region only. With `masterKey`, CloudWatch may use
 * the key too; without that grant an alarm fires, the message is refused, and only the alarm's history says so.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services
 */
export class OpsTopic extends Topic implements IAlarmAction {
  constructor(scope: Construct, id: string, props: OpsTopicProps = {}) {
    const { email, ...topic } = props;
    super(scope, id, { ...topic, enforceSSL: topic.enforceSSL ?? true });
    this.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        conditions: alarmConditions(this),
      }),
    );
    if (props.masterKey) grantCloudWatchOnKey(this, props.masterKey);
    if (email) new Subscription(this, 'Email', { topic: this, protocol: SubscriptionProtocol.EMAIL, endpoint: email });
  }

  /** Makes this topic the action of an alarm. */
  public bind(_scope: Construct, _alarm: IAlarm): AlarmActionConfig {
    return { alarmActionArn: this.topicArn };
  }
}
