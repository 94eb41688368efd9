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
import type { Problem } from '../../policy/problem';
import { alarmConditions, grantCloudWatchOnKey } from '../shared/access/key';
import { mailAddressProblems } from '../shared/addresses';
import { absentProblems, atSynthesis, pathOf, throwProblems, warn } from '../shared/checks';
import { mentions } from '../shared/construct-tree';
import { topicPropsProblems } from '../topic/durable-topic-props';

/** Properties of an `OpsTopic`. */
export interface OpsTopicProps extends TopicProps {
  /**
   * The mailbox told of each alarm. SNS first asks it to confirm. Not with `fifo`, for a FIFO topic sends no mail.
   *
   * @default - nobody is subscribed, and unless something else of the app is, the warning
   * `dead-letter-office:ops-topic-unheard` says so
   */
  readonly email?: string;
}

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
 * The topic alarms speak to. It is an alarm action, so pass it wherever `alarmActions` are asked for.
 *
 * CloudWatch may publish to it, for the alarms of its own account and Region only. With `masterKey`, CloudWatch may use
 * the key too; without that grant an alarm fires, the message is refused, and only the alarm's history says so.
 * EventBridge is let in by the target of a rule, `SnsTopic` of aws-cdk-lib, and whoever else is to speak here by
 * `grantPublish`.
 *
 * An alarm of ours that speaks to another topic of the app, whose policy or key does not let CloudWatch in, gets its owner
 * the warning `dead-letter-office:alarm-topic-closed`. One that speaks to a FIFO topic, this one made so among them, gets
 * it `dead-letter-office:alarm-topic-fifo`: AWS does not say in which message group CloudWatch would publish there.
 *
 * One that nothing in the app is subscribed to, be it a mailbox, a pager or a chat of Amazon Q, gets the warning
 * `dead-letter-office:ops-topic-unheard`: acknowledge it where somebody elsewhere is.
 *
 * What cannot be delivered from here is lost, and that is meant: a dead-letter queue would need an alarm, and the alarm
 * a topic that can be delivered from. A mailbox alone is one way to fail: SNS suspends it above 10 mails a second, and
 * anybody who has one of the mails can unsubscribe it. Subscribe a second way beside it, such as a pager or a chat, and
 * look at the alarms themselves, which stay in ALARM whether or not anybody was told.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services
 */
export class OpsTopic extends Topic implements IAlarmAction {
  private readonly access?: IDependable;

  /** @throws one error that names each property SNS would reject, the rule and the value; `email` of a FIFO topic among them */
  constructor(scope: Construct, id: string, props: OpsTopicProps = {}) {
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
    if (props.masterKey) grantCloudWatchOnKey(this, props.masterKey);
    if (email) new Subscription(this, 'Email', { topic: this, protocol: SubscriptionProtocol.EMAIL, endpoint: email });
    warnIfNoSubscriber(this);
  }

  /**
   * Makes this topic the action of an alarm, which then waits until the topic lets it publish. An alarm of another stack
   * waits for this one's anyway, as it names the topic.
   */
  public bind(_scope: Construct, alarm: IAlarm): AlarmActionConfig {
    if (this.access && outermostStackOf(alarm) === outermostStackOf(this)) alarm.node.addDependency(this.access);
    return { alarmActionArn: this.topicArn };
  }
}

/** What a resource that hears topics has for the topics it hears; undefined where it hears none. */
function topicsHeardBy(resource: CfnResource): unknown {
  if (resource instanceof CfnSubscription) return resource.topicArn;
  const isChat =
    resource instanceof CfnSlackChannelConfiguration || resource instanceof CfnMicrosoftTeamsChannelConfiguration;
  return isChat ? resource.snsTopicArns : undefined;
}

/** The ends an ARN of a topic may have where somebody spells it out: none while the topic has no name of its own. */
function isSpeltOut(topic: Topic, heard: unknown): boolean {
  const resource = topic.node.defaultChild;
  const name = resource instanceof CfnTopic ? resource.topicName : undefined;
  if (name === undefined || Token.isUnresolved(name)) return false;
  const arns: unknown[] = Array.isArray(heard) ? heard : [heard];
  return arns.some(arn => typeof arn === 'string' && arn.endsWith(`:${name}`));
}

function isHeard(topic: Topic): boolean {
  return topic.node.root.node.findAll().some(it => {
    if (!CfnResource.isCfnResource(it)) return false;
    const heard = topicsHeardBy(it);
    return mentions(it, heard, topic.topicArn) || isSpeltOut(topic, heard);
  });
}

/** Warns at synthesis of a topic for operators that nothing in the app is subscribed to. */
export function warnIfNoSubscriber(topic: Topic): void {
  atSynthesis(topic, () => {
    if (isHeard(topic)) return;
    const message = 'Alarms speak here and nobody hears them: give it an email, or another subscription.';
    warn(topic, 'ops-topic-unheard', message);
  });
}
