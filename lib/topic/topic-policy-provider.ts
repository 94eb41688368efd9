import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { Construct, type IConstruct } from 'constructs';
import { addOwnFunction } from '../shared/own-functions/own-function';

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
