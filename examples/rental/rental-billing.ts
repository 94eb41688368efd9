import path from 'node:path';
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime, RuntimeFamily } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { bundleFile } from './bundles';
import { throwProblems, urlProblems } from './checks';

/** Properties of a `RentalBilling`. */
interface RentalBillingProps {
  /** The billing system's URL, which gets a POST for each invoice: absolute, http or https. */
  readonly billingEndpoint: string;

  /**
   * The name of the function.
   *
   * @default - CloudFormation generates one
   */
  readonly functionName?: string;

  /**
   * How long its log is stored.
   *
   * @default RetentionDays.THREE_MONTHS
   */
  readonly logRetention?: RetentionDays;

  /**
   * What happens to the log when the stack is deleted.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
}

/** The function that turns an order into an invoice and posts it to the external billing system. */
export class RentalBilling extends Construct {
  /** The function. */
  public readonly handler: LambdaFunction;

  /** @throws if the billing endpoint is not a URL, or the handler's bundle has not been built */
  constructor(scope: Construct, id: string, props: RentalBillingProps) {
    throwProblems(scope, id, urlProblems('billingEndpoint', props.billingEndpoint));
    super(scope, id);
    const logGroup = new LogGroup(this, 'Log', {
      retention: props.logRetention ?? RetentionDays.THREE_MONTHS,
      removalPolicy: props.removalPolicy,
    });
    this.handler = new LambdaFunction(this, 'Function', {
      functionName: props.functionName,
      description: 'Turns rental orders into invoices for the billing system.',
      // Not `Runtime.NODEJS_24_X`, which older versions of CDK lack.
      runtime: new Runtime('nodejs24.x', RuntimeFamily.NODEJS),
      architecture: Architecture.ARM_64,
      memorySize: 256,
      timeout: Duration.seconds(15),
      handler: 'index.handler',
      code: Code.fromAsset(path.dirname(bundleFile('lambda', 'rental-billing'))),
      role: this.addRole(logGroup),
      logGroup,
      environment: { BILLING_URL: props.billingEndpoint, NODE_OPTIONS: '--enable-source-maps' },
    });
  }

  /** A role that may write only this log group. The managed policy of AWS would allow every log group of the account. */
  private addRole(logGroup: LogGroup): Role {
    const role = new Role(this, 'Role', {
      description: 'Lets the billing function write its log.',
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    const actions = ['logs:CreateLogStream', 'logs:PutLogEvents'];
    role.addToPolicy(new PolicyStatement({ actions, resources: [logGroup.logGroupArn] }));
    return role;
  }
}
