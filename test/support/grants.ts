import { CloudWatchClient, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, AlarmRule, CompositeAlarm, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { DeliveryStream, S3Bucket } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Key } from 'aws-cdk-lib/aws-kms';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import {
  DeadLetterAccess,
  DeadLetterQueue,
  DurableTopic,
  FailedEventForm,
  FunctionFailures,
  type FunctionFailuresProps,
  HttpRelay,
  ImportedDeadLetterQueue,
  OpsTopic,
  ProcessingQueue,
  Quarantine,
  Redrive,
  RedriveDestination,
  RelayAuthorization,
  RelayEndpoint,
} from '../../lib';
import { response } from '../../local';
import type { Deployed } from './deployed';
import { newRule, newSchedule } from './feeders';
import { inlineFunction } from './inline-function';
import { statedSecret } from './stated-secret';
import { vpcIn } from './vpc';

/** Does nothing. Tests replace its code. */
const NOTHING = 'exports.handler = async () => {};';

/** An encrypted topic with a subscriber. */
function actionsIn(stack: Stack): OpsTopic[] {
  return [new OpsTopic(stack, 'Ops', { email: 'ops@example.com', masterKey: new Key(stack, 'OpsKey') })];
}

/** A topic and its subscribers, each encrypted with its own key if possible. */
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

/** A function that subscribes to a topic. Its failed events go to an encrypted queue. */
function failures(stack: Stack, props: Partial<FunctionFailuresProps>): void {
  const alarmActions = actionsIn(stack);
  const handler = inlineFunction(stack, 'Handler', NOTHING);
  const encryptionKey = new Key(stack, 'FailuresKey');
  new FunctionFailures(stack, 'Failures', { handler, encryptionKey, alarmActions, ...props });
  const orders = new DurableTopic(stack, 'Orders', { alarmActions, logDeliveryStatus: false });
  orders.deliverToFunction('Handler', handler);
}

/** Its failures are stored as events. */
export function functionAndFailures(stack: Stack): void {
  failures(stack, {});
}

/** Its failures are stored as records. */
export function functionAndRecords(stack: Stack): void {
  failures(stack, { keptAs: FailedEventForm.RECORD });
}

/** Its failures are stored as events, and a record of each goes to another destination. */
export function functionAndDestination(stack: Stack): void {
  const records = new Queue(stack, 'Records', { encryptionMasterKey: new Key(stack, 'RecordsKey') });
  failures(stack, { onFailure: new SqsDestination(records) });
}

/** A dead-letter queue of another stack, whose policy this stack writes. */
export function importedMessages(stack: Stack): void {
  const elsewhere = new Stack(stack.node.root, 'Elsewhere');
  stack.node.addDependency(elsewhere);
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
  deadLetterQueue.fedBy(newRule(stack, deadLetterQueue));
  deadLetterQueue.fedBy(newSchedule(stack, { deadLetterQueue }));
}

/** A topic that relays to a partner, with everything that can be secret or encrypted. */
export function relayAndSecrets(stack: Stack): void {
  // The queue and its dead-letter queue have one key. If two statements allow an action, removing one has no effect.
  stack.node.setContext('@aws-cdk/aws-iam:minimizePolicies', true);
  const alarmActions = actionsIn(stack);
  const relay = new HttpRelay(stack, 'Relay', {
    endpoint: RelayEndpoint.fromSecret(statedSecret(stack, 'Where', 'https://partner.example.com/orders')),
    headersSecret: statedSecret(stack, 'Headers', '{"X-Api-Key":"of-good-news"}'),
    authorization: RelayAuthorization.oauthClientCredentials({
      tokenUrl: 'https://auth.example.com/token',
      credentialsSecret: statedSecret(stack, 'Client', '{"client_id":"relay","client_secret":"s3cret"}'),
    }),
    signingSecret: statedSecret(stack, 'Signing', `whsec_${Buffer.from('k'.repeat(32)).toString('base64')}`),
    encryptionMasterKey: new Key(stack, 'RelayKey'),
    retryPolicy: { numRetries: 2 },
    circuitBreaker: { enabled: false },
    alarmActions,
  });
  new DurableTopic(stack, 'Orders', { alarmActions, logDeliveryStatus: false }).deliverToRelay('Partner', relay);
}

