import {
  CloudWatchLogsClient,
  DescribeQueryDefinitionsCommand,
  GetQueryResultsCommand,
  StartQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import type { Stack } from 'aws-cdk-lib';
import { DeliveryStream, S3Bucket } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeliveryStatusLogging, DurableTopic } from '../../lib';
import { MESSAGE_ID_PLACEHOLDER } from '../../lib/topic/status-logging/status-queries';
import { noAnswer, type RecipientBehaviour, response } from '../../local';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

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

  /** The rows that a saved query of the topic finds, as anybody would start it. */
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
    deployed = await Deployed.stack(fill);
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

  test('cannot even be made where it does not, as with plain L2s', async () => {
    const withPlainL2s = Deployed.stack(stack => {
      const encryptionKey = new Key(stack, 'Key');
      new LogGroup(stack, 'Failures', { logGroupName: `sns/${HERE}/Orders/Failure`, encryptionKey });
    });
    await expect(withPlainL2s).rejects.toThrow(/The specified KMS key does not exist or is not allowed to be used/);
  });

  test('are those of SNS alone: the key lets no other in', async () => {
    const another = Deployed.stack(stack => {
      const encryptionKey = new Key(stack, 'Key');
      const logging = new DeliveryStatusLogging(stack, 'Logging', { topic: new Topic(stack, 'Orders'), encryptionKey });
      new LogGroup(stack, 'Other', { encryptionKey }).node.addDependency(logging);
    });
    await expect(another).rejects.toThrow(/not allowed to be used with LogGroup '\S+Test-Other/);
  });
});
