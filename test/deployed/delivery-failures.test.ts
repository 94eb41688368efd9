import {
  CloudWatchLogsClient,
  DescribeQueryDefinitionsCommand,
  GetQueryResultsCommand,
  StartQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { DeliveryStream, S3Bucket } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { type DeliveryPolicy, Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AlarmDefaults, AlarmSet, DeliveryStatusLogging, DurableTopic, OpsTopic } from '../../lib';
import { MESSAGE_ID_PLACEHOLDER } from '../../lib/topic/delivery-status-queries';
import { noAnswer, type RecipientBehaviour, response } from '../../local';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';
import { measuredAlarm } from '../support/measured-alarm';

const HERE = 'us-east-1/123456789012';
const GONE_ARN = 'arn:aws:lambda:us-east-1:123456789012:function:deleted-long-ago';
const DEVICE_ARN = 'arn:aws:sns:us-east-1:123456789012:endpoint/GCM/Rental/5e3e9847-3183-3f18-a7e8-671c3a57d4b3';
const CLOSED = 'https://closed.example.com/orders';
const DOWN = 'https://down.example.com/orders';

const no = (statusCode: number, errorCode: string): RecipientBehaviour => ({
  outcome: { kind: 'answered', statusCode, errorCode },
});

/** A topic with a delivery of each protocol that fails, one that does not, and a queue whose dead letters are not kept. */
function fill(stack: Stack): void {
  AlarmDefaults.of(stack).use(AlarmSet.ALL);
  const topic = new DurableTopic(stack, 'Orders');
  const destination = new S3Bucket(Bucket.fromBucketName(stack, 'Bucket', 'orders'));
  topic.deliverToQueue('Locked', new Queue(stack, 'LockedQueue'));
  topic.deliverToFunction('Gone', LambdaFunction.fromFunctionArn(stack, 'Gone', GONE_ARN));
  topic.deliverToFunction('Handler', inlineFunction(stack, 'Handler', 'exports.handler = async () => {};'));
  topic.deliverToEndpoint('Closed', CLOSED);
  topic.deliverToEndpoint('Silent', DOWN);
  topic.deliverToFirehose('Stream', new DeliveryStream(stack, 'Stream', { destination }));
  topic.deliverToPush('Device', DEVICE_ARN);
  topic.addSubscription(new SqsSubscription(new Queue(stack, 'UnkeptQueue')));
}

describe('When deliveries of every protocol fail', () => {
  let deployed: Deployed;
  let logs: CloudWatchLogsClient;
  let messageId: string;

  /** Starts a saved query of the topic as a user would, and returns its rows. */
  async function rowsOf(question: string, edit = (query: string) => query): Promise<Record<string, string>[]> {
    const queryDefinitionNamePrefix = `DeadLetterOffice/${deployed.name('Orders')}/`;
    const { queryDefinitions = [] } = await logs.send(
      new DescribeQueryDefinitionsCommand({ queryDefinitionNamePrefix }),
    );
    const [query, ...others] = queryDefinitions.filter(
      ({ name }) => name === `${queryDefinitionNamePrefix}${question}`,
    );
    expect(others).toEqual([]);
    const { queryId } = await logs.send(
      new StartQueryCommand({
        logGroupNames: query?.logGroupNames,
        queryString: edit(query?.queryString ?? ''),
        startTime: 0,
        endTime: Math.ceil(deployed.aws.nowMs / 1_000),
      }),
    );
    await deployed.advance({ minutes: 1 });
    const { results = [] } = await logs.send(new GetQueryResultsCommand({ queryId }));
    return results.map(row => Object.fromEntries(row.map(({ field = '', value = '' }) => [field, value])));
  }

  /** How many failures a metric of the topic counted. */
  const counted = (metric: string, by: Record<string, string> = {}) =>
    deployed.sum('DeadLetterOffice', metric, { TopicArn: deployed.ref('Orders'), ...by });

  const unkept = () => deployed.arn('UnkeptQueue');

  beforeAll(async () => {
    deployed = await Deployed.stack(fill, { sns: { devices: [DEVICE_ARN] } });
    logs = new CloudWatchLogsClient({ ...deployed.aws.clientConfig(), maxAttempts: 1 });
    await deployed.aws.runUntilIdle();
    for (const url of [CLOSED, DOWN]) deployed.aws.confirmSubscription(url);
    for (const queue of ['LockedQueue', 'UnkeptQueue']) await deployed.takeQueuePolicyAway(queue);
    deployed.aws.endpoint('closed.example.com').behave({ reply: response(503, 'closed'), count: 4 });
    deployed.aws.endpoint('down.example.com').behave({ reply: noAnswer('ECONNREFUSED') });
    deployed.aws.recipients.behave(deployed.arn('Stream'), no(400, 'ResourceNotFoundException'));
    deployed.aws.recipients.behave(DEVICE_ARN, no(400, 'InvalidRegistration'));
    messageId = await deployed.publish('Orders', 'Zoë rents');
    await deployed.aws.runUntilIdle();
  });

  test('each is counted once, by its status code and by the kind of that', async () => {
    const byCode = async (code: string) => counted('DeliveryFailures', { StatusCode: code });
    expect(await Promise.all(['403', '404', '503', '400'].map(byCode))).toEqual([2, 1, 1, 2]);
    expect(await counted('DeliveryClientErrors')).toBe(5);
    expect(await counted('DeliveryServerErrors')).toBe(1);
    expect(await counted('DeliveryOtherFailures')).toBe(1);
  });

  test('what was not kept is counted apart', async () => {
    expect(await counted('DeliveriesUnkept')).toBe(1);
  });

  test('“who is failing now” finds each destination, with its answer', async () => {
    const rows = await rowsOf('Who is failing now');
    const found = rows.map(({ destination = '', statusCode = '' }) => `${destination} ${statusCode}`.trim());
    expect(found.sort()).toEqual(
      [
        `${deployed.arn('LockedQueue')} 403`,
        `${unkept()} 403`,
        `${GONE_ARN} 404`,
        `${CLOSED} 503`,
        DOWN,
        `${deployed.arn('Stream')} 400`,
        `${DEVICE_ARN} 400`,
      ].sort(),
    );
    expect(rows.every(({ failures, lastMessageId }) => failures === '1' && lastMessageId === messageId)).toBe(true);
  });

  test('“why did this message die” tells the fate of one message, wherever it went', async () => {
    const rows = await rowsOf('Why did this message die', query => query.replace(MESSAGE_ID_PLACEHOLDER, messageId));
    expect(rows).toHaveLength(14);
    expect(rows.find(({ destination }) => destination === CLOSED)).toMatchObject({
      status: 'FAILURE',
      statusCode: '503',
      attempts: '4',
      answer: 'closed',
      redrivePolicy: expect.stringContaining(deployed.arn('Orders/Deliveries/Closed/DeadLetterQueue')),
    });
    expect(rows.find(({ destination }) => destination === unkept())).not.toHaveProperty('redrivePolicy');
    const delivered = rows.filter(({ status }) => status === 'SUCCESS').map(({ destination }) => destination);
    expect(delivered).toContain(deployed.arn('Handler'));
    expect(delivered).toHaveLength(7);
    const other = await deployed.publish('Orders', 'Ana rents');
    await deployed.aws.runUntilIdle();
    expect(await rowsOf('Why did this message die', query => query.replace(MESSAGE_ID_PLACEHOLDER, other))).not.toEqual(
      [],
    );
    expect(await rowsOf('Why did this message die')).toEqual([]);
  });

  test('“who is failing now” has those first that fail most', async () => {
    deployed.aws.endpoint('closed.example.com').behave({ reply: response(200), count: 1 });
    await deployed.publish('Orders', 'Ben rents');
    await deployed.aws.runUntilIdle();
    const rows = await rowsOf('Who is failing now');
    const failures = rows.map(row => Number(row['failures']));
    expect(failures).toEqual([...failures].sort((a, b) => b - a));
    expect(failures[0]).toBeGreaterThan(failures.at(-1) ?? 0);
    expect(rows.at(-1)?.['destination']).toBe(CLOSED);
  });

  test('“slowest endpoints” puts those first that SNS waited for', async () => {
    const [first, second, ...others] = await rowsOf('Slowest endpoints');
    expect([first?.['destination'], second?.['destination']].sort()).toEqual([CLOSED, DOWN]);
    expect(Number(second?.['p99Ms'])).toBeGreaterThanOrEqual(60_000);
    expect(others.every(({ slowestMs }) => Number(slowestMs) < 1_000)).toBe(true);
  });
});

describe('Log groups that are encrypted with a key of the app', () => {
  test('are written to, for their key lets CloudWatch Logs in', async () => {
    const deployed = await Deployed.stack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const encryptionKey = new Key(stack, 'Key');
      const topic = new DurableTopic(stack, 'Orders', {
        deliveryStatusLogging: { encryptionKey },
        masterKey: encryptionKey,
      });
      topic.deliverToQueue('Queue', new Queue(stack, 'Queue'));
    });
    await deployed.publish('Orders', 'Zoë rents');
    await deployed.aws.runUntilIdle();
    expect(deployed.log(`sns/${HERE}/${deployed.name('Orders')}`)).toHaveLength(1);
  });

  test('are those of SNS alone: the key lets no other in', async () => {
    const another = Deployed.stack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const encryptionKey = new Key(stack, 'Key');
      const logging = new DeliveryStatusLogging(stack, 'Logging', {
        topic: new Topic(stack, 'Orders'),
        encryptionKey,
      });
      new LogGroup(stack, 'Other', { encryptionKey }).node.addDependency(logging);
    });
    await expect(another).rejects.toThrow(/not allowed to be used with LogGroup '\S+Test-Other/);
  });
});

