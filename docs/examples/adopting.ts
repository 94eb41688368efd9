/**
 * Dead-letter queues and alarms for queues, functions and subscriptions a team already has. What is live keeps its
 * construct id, and with it its logical id; docs/adopting.md says what else to mind.
 */
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, DurableTopic, FunctionFailures, OpsTopic, ProcessingQueue } from 'dead-letter-office';

export const stack = new Stack(new App(), 'Orders');
const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];

// A `new Queue` until yesterday. It is the same queue still, and what its consumer fails on is kept.
const fulfilment = new ProcessingQueue(stack, 'Fulfilment', { visibilityTimeout: Duration.minutes(5), alarmActions });

// A queue that is to stay what it is: a dead-letter queue, and who feeds it.
const deadStatistics = new DeadLetterQueue(stack, 'DeadStatistics', { alarmActions });
const statistics = new Queue(stack, 'Statistics', {
  enforceSSL: true,
  deadLetterQueue: { queue: deadStatistics, maxReceiveCount: 5 },
});
deadStatistics.fedByQueue(statistics);

// A function as it always was. Lambda retries what it fails on, and now keeps what it gives up on.
const billing = new LambdaFunction(stack, 'Billing', {
  runtime: Runtime.NODEJS_24_X,
  handler: 'index.handler',
  code: Code.fromInline('exports.handler = async event => console.log(JSON.stringify(event));'),
});
new FunctionFailures(stack, 'BillingFailures', { handler: billing, alarmActions });

// A `new Topic` until yesterday. A subscription that is live stays with addSubscription, and gets a dead-letter queue.
const orders = new DurableTopic(stack, 'OrdersTopic', { alarmActions });
const deadLetterQueue = new DeadLetterQueue(stack, 'UndeliveredToFulfilment', { alarmActions });
orders.addSubscription(new SqsSubscription(fulfilment, { deadLetterQueue }));

// Deliveries that are new.
orders.deliverToQueue('ToStatistics', statistics);
orders.deliverToFunction('ToBilling', billing);
