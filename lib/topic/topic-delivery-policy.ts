import { CustomResource, Stack } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { DeliveryPolicy, ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct, type IConstruct } from 'constructs';
import type { TopicPolicySettings } from '../../policy/delivery-policy/delivery-policy';
import { topicPolicyDocument } from '../../policy/delivery-policy/policy-document';
import type { Problem } from '../../policy/problem';
import { warnOfAnotherAccount } from '../shared/access/resource-policies';
import { TOPIC } from '../shared/cdk-shapes';
import { mismatchProblems, pathOf, throwProblems, warn } from '../shared/checks';
import { BOOLEAN, checkNew, OBJECT, optional, struct } from '../shared/shapes';
import { deliverySettings, topicPolicyProblems } from './delivery-policy-settings';
import { identityOf, nameByTopic, SERVICE_TIMEOUT, TopicSettingsFunction } from './topic-settings-function';

/** Properties of a `TopicDeliveryPolicy`. */
export interface TopicDeliveryPolicyProps {
  /** The topic whose HTTP/S subscriptions use the policy. */
  readonly topic: ITopic;

  /**
   * When and how often SNS retries a failed delivery, the maximum delivery rate, and the content type.
   *
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
   */
  readonly deliveryPolicy: DeliveryPolicy;

  /**
   * Whether the topic's policy overrides those of subscriptions.
   *
   * @default false
   */
  readonly disableSubscriptionOverrides?: boolean;
}

const PROPS = struct<TopicDeliveryPolicyProps>({
  topic: TOPIC,
  deliveryPolicy: OBJECT,
  disableSubscriptionOverrides: optional(BOOLEAN),
});

const SET_ACTION = 'sns:SetTopicAttributes';

function otherPolicyProblems(scope: IConstruct, topic: ITopic): Problem[] {
  const others = scope.node.root.node
    .findAll()
    .filter(it => it instanceof TopicDeliveryPolicy && identityOf(it.topic) === identityOf(topic));
  return others.map(({ node }) => ({
    property: 'topic',
    rule: 'must have no other TopicDeliveryPolicy, because one would overwrite the other',
    value: node.path,
  }));
}

function regionProblems(scope: IConstruct, topic: ITopic): Problem[] {
  return mismatchProblems('topic', 'must be in the Region of the stack,', Stack.of(scope).region, topic.env.region);
}

/**
 * The delivery policy of a topic, for every HTTP/S subscription without one of its own. CloudFormation has no property
 * for it, so a Lambda function sets it. There is one function for all topics of a stack. It may set only this, and
 * the log groups of SNS if topics of the stack have stated names.
 *
 * Deleting the construct restores SNS's default. A change made outside CloudFormation stays until the template changes.
 * The logical id comes from the topic, so the construct can be moved, renamed, or become a child of the topic without
 * changing the live policy.
 *
 * A FIFO topic delivers only to queues and gets the warning `dead-letter-office:delivery-policy-without-effect`. A
 * topic of another account gets the warning `dead-letter-office:topic-of-another-account`, with the statement its
 * policy needs.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html#creating-delivery-policy
 */
export class TopicDeliveryPolicy extends Construct {
  /** The topic whose policy it is. */
  public readonly topic: ITopic;

  /** @throws one error that names each property SNS would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: TopicDeliveryPolicyProps) {
    checkNew(scope, id, props, PROPS);
    const { topic, deliveryPolicy, disableSubscriptionOverrides } = props;
    const settings: TopicPolicySettings = { ...deliverySettings(deliveryPolicy), disableSubscriptionOverrides };
    throwProblems(pathOf(scope, id), [
      ...topicPolicyProblems(settings),
      ...regionProblems(scope, topic),
      ...otherPolicyProblems(scope, topic),
    ]);
    super(scope, id);
    this.topic = topic;
    const provider = TopicSettingsFunction.of(this);
    const access = this.addAccess(provider);
    const resource = new CustomResource(this, 'Resource', {
      serviceToken: provider.serviceToken,
      serviceTimeout: SERVICE_TIMEOUT,
      resourceType: 'Custom::TopicDeliveryPolicy',
      properties: {
        TopicArn: topic.topicArn,
        // As text, because CloudFormation converts the numbers of an object to text.
        DeliveryPolicy: Stack.of(this).toJsonString(topicPolicyDocument(settings)),
      },
    });
    resource.node.addDependency(provider, access);
    nameByTopic(resource, topic, 'TopicDeliveryPolicy');
    nameByTopic(access, topic, 'TopicDeliveryPolicy', 'Access');
    if (topic.fifo) {
      const message =
        'A FIFO topic delivers only to queues, and a delivery policy applies only to HTTP/S: leave it out.';
      warn(this, 'delivery-policy-without-effect', message);
    }
    warnOfAnotherAccount(this, topic, provider.role, SET_ACTION);
  }

  /**
   * A policy for each topic, not a statement in the role: CloudFormation updates resources before it deletes others. So
   * the permission still exists when the delivery policy of a topic is deleted.
   */
  private addAccess({ role }: TopicSettingsFunction): Policy {
    const statements = [new PolicyStatement({ actions: [SET_ACTION], resources: [this.topic.topicArn] })];
    return new Policy(this, 'Access', { statements, roles: [role] });
  }
}
