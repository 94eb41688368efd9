import { Duration, Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { DeliveryStream, S3Bucket } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Key } from 'aws-cdk-lib/aws-kms';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import {
  DeadLetterAccess,
  DeadLetterQueue,
  DurableTopic,
  FailedEventForm,
  FunctionFailures,
  type FunctionFailuresProps,
  ImportedDeadLetterQueue,
  OpsTopic,
  ProcessingQueue,
} from '../../lib';
import type { Deployed } from './deployed';
import { newRule, newSchedule } from './feeders';
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

/** A function that hears a topic, and what it fails on: kept in a queue that is encrypted. */
function failures(stack: Stack, props: Partial<FunctionFailuresProps>): void {
  const alarmActions = actionsIn(stack);
  const handler = inlineFunction(stack, 'Handler', NOTHING);
  const encryptionKey = new Key(stack, 'FailuresKey');
  new FunctionFailures(stack, 'Failures', { handler, encryptionKey, alarmActions, ...props });
  const orders = new DurableTopic(stack, 'Orders', { alarmActions, logDeliveryStatus: false });
  orders.deliverToFunction('Handler', handler);
}

/** What it fails on are events. */
export function functionAndFailures(stack: Stack): void {
  failures(stack, {});
}

/** What it fails on are records. */
export function functionAndRecords(stack: Stack): void {
  failures(stack, { keptAs: FailedEventForm.RECORD });
}

/** What it fails on are events, and a record of each goes somewhere else. */
export function functionAndDestination(stack: Stack): void {
  const records = new Queue(stack, 'Records', { encryptionMasterKey: new Key(stack, 'RecordsKey') });
  failures(stack, { onFailure: new SqsDestination(records) });
}

/** A dead-letter queue that another stack made, whose policy is written here. */
export function importedLetters(stack: Stack): void {
  const elsewhere = new Stack(stack.node.root, 'Elsewhere');
  stack.addStackDependency(elsewhere);
  const queueName = 'dead';
  new Queue(elsewhere, 'Dead', { queueName });
  const deadLetterQueue = new ImportedDeadLetterQueue(stack, 'DeadLetters', {
    queue: Queue.fromQueueArn(stack, 'Dead', stack.formatArn({ service: 'sqs', resource: queueName })),
    access: DeadLetterAccess.WRITE_POLICY,
    alarmActions: actionsIn(stack),
  });
  const orders = new DurableTopic(stack, 'Orders', { logDeliveryStatus: false });
  orders.deliverToQueue('Queue', new Queue(stack, 'Queue'), { deadLetterQueue });
}

/** A dead-letter queue that is fed neither by a topic nor by a function or queue. */
export function feeders(stack: Stack): void {
  const encryptionMasterKey = new Key(stack, 'FedKey');
  const deadLetterQueue = new DeadLetterQueue(stack, 'Fed', { encryptionMasterKey, alarmActions: actionsIn(stack) });
  deadLetterQueue.fedByRule(newRule(stack, deadLetterQueue));
  deadLetterQueue.fedBySchedule(newSchedule(stack, { deadLetterQueue }));
}

/** A queue with a function that consumes it. */
export function workAndConsumer(stack: Stack): void {
  const work = new ProcessingQueue(stack, 'Work', {
    encryptionMasterKey: new Key(stack, 'WorkKey'),
    visibilityTimeout: Duration.seconds(18),
    alarmActions: actionsIn(stack),
  });
  work.addFunctionConsumer(inlineFunction(stack, 'Worker', NOTHING));
}

/** Lets poison end in the dead-letter queue. */
export async function useWork(deployed: Deployed): Promise<readonly string[]> {
  await deployed.send('Work', 'poison');
  await deployed.advance({ minutes: 5 });
  return [];
}

/** A dead-letter queue, and two people who look after it. */
export function operators(stack: Stack): void {
  const assumedBy = new AccountRootPrincipal();
  const letters = new DeadLetterQueue(stack, 'Dead', { encryptionMasterKey: new Key(stack, 'DeadKey') });
  const destination = new Queue(stack, 'Retry', { encryptionMasterKey: new Key(stack, 'RetryKey') });
  letters.grantPeek(new Role(stack, 'Onlooker', { assumedBy }));
  letters.grantRedrive(new Role(stack, 'Operator', { assumedBy }), destination);
}