/** A topic that relays to a private address, from an imported VPC. */
export function relayInVpc(stack: Stack): void {
  const alarmActions = actionsIn(stack);
  const relay = new HttpRelay(stack, 'Relay', {
    endpoint: RelayEndpoint.fromUrl('https://10.1.2.3/orders'),
    allowedPrivateRanges: ['10.1.0.0/16'],
    vpc: vpcIn(stack),
    retryPolicy: { numRetries: 2 },
    circuitBreaker: { enabled: false },
    alarmActions,
  });
  new DurableTopic(stack, 'Orders', { alarmActions, logDeliveryStatus: false }).deliverToRelay('Partner', relay);
}

/** A topic that relays to a partner, and a breaker that opens at the first failures and has little time until messages expire. */
export function relayAndBreaker(stack: Stack): void {
  stack.node.setContext('@aws-cdk/aws-iam:minimizePolicies', true);
  const alarmActions = actionsIn(stack);
  const relay = new HttpRelay(stack, 'Relay', {
    endpoint: RelayEndpoint.fromUrl('https://partner.example.com/orders'),
    encryptionMasterKey: new Key(stack, 'RelayKey'),
    retryPolicy: { numRetries: 20, minDelayTarget: Duration.minutes(1), maxDelayTarget: Duration.minutes(1) },
    jitterPercent: 0,
    retentionPeriod: Duration.minutes(100),
    circuitBreaker: { thresholdPercent: 0, minimumAttempts: 1 },
    alarmActions,
  });
  new DurableTopic(stack, 'Orders', { alarmActions, logDeliveryStatus: false }).deliverToRelay('Partner', relay);
}

/**
 * The partner is down until the first order expires, and then back: the breaker stops the relay, tries messages, has the first
 * given up and puts a later one back, and starts the relay again.
 */
export async function usePartnerThatIsDown(deployed: Deployed): Promise<void> {
  const partner = deployed.aws.endpoint('partner.example.com');
  partner.behave({ reply: response(503) });
  await deployed.publish('Orders', 'order');
  await deployed.advance({ minutes: 70 });
  // Two, because the breaker tries one of them before it goes through the others.
  await deployed.publish('Orders', 'late order');
  await deployed.publish('Orders', 'another late order');
  await deployed.advance({ minutes: 13 });
  partner.behave();
  await deployed.advance({ minutes: 30 });
}

/** The partner takes an order, fails on one, and is then gone for good. */
export async function usePartner(deployed: Deployed): Promise<void> {
  const partner = deployed.aws.endpoint('partner.example.com');
  deployed.aws.endpoint('auth.example.com').behave({ reply: response(200, '{"access_token":"t0ken"}') });
  await deployed.publish('Orders', 'order');
  await deployed.advance({ minutes: 1 });
  partner.behave({ reply: response(503), count: 1 });
  await deployed.publish('Orders', 'late order');
  await deployed.advance({ minutes: 2 });
  partner.behave({ reply: response(410) });
  await deployed.publish('Orders', 'order in vain');
  await deployed.advance({ minutes: 2 });
}

