import {
  CancelMessageMoveTaskCommand,
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListMessageMoveTasksCommand,
  ReceiveMessageCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { DeliveryStream, S3Bucket } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Schedule as OneSchedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { SqsSendMessage } from 'aws-cdk-lib/aws-scheduler-targets';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, DurableTopic, FunctionFailures, OpsTopic, ProcessingQueue } from '../../lib';
import type { Deployed } from './deployed';
import { assuming, attempt } from './everyday-use';
import { inlineFunction } from './inline-function';

/** Does nothing: who deploys it puts something else in its place. */
const NOTHING = 'exports.handler = async () => {};';

/** Somebody who is told, of an encrypted topic. */
function actionsIn(stack: Stack): OpsTopic[] {
  return [new OpsTopic(stack, 'Ops', { email: 'ops@example.com', masterKey: new Key(stack, 'OpsKey') })];
}

/** A topic and whoever it delivers to, each encrypted with a key of its own where it can be. */
export function topicAndDeliveries(stack: Stack): void {
  const alarmActions = actionsIn(stack);
  const deliveryPolicy = { healthyRetryPolicy: { numRetries: 2 } };
  const deliveryStatusLogging = { encryptionKey: new Key(stack, 'LogKey') };
  const masterKey = new Key(stack, 'OrdersKey');
  const orders = new DurableTopic(stack, 'Orders', { masterKey, alarmActions, deliveryPolicy, deliveryStatusLogging });

  orders.deliverToEndpoint('Partner', 'https://partner.example.com/orders');
  orders.deliverToQueue('Queue', new Queue(stack, 'Queue', { encryptionMasterKey: new Key(stack, 'QueueKey') }));
  const destination = new S3Bucket(Bucket.fromBucketName(stack, 'Bucket', 'orders'));
  orders.deliverToFirehose('Stream', new DeliveryStream(stack, 'Stream', { destination }));
}

/** A function that hears a topic, and what it fails on. */
export function functionAndFailures(stack: Stack): void {
  const alarmActions = actionsIn(stack);
  const handler = inlineFunction(stack, 'Handler', NOTHING);
  new FunctionFailures(stack, 'Failures', { handler, encryptionKey: new Key(stack, 'FailuresKey'), alarmActions });
  const orders = new DurableTopic(stack, 'Orders', { alarmActions, logDeliveryStatus: false });
  orders.deliverToFunction('Handler', handler);
}

/** A dead-letter queue that is fed neither by a topic nor by a function or queue. */
export function feeders(stack: Stack): void {
  const encryptionMasterKey = new Key(stack, 'FedKey');
  const deadLetterQueue = new DeadLetterQueue(stack, 'Fed', { encryptionMasterKey, alarmActions: actionsIn(stack) });
  const target = new Queue(stack, 'Target');
  const rule = new Rule(stack, 'Rule', { schedule: Schedule.rate(Duration.minutes(30)) });
  rule.addTarget(new SqsQueue(target, { deadLetterQueue }));
  deadLetterQueue.fedByRule(rule);
  const schedule = new OneSchedule(stack, 'Schedule', {
    schedule: ScheduleExpression.rate(Duration.minutes(30)),
    target: new SqsSendMessage(target, { deadLetterQueue }),
  });
  deadLetterQueue.fedBySchedule(schedule);
}

/** Lets rule and schedule send, and then fail. */
export async function useFeeders(deployed: Deployed): Promise<readonly string[]> {
  await deployed.advance({ minutes: 31 });
  const resource = deployed.arn('Target');
  const forbidden = { httpStatus: 403, code: 'AccessDenied' };
  deployed.aws.faults.set({ service: 'sqs', action: 'SendMessage', resource, ...forbidden });
  return [];
}

/** A queue with a function that consumes it, and two people who look after its dead letters. */
export function workAndOperators(stack: Stack): void {
  const work = new ProcessingQueue(stack, 'Work', {
    encryptionMasterKey: new Key(stack, 'WorkKey'),
    visibilityTimeout: Duration.seconds(18),
    alarmActions: actionsIn(stack),
  });
  work.addFunctionConsumer(inlineFunction(stack, 'Worker', NOTHING));
  operate(stack, work, new Queue(stack, 'Retry', { encryptionMasterKey: new Key(stack, 'RetryKey') }));
}

function operate(stack: Stack, { deadLetters }: ProcessingQueue, destination: Queue): void {
  const assumedBy = new AccountRootPrincipal();
  if (!(deadLetters instanceof DeadLetterQueue)) throw new Error(`${deadLetters.node.path} cannot be redriven`);
  deadLetters.grantPeek(new Role(stack, 'Onlooker', { assumedBy }));
  deadLetters.grantRedrive(new Role(stack, 'Operator', { assumedBy }), destination);
}

async function peek(client: SQSClient, deployed: Deployed): Promise<readonly string[]> {
  const QueueUrl = deployed.ref('Work/DeadLetterQueue');
  const { Messages: [held] = [] } = await deployed.sqs.send(new ReceiveMessageCommand({ QueueUrl }));
  const release = { QueueUrl, ReceiptHandle: held?.ReceiptHandle, VisibilityTimeout: 0 };
  return [
    await attempt('find', () =>
      client.send(new GetQueueUrlCommand({ QueueName: deployed.name('Work/DeadLetterQueue') })),
    ),
    await attempt('count', () => client.send(new GetQueueAttributesCommand({ QueueUrl }))),
    await attempt('put back', () => client.send(new ChangeMessageVisibilityCommand(release))),
    await attempt('look', () => client.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 0 }))),
  ];
}

async function redrive(client: SQSClient, deployed: Deployed): Promise<readonly string[]> {
  const SourceArn = deployed.arn('Work/DeadLetterQueue');
  const DestinationArn = deployed.arn('Retry');
  let TaskHandle: string | undefined;
  const start = async () => {
    const request = new StartMessageMoveTaskCommand({ SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: 1 });
    ({ TaskHandle } = await client.send(request));
  };
  const started = await attempt('redrive', start);
  await deployed.advance({ seconds: 1 });
  return [
    started,
    await attempt('watch', () => client.send(new ListMessageMoveTasksCommand({ SourceArn }))),
    await attempt('stop', () => client.send(new CancelMessageMoveTaskCommand({ TaskHandle }))),
  ];
}

/** Lets poison end in the dead-letter queue, which is then looked at and moved. */
export async function useWork(deployed: Deployed): Promise<readonly string[]> {
  for (let i = 0; i < 4; i += 1) await deployed.send('Work', 'poison');
  await deployed.advance({ minutes: 5 });
  const peeked = await peek(await assuming(deployed.aws, deployed.arn('Onlooker')), deployed);
  return [...peeked, ...(await redrive(await assuming(deployed.aws, deployed.arn('Operator')), deployed))];
}
