import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import type { Stack } from 'aws-cdk-lib';
import { DeliveryStream, S3Bucket } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AlarmDefaults, AlarmSet, DurableTopic, FunctionFailures, type TopicDeliveryOptions } from '../../lib';
import type { RecipientBehaviour } from '../../local';
import { assemblyOfStack, editTemplate } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

const ORDER = '{"orderId":"A-1","customer":"Zoë"}';
const WORKS = 'exports.handler = async event => { console.log(event.Records[0].Sns.Message); };';
const GONE_ARN = 'arn:aws:lambda:us-east-1:123456789012:function:deleted-long-ago';
const FAILS = 'exports.handler = async () => { throw new RangeError("no such vehicle class"); };';

describe('deliverToFunction and FunctionFailures, with a customer-managed key', () => {
  let deployed: Deployed;

  beforeAll(async () => {
    const assembly = assemblyOfStack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const key = new Key(stack, 'Key');
      const deliver = (id: string, handler: LambdaFunction) =>
        new DurableTopic(stack, `${id}Topic`, { masterKey: key }).deliverToFunction('Handler', handler);
      deliver('Works', inlineFunction(stack, 'Works', WORKS));
      deliver('Forbidden', inlineFunction(stack, 'Forbidden', WORKS));
      const gone = LambdaFunction.fromFunctionArn(stack, 'Gone', GONE_ARN);
      new DurableTopic(stack, 'GoneTopic', { masterKey: key }).deliverToFunction('Handler', gone);

      const fails = inlineFunction(stack, 'Fails', FAILS);
      deliver('Fails', fails);
      new FunctionFailures(stack, 'Failures', { handler: fails, encryptionKey: key });
    });
    editTemplate(assembly, 'Test', ({ Resources }) => {
      for (const [id, { Type, Properties = {} }] of Object.entries(Resources)) {
        if (Type === 'AWS::Lambda::Permission' && id.startsWith('ForbiddenTopic')) {
          Properties['Principal'] = 'events.amazonaws.com';
        }
      }
    });
    deployed = await Deployed.assembly(assembly);
  });

  /** Publishes, and waits until everything is over. */
  const publish = async (id: string) => {
    const publishedAt = deployed.seconds;
    const messageId = await deployed.publish(`${id}Topic`, ORDER, {
      MessageAttributes: { 'order-status': { DataType: 'String', StringValue: 'confirmed' } },
    });
    await deployed.aws.runUntilIdle();
    const arn = id === 'Gone' ? GONE_ARN : deployed.arn(id);
    const runs = deployed
      .happened('lambda.invoked')
      .filter(({ functionArn }) => functionArn === arn)
      .map(({ atMs }) => deployed.secondsAt(atMs) - publishedAt);
    return { messageId, publishedAt, runs };
  };

  test('hands the message to the function, once', async () => {
    const { runs } = await publish('Works');
    expect(runs).toEqual([0]);
    const printed = deployed.log(`/aws/lambda/${deployed.ref('Works')}`).filter(line => line.includes(ORDER));
    expect(printed).toHaveLength(1);
    expect(await deployed.take('WorksTopic/Deliveries/Handler/DeadLetterQueue')).toEqual([]);
  });

  test.each([
    { id: 'Gone', what: 'a function that was deleted', code: 'ResourceNotFoundException', statusCode: 404 },
    { id: 'Forbidden', what: 'a function whose permission is gone', code: 'AccessDeniedException', statusCode: 403 },
  ])(
    'keeps what was for $what, in the fan-out dead-letter queue, without a retry',
    async ({ id, code, statusCode }) => {
      const { messageId, publishedAt } = await publish(id);
      const [body = '', ...others] = await deployed.take(`${id}Topic/Deliveries/Handler/DeadLetterQueue`);
      expect(others).toEqual([]);
      expect(JSON.parse(body)).toMatchObject({
        Type: 'Notification',
        MessageId: messageId,
        Message: ORDER,
        SigningCertURL: expect.stringMatching(/^https:/),
        MessageAttributes: { 'order-status': { Type: 'String', Value: 'confirmed' } },
      });
      const dead = deployed.happened('sns.dead-lettered').find(it => it.messageId === messageId);
      expect(dead).toMatchObject({ attempts: 1, cause: { kind: 'client-error', errorCode: code, statusCode } });
      await deployed.advance({ minutes: 1 });
      const [alarmedAt = Number.NaN] = deployed.alarmed(`${id}Topic/Deliveries/Handler/DeadLetterQueue/ArrivalsAlarm`);
      expect(alarmedAt - publishedAt).toBeLessThanOrEqual(60);
    },
  );

  test('a function that fails is no failure of SNS: Lambda tries at 0, 60 and 180 seconds, and keeps the event', async () => {
    const { messageId, publishedAt, runs } = await publish('Fails');
    expect(runs).toEqual([0, 60, 180]);
    expect(await deployed.take('FailsTopic/Deliveries/Handler/DeadLetterQueue')).toEqual([]);
    expect(await deployed.topicSum('FailsTopic', 'NumberOfNotificationsDelivered')).toBe(1);

    const [message, ...others] = await deployed.receive('Failures/DeadLetterQueue');
    expect(others).toEqual([]);
    expect(JSON.parse(message?.Body ?? '')).toMatchObject({
      Records: [{ EventSource: 'aws:sns', Sns: { MessageId: messageId, Message: ORDER } }],
    });
    const queued = deployed.happened('lambda.event-queued').find(({ messageIds }) => messageIds.includes(messageId));
    expect(message?.MessageAttributes).toEqual({
      RequestID: expect.objectContaining({ DataType: 'String', StringValue: queued?.requestId }),
      ErrorCode: expect.objectContaining({ DataType: 'Number', StringValue: '200' }),
      ErrorMessage: expect.objectContaining({ DataType: 'String', StringValue: 'no such vehicle class' }),
    });

    await deployed.advance({ minutes: 2 });
    for (const alarm of ['EventsDroppedAlarm', 'DeadLetterQueue/ArrivalsAlarm']) {
      const [at = Number.NaN] = deployed.alarmed(`Failures/${alarm}`);
      expect(at - publishedAt).toBeGreaterThanOrEqual(180);
      expect(at - publishedAt).toBeLessThanOrEqual(240);
    }
    expect(deployed.alarmed('Failures/DeadLetterErrorsAlarm')).toEqual([]);
    expect(deployed.alarmed('Failures/LoopStoppedAlarm')).toEqual([]);
  });
});

