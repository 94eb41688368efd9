import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct, type IConstruct } from 'constructs';
import { handlerCode } from './handler-code';

const ID = 'DeadLetterOffice-TopicDeliveryPolicies';

/** How long CloudFormation waits: for two minutes of the function, and Lambda's two retries one and two minutes later. */
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
    const logGroup = new LogGroup(this, 'Log', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = this.addRole(logGroup);
    const handler = new LambdaFunction(this, 'Function', {
      description: 'Sets the delivery policies of SNS topics for CloudFormation.',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: handlerCode('topic-delivery-policy'),
      memorySize: 256,
      timeout: Duration.minutes(3),
      role: this.role,
      logGroup,
      environment: { NODE_OPTIONS: '--enable-source-maps' },
      // A request CloudFormation has given up on must not change a topic any more.
      maxEventAge: SERVICE_TIMEOUT,
    });
    this.serviceToken = handler.functionArn;
  }

  private addRole(logGroup: LogGroup): Role {
    const role = new Role(this, 'Role', {
      description: 'Lets a function set the delivery policies of topics, and write its log.',
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    const actions = ['logs:CreateLogStream', 'logs:PutLogEvents'];
    role.addToPolicy(new PolicyStatement({ actions, resources: [logGroup.logGroupArn] }));
    return role;
  }
}
