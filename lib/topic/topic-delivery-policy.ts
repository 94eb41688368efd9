import { createHash } from 'node:crypto';
import { CfnResource, CustomResource, Duration, RemovalPolicy, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import { Policy, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { DeliveryPolicy, ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct, type IConstruct } from 'constructs';
import type { TopicPolicySettings } from '../../policy/delivery-policy/delivery-policy';
import { topicPolicyDocument } from '../../policy/delivery-policy/policy-document';
import type { Problem } from '../../policy/problem';
import { warnOfAnotherAccount } from '../shared/access/resource-policies';
import { TOPIC } from '../shared/cdk-shapes';
import { pathOf, throwProblems, warn } from '../shared/checks';
import { addOwnFunction } from '../shared/own-function';
import { BOOLEAN, checkNew, OBJECT, optional, struct } from '../shared/shapes';
import { deliverySettings, topicPolicyProblems } from './delivery-policy-settings';

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

/** Identifies a topic in the app: by its ARN if that is known, otherwise by its construct path. */
function identityOf({ topicArn, node }: ITopic): string {
  return Token.isUnresolved(topicArn) ? node.path : topicArn;
}

/** Identifies a topic without the path of its stack, so that moving the stack to another stage replaces nothing. */
function identityWithin(stack: Stack, topic: ITopic): string {
  const identity = identityOf(topic);
  const above = `${stack.node.path}/`;
  return identity.startsWith(above) ? identity.slice(above.length) : identity;
}

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
  const { region } = Stack.of(scope);
  if (Token.compareStrings(region, topic.env.region) !== TokenComparison.DIFFERENT) return [];
  return [{ property: 'topic', rule: `must be in the Region of the stack, ${region}`, value: topic.env.region }];
}

/**
 * The delivery policy of a topic, for every HTTP/S subscription without one of its own. CloudFormation has no property
 * for it, so a Lambda function sets it. There is one function for all topics of a stack, and it may do nothing else.
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
    const provider = TopicPolicyProvider.of(this);
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
    this.nameByTopic(resource, '');
    this.nameByTopic(access, 'Access');
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
  private addAccess({ role }: TopicPolicyProvider): Policy {
    const statements = [new PolicyStatement({ actions: [SET_ACTION], resources: [this.topic.topicArn] })];
    return new Policy(this, 'Access', { statements, roles: [role] });
  }

  /**
   * With another logical id, renaming the construct would make CloudFormation create a new resource and then delete the
   * old one, and with it the topic's policy.
   */
  private nameByTopic(construct: Construct, suffix: string): void {
    const { defaultChild } = construct.node;
    if (!(defaultChild instanceof CfnResource)) throw new Error(`${construct.node.path} has no resource`);
    const hash = createHash('sha256')
      .update(identityWithin(Stack.of(this), this.topic))
      .digest('hex')
      .slice(0, 16);
    defaultChild.overrideLogicalId(`TopicDeliveryPolicy${hash}${suffix}`);
  }
}

const ID = 'DeadLetterOffice-TopicDeliveryPolicies';

/**
 * How long CloudFormation waits: two runs of the function of three minutes each, and Lambda's retry delays of one and
 * two minutes.
 */
const SERVICE_TIMEOUT = Duration.minutes(10);

/** The function that sets the delivery policies of a stack's topics. A stack has one. */
class TopicPolicyProvider extends Construct {
  /** Returns the provider of a stack, and creates it if necessary. */
  static of(scope: IConstruct): TopicPolicyProvider {
    const stack = Stack.of(scope);
    const existing = stack.node.tryFindChild(ID);
    return existing instanceof TopicPolicyProvider ? existing : new TopicPolicyProvider(stack);
  }

  /** The service token of the custom resource. */
  readonly serviceToken: string;
  /**
   * The role of the function. It may write its log, and set the delivery policies of topics, each by a policy of its
   * own.
   */
  readonly role: Role;

  private constructor(stack: Stack) {
    super(stack, ID);
    const { handler, role } = addOwnFunction(this, {
      bundle: 'topic-delivery-policy',
      description: 'Sets the delivery policies of SNS topics for CloudFormation.',
      roleDescription: 'Lets a function set the delivery policies of topics, and write its log.',
      timeout: Duration.minutes(3),
      removalPolicy: RemovalPolicy.DESTROY,
      // The function must not change a topic after CloudFormation has given up on the request.
      maxEventAge: SERVICE_TIMEOUT,
    });
    this.role = role;
    this.serviceToken = handler.functionArn;
  }
}