const URL = 'https://partner.example.com/orders';
const MINUTE = Duration.minutes(1);

/** Retries for an hour before the first dead letter. */
const deliveryPolicy: DeliveryPolicy = {
  healthyRetryPolicy: { minDelayTarget: MINUTE, maxDelayTarget: MINUTE, numRetries: 60 },
};

describe('The alarm on a topic’s failure rate', () => {
  let deployed: Deployed;

  const partner = () => deployed.aws.endpoint('partner.example.com');
  const publish = async (count: number) => {
    for (let i = 0; i < count; i += 1) await deployed.publish('Orders', `order ${i}`);
  };
  const rings = () => deployed.rings('Orders/FailureRateAlarm').filter(({ to }) => to !== 'OK');

  beforeEach(async () => {
    deployed = await Deployed.stack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const topic = new DurableTopic(stack, 'Orders', { deliveryFailureRateAlarm: {} });
      topic.deliverToEndpoint('Partner', URL, { deliveryPolicy });
    });
    await deployed.aws.runUntilIdle();
    deployed.aws.confirmSubscription(URL);
  });

  test('fires long before the first dead letter, and is OK once the endpoint is back', async () => {
    partner().behave({ reply: response(503) });
    const downAt = deployed.seconds;
    await publish(5);
    await deployed.advance({ minutes: 20 });
    const [rang = Number.NaN] = deployed.alarmed('Orders/FailureRateAlarm');
    expect(rang - downAt).toBeGreaterThan(10 * 60);
    expect(rang - downAt).toBeLessThanOrEqual(16 * 60);
    expect(deployed.happened('sns.dead-lettered')).toEqual([]);
    expect(deployed.alarmed('Orders/Deliveries/Partner/DeadLetterQueue/ArrivalsAlarm')).toEqual([]);
    partner().behave({ reply: response(200) });
    await deployed.advance({ minutes: 20 });
    expect(deployed.rings('Orders/FailureRateAlarm').at(-1)?.to).toBe('OK');
    expect(deployed.happened('sns.dead-lettered')).toEqual([]);
  });

  test('does not, for an endpoint that is away for less than five minutes, whenever that is', async () => {
    await deployed.advance({ minutes: 3 });
    partner().behave({ reply: response(503), forMs: 4 * 60_000 });
    await publish(50);
    await deployed.advance({ hours: 1 });
    expect(await deployed.topicSum('Orders', 'NumberOfNotificationsFailed')).toBeGreaterThanOrEqual(200);
    expect(rings()).toEqual([]);
  });

  test('does not for a few messages, though all of them fail', async () => {
    partner().behave({ reply: response(503) });
    await publish(3);
    await deployed.advance({ hours: 2 });
    expect(deployed.happened('sns.dead-lettered')).toHaveLength(3);
    expect(rings()).toEqual([]);
  });
});