/** The partner in the VPC takes an order. */
export async function usePartnerInVpc(deployed: Deployed): Promise<void> {
  await deployed.publish('Orders', 'order');
  await deployed.advance({ minutes: 1 });
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

/** Sends poison, which ends in the dead-letter queue. */
export async function useWork(deployed: Deployed): Promise<void> {
  await deployed.send('Work', 'poison');
  await deployed.advance({ minutes: 5 });
}

/** A dead-letter queue, and two operators. */
export function operators(stack: Stack): void {
  const assumedBy = new AccountRootPrincipal();
  const messages = new DeadLetterQueue(stack, 'Dead', { encryptionMasterKey: new Key(stack, 'DeadKey') });
  const destination = new Queue(stack, 'Retry', { encryptionMasterKey: new Key(stack, 'RetryKey') });
  messages.grantPeek(new Role(stack, 'Onlooker', { assumedBy }));
  messages.grantRedrive(new Role(stack, 'Operator', { assumedBy }), destination);
}

/** The lowest size limit of a queue, in bytes. One more attribute makes a message of this size too large. */
const SMALL = 1_024;

/** An alarm that recovers by itself after a test has set it off. */
function recovering(stack: Stack): Alarm {
  const metric = new Metric({ namespace: 'Shop', metricName: 'Failures', period: Duration.minutes(1) });
  const treatMissingData = TreatMissingData.NOT_BREACHING;
  return new Alarm(stack, 'Failing', { metric, threshold: 1, evaluationPeriods: 1, treatMissingData });
}

/** Messages that a topic could not deliver to a queue. SQS moves them when a composite alarm recovers. Each end has its own key. */
export function redriveByTasks(stack: Stack): void {
  const ops = actionsIn(stack);
  const [resultsTopic] = ops;
  const alarmActions = ops;
  const work = new ProcessingQueue(stack, 'Work', { encryptionMasterKey: new Key(stack, 'WorkKey'), alarmActions });
  work.addFunctionConsumer(inlineFunction(stack, 'Worker', NOTHING));
  const encryptionMasterKey = new Key(stack, 'DeadKey');
  const deadLetterQueue = new DeadLetterQueue(stack, 'Dead', { encryptionMasterKey, alarmActions });
  const orders = new DurableTopic(stack, 'Orders', { alarmActions, logDeliveryStatus: false });
  orders.deliverToQueue('Work', work, { deadLetterQueue }).redriveDeadLetters(stack, 'TaskRedrive', {
    enabled: true,
    recoveryAlarms: [new CompositeAlarm(stack, 'AnyFailing', { alarmRule: AlarmRule.anyOf(recovering(stack)) })],
    steps: [{ messagesPerSecond: 1, messages: 1 }, { messagesPerSecond: 500 }],
    alarmActions,
    ...(resultsTopic && { resultsTopic }),
  });
}

/** Fills the queue with more messages than the canary moves until the first check, and lets the alarm recover. */
export async function useTasks(deployed: Deployed): Promise<void> {
  const QueueUrl = deployed.ref('Dead');
  for (let batch = 0; batch < 8; batch += 1) {
    const Entries = Array.from({ length: 10 }, (_, i) => ({ Id: `${i}`, MessageBody: `letter ${10 * batch + i}` }));
    await deployed.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  }
  const alarm = { AlarmName: deployed.ref('Failing'), StateValue: 'ALARM', StateReason: 'It is a test.' } as const;
  await new CloudWatchClient(deployed.aws.clientConfig()).send(new SetAlarmStateCommand(alarm));
  await deployed.advance({ minutes: 25 });
}

/** Failed events of a function, which a redrive replays by a schedule. One is not an event, and ends in quarantine. */
export function redriveByReplay(stack: Stack): void {
  const alarmActions = actionsIn(stack);
  const encryptionKey = new Key(stack, 'FailuresKey');
  const handler = inlineFunction(stack, 'Handler', NOTHING);
  const failures = new FunctionFailures(stack, 'Failures', { handler, encryptionKey, alarmActions });
  const encryptionMasterKey = new Key(stack, 'QuarantineKey');
  new Redrive(stack, 'Redrive', {
    deadLetterQueue: failures.deadLetterQueue,
    destination: RedriveDestination.failedEvents(handler),
    enabled: true,
    schedules: [ScheduleExpression.rate(Duration.minutes(2))],
    quarantine: new Quarantine(stack, 'Quarantine', { encryptionMasterKey, maxMessageSizeBytes: SMALL, alarmActions }),
    alarmActions,
  });
}

/** Sends an event, a message that is not an event, and one that is too large for the quarantine and stays. */
export async function useReplay(deployed: Deployed): Promise<void> {
  for (const message of ['{"order":7}', 'no event', 'x'.repeat(SMALL)]) {
    await deployed.send('Failures/DeadLetterQueue', message);
  }
  await deployed.advance({ minutes: 4 });
}
