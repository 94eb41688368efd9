/**
 * The topic of one team, and the queue and function of another. A delivery is in the stack of its consumer, with its
 * dead-letter queue. So the shop's stack does not depend on the back office.
 */
import { App, Stack, type StackProps } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { DurableTopic, FunctionFailures, OpsTopic, ProcessingQueue } from 'dead-letter-office';

class ShopStack extends Stack {
  readonly ops = new OpsTopic(this, 'Ops', { email: 'ops@example.com' });
  readonly orders = new DurableTopic(this, 'OrdersTopic', { alarmActions: [this.ops] });
}

interface BackOfficeProps extends StackProps {
  readonly shop: ShopStack;
}

class BackOfficeStack extends Stack {
  constructor(app: App, id: string, { shop, ...props }: BackOfficeProps) {
    super(app, id, props);
    const alarmActions = [shop.ops];

    const fulfilment = new ProcessingQueue(this, 'Fulfilment', { alarmActions });
    shop.orders.deliverToQueue('ToFulfilment', fulfilment);

    const billing = new LambdaFunction(this, 'Billing', {
      runtime: Runtime.NODEJS_22_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = async event => console.log(JSON.stringify(event));'),
    });
    new FunctionFailures(this, 'BillingFailures', { handler: billing, alarmActions });
    shop.orders.deliverToFunction('ToBilling', billing);
  }
}

const app = new App();
export const shop = new ShopStack(app, 'Shop');
export const backOffice = new BackOfficeStack(app, 'BackOffice', { shop });
