/**
 * Encrypts topics, queues and dead-letter queues with one key. Its policy then allows SNS, which sends to the queues,
 * and CloudWatch, whose alarms publish to the topic. The function's role may use the key to send its dead letters.
 * Without any one of these grants, messages would be lost silently.
 */
import { App, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { DurableTopic, FunctionFailures, OpsTopic, ProcessingQueue } from 'dead-letter-office';

export const stack = new Stack(new App(), 'Orders');
const key = new Key(stack, 'Key', { enableKeyRotation: true });
const alarmActions = [new OpsTopic(stack, 'Ops', { masterKey: key, email: 'ops@example.com' })];

const orders = new DurableTopic(stack, 'OrdersTopic', { masterKey: key, alarmActions });

const fulfilment = new ProcessingQueue(stack, 'Fulfilment', { encryptionMasterKey: key, alarmActions });
orders.deliverToQueue('ToFulfilment', fulfilment);

const billing = new LambdaFunction(stack, 'Billing', {
  runtime: Runtime.NODEJS_22_X,
  handler: 'index.handler',
  code: Code.fromInline('exports.handler = async event => console.log(JSON.stringify(event));'),
});
new FunctionFailures(stack, 'BillingFailures', { handler: billing, encryptionKey: key, alarmActions });
orders.deliverToFunction('ToBilling', billing);