describe('deliver to queue', () => {
  const ORDER = '{"orderId":"A-1","customer":"Zoë O\'Brien"}';
  const ATTRIBUTES = { 'order-status': { DataType: 'String', StringValue: 'confirmed' } };

  /** Adds one customer-managed key for everything except one queue. Each queue fails in a different way. */
  function durable(stack: Stack): void {
    AlarmDefaults.of(stack).use(AlarmSet.ALL);
    const key = new Key(stack, 'Key');
    const topics = new Map(['Calm', 'Orders'].map(id => [id, new DurableTopic(stack, id, { masterKey: key })]));
    const deliver = (topic: string, id: string, { encryptionMasterKey = key, rawMessageDelivery = false } = {}) =>
      topics
        .get(topic)
        ?.deliverToQueue(id, new Queue(stack, `${id}Queue`, { encryptionMasterKey }), { rawMessageDelivery });
    deliver('Calm', 'Enveloped');
    deliver('Calm', 'Bare', { rawMessageDelivery: true });
    deliver('Orders', 'Witness');
    deliver('Orders', 'Unlocked');
    deliver('Orders', 'Deleted');
    deliver('Orders', 'Vault', { encryptionMasterKey: new Key(stack, 'VaultKey') });
    deliver('Orders', 'Raw', { rawMessageDelivery: true });
  }

  const deadLetters = (id: string) => `Orders/Deliveries/${id}/DeadLetterQueue`;
  const FAILING = ['Unlocked', 'Deleted', 'Vault', 'Raw'];

  describe('deliverToQueue, with a customer-managed key on topic, queue and dead-letter queue', () => {
    let deployed: Deployed;

    beforeAll(async () => {
      deployed = await Deployed.stack(durable);
    });

    test('delivers, enveloped and raw, and nothing is a dead letter', async () => {
      const messageId = await deployed.publish('Calm', ORDER, { MessageAttributes: ATTRIBUTES });
      await deployed.aws.runUntilIdle();
      const [body = '', ...others] = await deployed.take('EnvelopedQueue');
      expect(others).toEqual([]);
      expect(JSON.parse(body)).toMatchObject({ Type: 'Notification', MessageId: messageId, Message: ORDER });
      expect(await deployed.take('BareQueue')).toEqual([ORDER]);
      expect(deployed.happened('sns.dead-lettered').filter(it => it.messageId === messageId)).toEqual([]);
    });

    describe('once a queue’s policy, its key or the queue itself is gone', () => {
      let messageId: string;
      let failedAt: number;

      beforeAll(async () => {
        await deployed.takeQueuePolicyAway('UnlockedQueue');
        await deployed.takeQueuePolicyAway('RawQueue');
        await deployed.sqs.send(new DeleteQueueCommand({ QueueUrl: deployed.ref('DeletedQueue') }));
        deployed.aws.services.kms.disableKey(deployed.ref('VaultKey'));
        failedAt = deployed.seconds;
        messageId = await deployed.publish('Orders', ORDER, { MessageAttributes: ATTRIBUTES });
        await deployed.advance({ minutes: 2 });
      });

      test('keeps the exact body the queue would have received', async () => {
        const [received = ''] = await deployed.take('WitnessQueue');
        expect(JSON.parse(received).MessageId).toBe(messageId);
        const subscription = (id: string) => deployed.ref(`Orders/Deliveries/${id}/Subscription`);
        for (const id of ['Unlocked', 'Deleted', 'Vault']) {
          const [message, ...others] = await deployed.receive(deadLetters(id));
          expect(others).toEqual([]);
          expect(message?.Body).toBe(received.replace(subscription('Witness'), subscription(id)));
          expect(message?.MessageAttributes).toBeUndefined();
        }
        const [raw] = await deployed.receive(deadLetters('Raw'));
        expect(raw?.Body).toBe(ORDER);
        expect(raw?.MessageAttributes).toEqual({
          'order-status': expect.objectContaining({ StringValue: 'confirmed' }),
        });
        expect(await deployed.receive(deadLetters('Witness'))).toEqual([]);
      });

      test('raises the alarm of each dead-letter queue that got one within the minute, and no other', async () => {
        for (const id of FAILING) {
          const [at = Number.NaN, ...others] = deployed.alarmed(`${deadLetters(id)}/ArrivalsAlarm`);
          expect(at - failedAt).toBeLessThanOrEqual(60);
          expect(others).toEqual([]);
        }
        expect(deployed.alarmed(`${deadLetters('Witness')}/ArrivalsAlarm`)).toEqual([]);
        expect(deployed.alarmed('Orders/LostMessagesAlarm')).toEqual([]);
        expect(await deployed.topicSum('Orders', 'NumberOfNotificationsRedrivenToDlq')).toBe(4);
        expect(await deployed.topicSum('Orders', 'NumberOfNotificationsFailedToRedriveToDlq')).toBe(0);
      });
    });
  });

  /** Our constructs reject this: deadLetterQueue must be another queue than the subscribed one. */
  test('a queue that is its own dead-letter queue loses what it cannot take, with plain aws-cdk-lib', async () => {
    const deployed = await Deployed.stack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const queue = new Queue(stack, 'Queue');
      new Topic(stack, 'Orders').addSubscription(new SqsSubscription(queue, { deadLetterQueue: queue }));
    });
    await deployed.takeQueuePolicyAway('Queue');
    const messageId = await deployed.publish('Orders', ORDER);
    await deployed.aws.runUntilIdle();
    expect(deployed.happened('sns.lost')).toMatchObject([{ messageId, cause: { errorCode: 'AccessDenied' } }]);
  });
});

