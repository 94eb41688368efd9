import type { Stack } from 'aws-cdk-lib';
import { DeliveryStream, S3Bucket } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { SubscriptionFilter, Topic } from 'aws-cdk-lib/aws-sns';
import { SmsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic, type TopicDeliveryOptions } from '../../lib';
import type { RecipientBehaviour } from '../../local';
import { assemblyOfStack, editTemplate } from '../support/assembly';
import { Deployed } from '../support/deployed';

const MAILBOX = 'ops@example.com';
const PHONE = '+15550100';
const DEVICE_ARN = 'arn:aws:sns:us-east-1:123456789012:endpoint/GCM/Rental/5e3e9847-3183-3f18-a7e8-671c3a57d4b3';
const ORDER = '{"orderId":"A-1"}';
const DEAD_LETTERS = 'Orders/Deliveries/X/DeadLetterQueue';

/** Each is 1 + 50 attempts, over 6 hours: SNS retries people, devices and a stream that throttles by one schedule. */
const ATTEMPTS = 51;

const answering = (statusCode: number, errorCode?: string): RecipientBehaviour => ({
  outcome: { kind: 'answered', statusCode, ...(errorCode !== undefined && { errorCode }) },
});

interface Kind {
  readonly protocol: string;
  readonly deliver: (topic: DurableTopic, options: TopicDeliveryOptions) => unknown;
  readonly recipient: (deployed: Deployed) => string;
  /** An answer that is final. */
  readonly no: RecipientBehaviour;
  /** An answer after which SNS tries again. */
  readonly notNow: RecipientBehaviour;
  /** Whether what reaches the recipient has SNS's envelope. */
  readonly isEnveloped: boolean;
  readonly isLogged: boolean;
}

const KINDS: readonly Kind[] = [
  {
    protocol: 'email',
    deliver: (topic, options) => topic.deliverToEmail('X', MAILBOX, options),
    recipient: () => MAILBOX,
    no: answering(550),
    notNow: answering(451),
    isEnveloped: false,
    isLogged: false,
  },
  {
    protocol: 'email-json',
    deliver: (topic, options) => topic.deliverToEmail('X', MAILBOX, { ...options, json: true }),
    recipient: () => MAILBOX,
    no: answering(550),
    notNow: answering(451),
    isEnveloped: true,
    isLogged: false,
  },
  {
    protocol: 'sms',
    deliver: (topic, options) => topic.deliverToSms('X', PHONE, options),
    recipient: () => PHONE,
    no: answering(400, 'Phone has blocked SMS'),
    notNow: answering(400, 'Phone is currently unreachable/unavailable'),
    isEnveloped: false,
    isLogged: false,
  },
  {
    protocol: 'application',
    deliver: (topic, options) => topic.deliverToPush('X', DEVICE_ARN, options),
    recipient: () => DEVICE_ARN,
    no: answering(400, 'InvalidRegistration'),
    notNow: answering(503, 'Unavailable'),
    isEnveloped: false,
    isLogged: true,
  },
  {
    protocol: 'firehose',
    deliver: (topic, options) => topic.deliverToFirehose('X', streamIn(topic.stack), options),
    recipient: deployed => deployed.arn('Stream'),
    no: answering(400, 'ResourceNotFoundException'),
    notNow: answering(429),
    isEnveloped: true,
    isLogged: true,
  },
];

function streamIn(stack: Stack): DeliveryStream {
  const destination = new S3Bucket(Bucket.fromBucketName(stack, 'Bucket', 'orders'));
  return new DeliveryStream(stack, 'Stream', { destination });
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
}

/** Leaves of each policy of a type the statements that are wanted. */
function leaveStatements(assembly: string, type: string, wanted: (statement: Statement) => boolean): void {
  editTemplate(assembly, 'Test', ({ Resources }) => {
    for (const { Type, Properties = {} } of Object.values(Resources)) {
      if (Type !== type) continue;
      const document = Properties['PolicyDocument'] as { Statement: Statement[] };
      document.Statement = document.Statement.filter(wanted);
    }
  });
}

function stackOf({ deliver }: Kind, options: TopicDeliveryOptions = {}) {
  return (stack: Stack) => void deliver(new DurableTopic(stack, 'Orders'), options);
}

async function started(kind: Kind, assembly: string): Promise<Deployed> {
  const deployed = await Deployed.assembly(assembly);
  await deployed.aws.runUntilIdle();
  if (kind.protocol.startsWith('email')) deployed.aws.confirmSubscription(MAILBOX);
  return deployed;
}

