/**
 * Adds dead-letter queues and alarms to the existing queues, functions and subscriptions of a team. Live resources keep
 * their construct ids and so their logical ids. docs/adopting.md says what else to watch out for.
 */
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, DurableTopic, FunctionFailures, OpsTopic, ProcessingQueue } from 'dead-letter-office';

export const stack = new Stack(new App(), 'Orders');
const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];

// This was a `new Queue`. It stays the same live queue, and messages that its consumer fails on are now stored.
const fulfilment = new ProcessingQueue(stack, 'Fulfilment', { visibilityTimeout: Duration.minutes(5), alarmActions });

// This queue stays as it is. It gets a dead-letter queue, which declares it as its source.
const deadStatistics = new DeadLetterQueue(stack, 'DeadStatistics', { alarmActions });
const statistics = new Queue(stack, 'Statistics', {
  enforceSSL: true,
  deadLetterQueue: { queue: deadStatistics, maxReceiveCount: 5 },
});
deadStatistics.fedBy(statistics);

// The function does not change. Lambda retries failed events as before, and stores those it gives up on.
const billing = new LambdaFunction(stack, 'Billing', {
  runtime: Runtime.NODEJS_22_X,
  handler: 'index.handler',
  code: Code.fromInline('exports.handler = async event => console.log(JSON.stringify(event));'),
});
new FunctionFailures(stack, 'BillingFailures', { handler: billing, alarmActions });

// This was a `new Topic`. A live subscription stays with addSubscription and gets a dead-letter queue.
const orders = new DurableTopic(stack, 'OrdersTopic', { alarmActions });
const deadLetterQueue = new DeadLetterQueue(stack, 'UndeliveredToFulfilment', { alarmActions });
orders.addSubscription(new SqsSubscription(fulfilment, { deadLetterQueue }));

// New deliveries.
orders.deliverToQueue('ToStatistics', statistics);
orders.deliverToFunction('ToBilling', billing);