describe('deliver to recipients', () => {
  const MAILBOX = 'ops@example.com';
  const PHONE = '+15550100';
  const DEVICE_ARN = 'arn:aws:sns:us-east-1:123456789012:endpoint/GCM/Rental/5e3e9847-3183-3f18-a7e8-671c3a57d4b3';
  const ORDER = '{"orderId":"A-1"}';
  const DEAD_LETTERS = 'Orders/Deliveries/X/DeadLetterQueue';

  const answering = (statusCode: number, errorCode?: string): RecipientBehaviour => ({
    outcome: { kind: 'answered', statusCode, ...(errorCode !== undefined && { errorCode }) },
  });

  interface Kind {
    readonly protocol: string;
    readonly deliver: (topic: DurableTopic, options: TopicDeliveryOptions) => unknown;
    readonly recipient: (deployed: Deployed) => string;
    /** An answer that is final. */
    readonly no: RecipientBehaviour;
    /** Whether the recipient gets SNS's envelope. */
    readonly isEnveloped: boolean;
    readonly isLogged: boolean;
  }

  const KINDS: readonly Kind[] = [
    {
      protocol: 'email',
      deliver: (topic, options) => topic.deliverToEmail('X', MAILBOX, options),
      recipient: () => MAILBOX,
      no: answering(550),
      isEnveloped: false,
      isLogged: false,
    },
    {
      protocol: 'email-json',
      deliver: (topic, options) => topic.deliverToEmail('X', MAILBOX, { ...options, json: true }),
      recipient: () => MAILBOX,
      no: answering(550),
      isEnveloped: true,
      isLogged: false,
    },
    {
      protocol: 'sms',
      deliver: (topic, options) => topic.deliverToSms('X', PHONE, options),
      recipient: () => PHONE,
      no: answering(400, 'Phone has blocked SMS'),
      isEnveloped: false,
      isLogged: false,
    },
    {
      protocol: 'application',
      deliver: (topic, options) => topic.deliverToPush('X', DEVICE_ARN, options),
      recipient: () => DEVICE_ARN,
      no: answering(400, 'InvalidRegistration'),
      isEnveloped: false,
      isLogged: true,
    },
    {
      protocol: 'firehose',
      deliver: (topic, options) => topic.deliverToFirehose('X', streamIn(topic.stack), options),
      recipient: deployed => deployed.arn('Stream'),
      no: answering(400, 'ResourceNotFoundException'),
      isEnveloped: true,
      isLogged: true,
    },
  ];

  function streamIn(stack: Stack): DeliveryStream {
    const destination = new S3Bucket(Bucket.fromBucketName(stack, 'Bucket', 'orders'));
    return new DeliveryStream(stack, 'Stream', { destination });
  }

  test.each(KINDS)(
    '$protocol: what arrives, and what is refused: kept, told within the minute, and logged where SNS logs it',
    async kind => {
      const { deliver, recipient, isEnveloped, isLogged, no } = kind;
      const assembly = assemblyOfStack(stack => void deliver(new DurableTopic(stack, 'Orders'), {}));
      const deployed = await Deployed.assembly(assembly, { sns: { devices: [DEVICE_ARN] } });
      const { recipients } = deployed.aws;
      await deployed.aws.runUntilIdle();
      if (kind.protocol.startsWith('email')) deployed.aws.confirmSubscription(MAILBOX);
      const reached = () =>
        recipients
          .receipts(recipient(deployed))
          .filter(({ token }) => token === undefined)
          .map(({ body }) => (isEnveloped ? JSON.parse(body).Message : body));
      await deployed.publish('Orders', ORDER);
      await deployed.aws.runUntilIdle();
      expect(reached()).toEqual([ORDER]);
      expect(await deployed.take(DEAD_LETTERS)).toEqual([]);

      recipients.behave(recipient(deployed), no);
      const sentAt = deployed.seconds;
      const messageId = await deployed.publish('Orders', ORDER);
      await deployed.advance({ minutes: 2 });
      expect(reached()).toEqual([ORDER]);
      const [message = '', ...others] = await deployed.take(DEAD_LETTERS);
      expect(others).toEqual([]);
      expect(JSON.parse(message)).toMatchObject({ Type: 'Notification', MessageId: messageId, Message: ORDER });
      expect(deployed.happened('sns.dead-lettered')).toMatchObject([{ messageId, attempts: 1 }]);
      const [alarmedAt = Number.NaN] = deployed.alarmed('Orders/DeadLetteredAlarm');
      expect(alarmedAt - sentAt).toBeLessThanOrEqual(60);
      const records = deployed.log(`sns/us-east-1/123456789012/${deployed.name('Orders')}/Failure`);
      const destinations = records.map(record => JSON.parse(record).delivery.destination);
      expect(destinations).toEqual(isLogged ? [recipient(deployed)] : []);
    },
  );

  test('A phone that has opted out gets nothing, and what it was to get is kept', async () => {
    const deployed = await Deployed.stack(stack => new DurableTopic(stack, 'Orders').deliverToSms('X', PHONE));
    deployed.aws.services.sns.phones.optOut(PHONE);
    await deployed.publish('Orders', ORDER);
    await deployed.aws.runUntilIdle();
    expect(deployed.aws.recipients.receipts(PHONE)).toEqual([]);
    expect(await deployed.take(DEAD_LETTERS)).toHaveLength(1);
  });
});
