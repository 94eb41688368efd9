import { CfnResource, Stack, Token } from 'aws-cdk-lib';
import { CfnMicrosoftTeamsChannelConfiguration, CfnSlackChannelConfiguration } from 'aws-cdk-lib/aws-chatbot';
import type { AlarmActionConfig, IAlarm, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  CfnSubscription,
  CfnTopic,
  Subscription,
  SubscriptionProtocol,
  Topic,
  type TopicProps,
} from 'aws-cdk-lib/aws-sns';
import type { Construct, IConstruct, IDependable } from 'constructs';
import { listOfOneOrMore } from '../../policy/json-members';
import type { Problem } from '../../policy/problem';
import { alarmConditions, grantCloudWatchOnKey } from '../shared/access/key';
import { checkTopicPolicy } from '../shared/access/policy-limits';
import { mailAddressProblems } from '../shared/addresses';
import { absentProblems, atSynthesis, pathOf, throwProblems, warn } from '../shared/checks';
import { mentions } from '../shared/construct-tree';
import { checkNew, optional, STRING, struct } from '../shared/shapes';
import { topicPropsProblems } from '../topic/durable-topic-props';

/** Properties of an `OpsTopic`. */
export interface OpsTopicProps extends TopicProps {
  /**
   * The email address that is notified of each alarm. SNS first asks it to confirm. Not together with `fifo`, because a
   * FIFO topic cannot send email.
   *
   * @default - no subscription, and the warning `dead-letter-office:ops-topic-unheard` unless the app adds one
   */
  readonly email?: string;
}

const PROPS = struct<Omit<OpsTopicProps, keyof TopicProps>>({ email: optional(STRING) });

function mailboxProblems(email: string, { fifo }: TopicProps): Problem[] {
  return [
    ...mailAddressProblems('email', email),
    ...(fifo ? absentProblems('email', email, 'where fifo is true') : []),
  ];
}

function outermostStackOf(construct: IConstruct): Stack {
  const stack = Stack.of(construct);
  return stack.nestedStackParent ? outermostStackOf(stack.nestedStackParent) : stack;
}

/**
 * The topic that alarms publish to. It is an alarm action: pass it as one of the `alarmActions`.
 *
 * CloudWatch may publish to it, but only alarms of its own account and Region. With `masterKey`, CloudWatch may use the
 * key too. Without that grant, SNS would reject the message of an alarm, and only the alarm history would show it. For
 * EventBridge, use the rule target `SnsTopic` of aws-cdk-lib; for other senders, call `grantPublish`.
 *
 * If an alarm publishes to another topic of the app, whose policy or key does not allow CloudWatch, the alarm's owner
 * gets the warning `dead-letter-office:alarm-topic-closed`. If it publishes to a FIFO topic, including an `OpsTopic`
 * created with `fifo`, it gets `dead-letter-office:alarm-topic-fifo`, because AWS does not document which message group
 * CloudWatch uses (assumption CW-6).
 *
 * A topic without any subscription in the app gets the warning `dead-letter-office:ops-topic-unheard`. Acknowledge it
 * if a subscription exists elsewhere.
 *
 * A message that this topic cannot deliver is lost by design: a dead-letter queue would need an alarm, and the alarm
 * another topic. One email address alone is not enough: SNS suspends it above 10 emails per second, and any reader of
 * an email can unsubscribe it. Add a second subscription, such as a pager or a chat. Also watch the alarms themselves:
 * they stay in ALARM even if no notification arrived. docs/ops-topic.md in this project's repository has examples: a chat
 * channel, a pager through a relay, and quiet hours.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services
 */
export class OpsTopic extends Topic implements IAlarmAction {
  private readonly access?: IDependable;

  /**
   * @throws one error that names each property SNS would reject, the rule and the value, including `email` for a FIFO
   * topic
   */
  constructor(scope: Construct, id: string, props: OpsTopicProps = {}) {
    checkNew(scope, id, props, PROPS);
    const { email, ...topic } = props;
    const mailbox = email === undefined ? [] : mailboxProblems(email, topic);
    throwProblems(pathOf(scope, id), [...topicPropsProblems(topic), ...mailbox]);
    super(scope, id, { ...topic, enforceSSL: topic.enforceSSL ?? true });
    const { policyDependable } = this.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        resources: [this.topicArn],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        conditions: alarmConditions(this),
      }),
    );
    this.access = policyDependable;
    checkTopicPolicy(this);
    if (props.masterKey) grantCloudWatchOnKey(this, props.masterKey);
    if (email) new Subscription(this, 'Email', { topic: this, protocol: SubscriptionProtocol.EMAIL, endpoint: email });
    warnIfNoSubscriber(this);
  }

  /**
   * Makes this topic the action of an alarm. The alarm then depends on the topic policy. An alarm of another stack
   * depends on it anyway, because it names the topic.
   */
  public bind(_scope: Construct, alarm: IAlarm): AlarmActionConfig {
    if (this.access && outermostStackOf(alarm) === outermostStackOf(this)) alarm.node.addDependency(this.access);
    return { alarmActionArn: this.topicArn };
  }
}

/** The topics that a resource subscribes to; undefined for a resource that does not subscribe to topics. */
function subscribedTopics(resource: CfnResource): unknown {
  if (resource instanceof CfnSubscription) return resource.topicArn;
  const isChat =
    resource instanceof CfnSlackChannelConfiguration || resource instanceof CfnMicrosoftTeamsChannelConfiguration;
  return isChat ? resource.snsTopicArns : undefined;
}

/** Whether a subscription spells out the ARN of a topic, which is possible only if the topic has a physical name. */
function isNamedLiterally(topic: Topic, heard: unknown): boolean {
  const resource = topic.node.defaultChild;
  const name = resource instanceof CfnTopic ? resource.topicName : undefined;
  if (name === undefined || Token.isUnresolved(name)) return false;
  return listOfOneOrMore(heard).some(arn => typeof arn === 'string' && arn.endsWith(`:${name}`));
}

function hasSubscriber(topic: Topic): boolean {
  return topic.node.root.node.findAll().some(it => {
    if (!CfnResource.isCfnResource(it)) return false;
    const heard = subscribedTopics(it);
    return mentions(it, heard, topic.topicArn) || isNamedLiterally(topic, heard);
  });
}

/** Warns at synthesis about an `OpsTopic` without any subscription in the app. */
function warnIfNoSubscriber(topic: Topic): void {
  atSynthesis(topic, () => {
    if (hasSubscriber(topic)) return;
    const message = 'Alarms publish to this topic, but it has no subscription: set email, or add another subscription.';
    warn(topic, 'ops-topic-unheard', message);
  });
}
