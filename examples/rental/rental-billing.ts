import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { endpointProblems } from '../../lib/shared/addresses';
import { pathOf, throwProblems } from '../../lib/shared/checks';
import { addOwnFunction } from '../../lib/shared/own-function';

/** Properties of a `RentalBilling`. */
export interface RentalBillingProps {
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
    throwProblems(pathOf(scope, id), endpointProblems('billingEndpoint', props.billingEndpoint));
    super(scope, id);
    this.handler = addOwnFunction(this, {
      bundle: 'rental-billing',
      functionName: props.functionName,
      description: 'Turns rental orders into invoices for the billing system.',
      roleDescription: 'Lets the billing function write its log.',
      timeout: Duration.seconds(15),
      logRetention: props.logRetention,
      removalPolicy: props.removalPolicy,
      environment: { BILLING_URL: props.billingEndpoint },
    }).handler;
  }
}