describe.each(KINDS)('A delivery by $protocol', kind => {
  const deploy = (options?: TopicDeliveryOptions) => started(kind, assemblyOfStack(stackOf(kind, options)));

  const reached = (deployed: Deployed) =>
    deployed.aws.recipients
      .receipts(kind.recipient(deployed))
      .filter(({ token }) => token === undefined)
      .map(({ body }) => (kind.isEnveloped ? JSON.parse(body).Message : body));

  test('arrives', async () => {
    const deployed = await deploy();
    await deployed.publish('Orders', ORDER);
    await deployed.aws.runUntilIdle();
    expect(reached(deployed)).toEqual([ORDER]);
    expect(await deployed.take(DEAD_LETTERS)).toEqual([]);
  });

  test('that is refused is in its dead-letter queue, and the alarm says so within the minute', async () => {
    const deployed = await deploy();
    deployed.aws.recipients.behave(kind.recipient(deployed), kind.no);
    const sentAt = deployed.seconds;
    const messageId = await deployed.publish('Orders', ORDER);
    await deployed.advance({ minutes: 2 });
    expect(reached(deployed)).toEqual([]);
    const [message = '', ...others] = await deployed.take(DEAD_LETTERS);
    expect(others).toEqual([]);
    expect(JSON.parse(message)).toMatchObject({ Type: 'Notification', MessageId: messageId, Message: ORDER });
    expect(deployed.happened('sns.dead-lettered')).toMatchObject([{ messageId, attempts: 1 }]);
    const [rang = Number.NaN] = deployed.alarmed(`${DEAD_LETTERS}/ArrivalsAlarm`);
    expect(rang - sentAt).toBeLessThanOrEqual(60);
    expect(await deployed.topicSum('Orders', 'NumberOfNotificationsRedrivenToDlq')).toBe(1);
  });

  test('is tried again for six hours, and kept when all was in vain', async () => {
    const deployed = await deploy();
    deployed.aws.recipients.behave(kind.recipient(deployed), kind.notNow);
    const sentAt = deployed.seconds;
    await deployed.publish('Orders', ORDER);
    await deployed.aws.runUntilIdle();
    expect(deployed.happened('sns.dead-lettered')).toMatchObject([{ attempts: ATTEMPTS }]);
    const [dead] = deployed.happened('sns.dead-lettered');
    expect(Math.floor((deployed.secondsAt(dead?.atMs ?? 0) - sentAt) / 3_600)).toBe(6);
    expect(await deployed.take(DEAD_LETTERS)).toHaveLength(1);
  });

  test('is logged with its answer, where SNS logs it at all', async () => {
    const deployed = await deploy();
    deployed.aws.recipients.behave(kind.recipient(deployed), kind.no);
    await deployed.publish('Orders', ORDER);
    await deployed.aws.runUntilIdle();
    const records = deployed.log(`sns/us-east-1/123456789012/${deployed.name('Orders')}/Failure`);
    const destinations = records.map(record => JSON.parse(record).delivery.destination);
    expect(destinations).toEqual(kind.isLogged ? [kind.recipient(deployed)] : []);
  });

  test('that was not asked for is neither sent nor kept', async () => {
    const allowlist = ['confirmed'];
    const deployed = await deploy({ filterPolicy: { status: SubscriptionFilter.stringFilter({ allowlist }) } });
    const statusIs = (StringValue: string) => ({ MessageAttributes: { status: { DataType: 'String', StringValue } } });
    await deployed.publish('Orders', 'no', statusIs('canceled'));
    await deployed.publish('Orders', 'yes', statusIs('confirmed'));
    await deployed.aws.runUntilIdle();
    expect(reached(deployed)).toEqual(['yes']);
    expect(await deployed.take(DEAD_LETTERS)).toEqual([]);
  });

  test('is lost without the policy of its dead-letter queue, and the topic’s alarm says so', async () => {
    const assembly = assemblyOfStack(stackOf(kind));
    leaveStatements(assembly, 'AWS::SQS::QueuePolicy', ({ Effect }) => Effect === 'Deny');
    const deployed = await started(kind, assembly);
    deployed.aws.recipients.behave(kind.recipient(deployed), kind.no);
    await deployed.publish('Orders', ORDER);
    await deployed.advance({ minutes: 2 });
    expect(deployed.happened('sns.lost')).toHaveLength(1);
    expect(deployed.alarmed('Orders/LostMessagesAlarm')).toHaveLength(1);
  });
});

test('A phone that has opted out gets nothing, and what it was to get is kept', async () => {
  const deployed = await Deployed.stack(stack => new DurableTopic(stack, 'Orders').deliverToSms('X', PHONE));
  deployed.aws.services.sns.phones.optOut(PHONE);
  await deployed.publish('Orders', ORDER);
  await deployed.aws.runUntilIdle();
  expect(deployed.aws.recipients.receipts(PHONE)).toEqual([]);
  expect(await deployed.take(DEAD_LETTERS)).toHaveLength(1);
});

/** Hole 4. */
test('A text message that plain aws-cdk-lib sends is lost, dead-letter queue or not', async () => {
  const deployed = await Deployed.stack(stack => {
    const deadLetterQueue = new Queue(stack, 'Dlq');
    new Topic(stack, 'Orders').addSubscription(new SmsSubscription(PHONE, { deadLetterQueue }));
  });
  deployed.aws.recipients.behave(PHONE, answering(400, 'Phone has blocked SMS'));
  await deployed.publish('Orders', ORDER);
  await deployed.aws.runUntilIdle();
  expect(deployed.happened('sns.lost')).toHaveLength(1);
  expect(await deployed.take('Dlq')).toEqual([]);
});

test('A stream whose role may not write gets nothing, and its messages are kept', async () => {
  const assembly = assemblyOfStack(stack => {
    new DurableTopic(stack, 'Orders', { logDeliveryStatus: false }).deliverToFirehose('X', streamIn(stack));
  });
  leaveStatements(assembly, 'AWS::IAM::Policy', ({ Action }) => !Action.includes('firehose:PutRecord'));
  const deployed = await Deployed.assembly(assembly);
  await deployed.publish('Orders', ORDER);
  await deployed.aws.runUntilIdle();
  expect(deployed.happened('sns.dead-lettered')).toMatchObject([{ cause: { errorCode: 'AccessDeniedException' } }]);
  expect(await deployed.take(DEAD_LETTERS)).toHaveLength(1);
});
