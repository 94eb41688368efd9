/**
 * Everything encrypted with a key of one's own: topics, queues, and all dead-letter queues. The key's policy comes to let
 * in SNS, which fills the queues, and CloudWatch, whose alarms speak through the topic; the function's role may use the
 * key to send its own dead letters. Each of these grants, left out, loses messages without a word.
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
  runtime: Runtime.NODEJS_24_X,
  handler: 'index.handler',
  code: Code.fromInline('exports.handler = async event => console.log(JSON.stringify(event));'),
});
new FunctionFailures(stack, 'BillingFailures', { handler: billing, encryptionKey: key, alarmActions });
orders.deliverToFunction('ToBilling', billing);
