import { createHash } from 'node:crypto';
import { CfnResource, CustomResource, Duration, RemovalPolicy, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import { Policy, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { DeliveryPolicy, ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct, type IConstruct } from 'constructs';
import type { TopicPolicySettings } from '../../policy/delivery-policy/delivery-policy';
import { topicPolicyDocument } from '../../policy/delivery-policy/policy-document';
import type { Problem } from '../../policy/problem';
import { warnOfAnotherAccount } from '../shared/access/resource-policies';
import { pathOf, throwProblems, warn } from '../shared/checks';
import { addOwnFunction } from '../shared/own-function';
import { deliverySettings, topicPolicyProblems } from './endpoint-policy';

/** Properties of a `TopicDeliveryPolicy`. */
export interface TopicDeliveryPolicyProps {
  /** The topic whose HTTP/S subscriptions are delivered by the policy. */
  readonly topic: ITopic;

  /**
   * When and how often a failed delivery is tried again, how fast deliveries come, and as which content type.
   *
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
   */
  readonly deliveryPolicy: DeliveryPolicy;

  /**
   * Whether the topic's policy stands even where a subscription has one of its own.
   *
   * @default false
   */
  readonly disableSubscriptionOverrides?: boolean;
}

const SET_ACTION = 'sns:SetTopicAttributes';

/** What a topic goes by, wherever in the app its policy is made. */
function identityOf({ topicArn, node }: ITopic): string {
  return Token.isUnresolved(topicArn) ? node.path : topicArn;
}

/** The same below a stack, which may be moved to another stage and stay the live stack it is. */
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
    rule: 'must have no other TopicDeliveryPolicy, for one would undo the other',
    value: node.path,
  }));
}

function regionProblems(scope: IConstruct, topic: ITopic): Problem[] {
  const { region } = Stack.of(scope);
  if (Token.compareStrings(region, topic.env.region) !== TokenComparison.DIFFERENT) return [];
  return [{ property: 'topic', rule: `must be in the Region of the stack, ${region}`, value: topic.env.region }];
}

/**
 * The delivery policy of a topic, by which every HTTP/S subscription without one of its own is delivered. CloudFormation
 * has no property for it, so a function of ours sets it: one for all topics of a stack, which may do that and nothing else.
 *
 * Deleted, it gives the topic SNS's default back; what somebody changes by hand stays until the template changes. A topic
 * has one: its logical id comes from the topic, so the construct may be moved or renamed, or become the topic's own child,
 * and the topic keeps its policy meanwhile.
 *
 * A FIFO topic delivers to queues alone and gets the warning `dead-letter-office:delivery-policy-without-effect`; the topic
 * of another account the warning `dead-letter-office:topic-of-another-account`, with the statement its policy needs.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html#creating-delivery-policy
 */
export class TopicDeliveryPolicy extends Construct {
  /** The topic whose policy it is. */
  public readonly topic: ITopic;

  /** @throws one error that names each property SNS would reject, the rule and the value */
  constructor(scope: Construct, id: string, props: TopicDeliveryPolicyProps) {
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
        // As text, for CloudFormation makes text of every number in an object.
        DeliveryPolicy: Stack.of(this).toJsonString(topicPolicyDocument(settings)),
      },
    });
    resource.node.addDependency(provider, access);
    this.nameByTopic(resource, '');
    this.nameByTopic(access, 'Access');
    if (topic.fifo) {
      const message = 'A FIFO topic delivers to queues alone, and a delivery policy is for HTTP/S: leave it out.';
      warn(this, 'delivery-policy-without-effect', message);
    }
    warnOfAnotherAccount(this, topic, provider.role, SET_ACTION);
  }

  /**
   * A policy of its own, not a statement of the role's: when one topic's delivery policy goes, the permission to take it
   * away is still there, for CloudFormation changes what stays before it deletes what goes.
   */
  private addAccess({ role }: TopicPolicyProvider): Policy {
    const statements = [new PolicyStatement({ actions: [SET_ACTION], resources: [this.topic.topicArn] })];
    return new Policy(this, 'Access', { statements, roles: [role] });
  }

  /**
   * By any other name CloudFormation would make the resource anew when the construct is renamed, and then delete the old
   * one, and with it the topic's policy.
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

/** How long CloudFormation waits: for two runs of the function, three minutes each, and Lambda's waits of one minute and two. */
export const SERVICE_TIMEOUT = Duration.minutes(10);

/** The function that sets the delivery policies of a stack's topics; a stack has one. */
export class TopicPolicyProvider extends Construct {
  /** The stack's own, made where it is first asked for. */
  static of(scope: IConstruct): TopicPolicyProvider {
    const stack = Stack.of(scope);
    const existing = stack.node.tryFindChild(ID);
    return existing instanceof TopicPolicyProvider ? existing : new TopicPolicyProvider(stack);
  }

  /** What CloudFormation asks. */
  readonly serviceToken: string;
  /** Who sets the policies: it may write its log, and what each topic's own policy lets it do. */
  readonly role: Role;

  private constructor(stack: Stack) {
    super(stack, ID);
    const { handler, role } = addOwnFunction(this, {
      bundle: 'topic-delivery-policy',
      description: 'Sets the delivery policies of SNS topics for CloudFormation.',
      roleDescription: 'Lets a function set the delivery policies of topics, and write its log.',
      timeout: Duration.minutes(3),
      removalPolicy: RemovalPolicy.DESTROY,
      // A request CloudFormation has given up on must not change a topic any more.
      maxEventAge: SERVICE_TIMEOUT,
    });
    this.role = role;
    this.serviceToken = handler.functionArn;
  }
}