/** How SNS reports metrics: https://docs.aws.amazon.com/sns/latest/dg/sns-monitoring-using-cloudwatch.html */
describe('Where metrics come late, the alarm on a topic’s failure rate', () => {
  const measured = () =>
    measuredAlarm(
      stack => void new DurableTopic(stack, 'Orders', { deliveryFailureRateAlarm: {} }),
      'Orders/FailureRateAlarm',
    );
  const FAILED = { NumberOfNotificationsFailed: 10 };
  const DELIVERED = { NumberOfNotificationsDelivered: 10 };

  test.each([
    ['all fails, and it comes at once', FAILED, 0, 1],
    ['all fails, and it comes six minutes late', FAILED, 6, 1],
    ['half fails, and it comes six minutes late', { ...FAILED, ...DELIVERED }, 6, 1],
    ['all is delivered', DELIVERED, 6, 0],
  ])('fires where it should: %s', async (_, minute, lateMinutes, times) => {
    const { deployed, put, alarmed } = await measured();
    for (let minutes = 0; minutes < 30; minutes += 1) {
      await put(minute, lateMinutes);
      await deployed.advance({ minutes: 1 });
    }
    expect(alarmed()).toHaveLength(times);
  });
});

describe('A topic that loses messages', () => {
  const [OPS, PAGER] = ['ops@example.com', 'pager@example.com'];
  let deployed: Deployed;

  const mailsTo = (mailbox: string) =>
    deployed.aws.recipients.receipts(mailbox).flatMap(({ token, subject }) => (token === undefined ? [subject] : []));

  beforeEach(async () => {
    deployed = await Deployed.stack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const topic = new DurableTopic(stack, 'Orders', {
        alarmActions: [new OpsTopic(stack, 'Ops', { email: OPS })],
        lossActions: [new OpsTopic(stack, 'Pager', { email: PAGER, masterKey: new Key(stack, 'Key') })],
      });
      topic.deliverToQueue('Kept', new Queue(stack, 'KeptQueue'));
      topic.addSubscription(new SqsSubscription(new Queue(stack, 'UnkeptQueue')));
    });
    await deployed.aws.runUntilIdle();
    for (const mailbox of [OPS, PAGER]) deployed.aws.confirmSubscription(mailbox);
  });

  async function failAt(...queues: string[]): Promise<void> {
    for (const queue of queues) await deployed.takeQueuePolicyAway(queue);
    await deployed.publish('Orders', 'Zoë rents');
    await deployed.advance({ minutes: 5 });
  }

  test('is one that keeps them, as long as its dead-letter queues can be reached: nobody is paged', async () => {
    await failAt('KeptQueue');
    expect(deployed.happened('sns.dead-lettered')).toHaveLength(1);
    expect(mailsTo(OPS)).toEqual([expect.stringContaining('ArrivalsAlarm')]);
    expect(deployed.alarmed('Orders/LosingMessagesAlarm')).toEqual([]);
    expect(mailsTo(PAGER)).toEqual([]);
  });

  test('says so when a dead-letter queue refuses one, through an encrypted topic', async () => {
    await failAt('KeptQueue', 'Orders/Deliveries/Kept/DeadLetterQueue');
    expect(deployed.happened('sns.lost')).toHaveLength(1);
    expect(deployed.alarmed('Orders/LostMessagesAlarm')).toHaveLength(1);
    expect(mailsTo(PAGER)).toEqual([expect.stringContaining('LosingMessagesAlarm')]);
    expect(deployed.happened('cloudwatch.action-failed')).toEqual([]);
  });

  test('says so when a subscription without a dead-letter queue fails, of which no metric of SNS tells', async () => {
    await failAt('UnkeptQueue');
    expect(await deployed.topicSum('Orders', 'NumberOfNotificationsFailedToRedriveToDlq')).toBe(0);
    expect(deployed.alarmed('Orders/UnkeptAlarm')).toHaveLength(1);
    expect(mailsTo(OPS)).toEqual([expect.stringContaining('UnkeptAlarm')]);
    expect(mailsTo(PAGER)).toEqual([expect.stringContaining('LosingMessagesAlarm')]);
  });

  test('says it once, however many ways there are', async () => {
    await failAt('KeptQueue', 'Orders/Deliveries/Kept/DeadLetterQueue', 'UnkeptQueue');
    expect(deployed.happened('sns.lost')).toHaveLength(2);
    expect(mailsTo(PAGER)).toHaveLength(1);
  });
});
