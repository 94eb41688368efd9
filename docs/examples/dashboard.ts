/**
 * A dashboard for everything that can fail. It is in a stack of its own, and shows constructs of another. Their
 * dead-letter queues are included automatically, and so are later subscriptions.
 */
import { App, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { DurableTopic, FunctionFailures, OpsDashboard, OpsTopic, ProcessingQueue } from 'dead-letter-office';

const app = new App();
export const stack = new Stack(app, 'Orders');
const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];

const orders = new DurableTopic(stack, 'OrdersTopic', { alarmActions });
const fulfilment = new ProcessingQueue(stack, 'Fulfilment', { alarmActions });
const handler = new LambdaFunction(stack, 'Billing', {
  runtime: Runtime.NODEJS_22_X,
  handler: 'index.handler',
  code: Code.fromInline('exports.handler = async event => console.log(JSON.stringify(event));'),
});
const billing = new FunctionFailures(stack, 'BillingFailures', { handler, alarmActions });

export const operations = new Stack(app, 'Operations');
new OpsDashboard(operations, 'Dashboard', { topics: [orders], queues: [fulfilment], functions: [billing] });

orders.deliverToQueue('ToFulfilment', fulfilment);
orders.deliverToFunction('ToBilling', handler);
