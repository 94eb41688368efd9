import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { pathOf, throwProblems } from './private/checks';
import { endpointProblems } from './private/endpoint-url';
import { handlerCode } from './private/handler-code';

/** Properties of a `RentalBilling`. */
export interface RentalBillingProps {
  /** The billing system's URL, which gets a POST for each invoice: absolute, http or https. */
  readonly billingEndpoint: string;

  /**
   * The name of the function.
   *
   * @default - CloudFormation makes one up
   */
  readonly functionName?: string;

  /**
   * How long its log is kept.
   *
   * @default RetentionDays.THREE_MONTHS
   */
  readonly logRetention?: RetentionDays;

  /**
   * What becomes of the log when the stack is deleted.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
}

/** The function that turns an order into an invoice and posts it to the billing system outside. */
export class RentalBilling extends Construct {
  /** The function. */
  public readonly handler: LambdaFunction;

  /** @throws if the billing endpoint is not a URL, or the handler's bundle has not been built */
  constructor(scope: Construct, id: string, props: RentalBillingProps) {
    throwProblems(pathOf(scope, id), endpointProblems('billingEndpoint', props.billingEndpoint));
    super(scope, id);
    const logGroup = new LogGroup(this, 'Log', {
      retention: props.logRetention ?? RetentionDays.THREE_MONTHS,
      removalPolicy: props.removalPolicy,
    });
    this.handler = new LambdaFunction(this, 'Function', {
      functionName: props.functionName,
      description: 'Turns rental orders into invoices for the billing system.',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: handlerCode('rental-billing'),
      memorySize: 256,
      timeout: Duration.seconds(15),
      role: this.addRole(logGroup),
      logGroup,
      environment: { BILLING_URL: props.billingEndpoint, NODE_OPTIONS: '--enable-source-maps' },
    });
  }

  /** Its own log and nothing else, instead of a managed policy for every log group of the account. */
  private addRole(logGroup: LogGroup): Role {
    const role = new Role(this, 'Role', {
      description: 'Lets the billing function write its log.',
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    role.addToPolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    return role;
  }
}
