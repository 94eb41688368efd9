import { CreateKeyCommand, DisableKeyCommand, ScheduleKeyDeletionCommand } from '@aws-sdk/client-kms';
import { CreateQueueCommand, DeleteQueueCommand } from '@aws-sdk/client-sqs';
import type { NoAnswer } from '../../local/network/network';
import { DeployedFunction } from './deployed-function';
import { type Behaviour, HttpEndpoint } from './http-endpoint';
import type { Queue } from './queue';
import { failureOf, logDeliveries, statusRecords } from './status-log';
import { embeddedRow, OPEN_TO_TOPICS, row, Target } from './target';
import { deliveryPolicy, openQueue, redriveTo, Topic } from './topic';
import { happened } from './trace';

/** The policy of an endpoint that has none: three retries, 20 s apart. */
const ATTEMPTS_OF_A_RETRIED_MESSAGE = 4;

describe('section 2.1: what an HTTP/S endpoint answers', () => {
  const aws = new Target();

  /** A confirmed endpoint with a dead-letter queue, and a message published to it. */
  async function published(endpoint: HttpEndpoint, behave: () => unknown) {
    const [topic, dead] = [await Topic.of(aws), await openQueue(aws)];
    const subscriptionArn = await endpoint.confirmed(topic, redriveTo(dead));
    await behave();
    const { MessageId } = await topic.publish('order');
    const attempts = async () => (await endpoint.requests()).length;
    return { topic, dead, subscriptionArn, MessageId, attempts };
  }

  const behaving = (behaviour: Behaviour) => {
    const endpoint = new HttpEndpoint(aws);
    return published(endpoint, () => endpoint.behaves(behaviour));
  };

  embeddedRow.each([200, 201, 202, 204, 299])('%i is a success', async status => {
    const { dead, attempts } = await behaving({ status });
    await aws.pass(120);
    expect(await attempts()).toBe(1);
    expect(await dead.depths()).toEqual([0, 0, 0]);
  });

  embeddedRow.each<Behaviour['status']>([429, 500, 502, 503, 504, 599, 'timeout', 'refuse', 'reset', 'dns'])(
    '%s is retried by the policy, and dead-lettered in the end',
    async status => {
      const { dead, attempts } = await behaving({ status: status ?? 0 });
      await aws.pass(59);
      expect(await dead.depths()).toEqual([0, 0, 0]);
      await aws.pass(120);
      expect(await attempts()).toBe(ATTEMPTS_OF_A_RETRIED_MESSAGE);
      expect(await dead.depths()).toEqual([1, 0, 0]);
    },
  );

  embeddedRow.each<[string, NoAnswer]>([
    ['a bad certificate', 'CERT_HAS_EXPIRED'],
    ['an answer that is no HTTP', 'HPE_INVALID_CONSTANT'],
    ['a connection that takes too long', 'ETIMEDOUT'],
  ])('%s is retried by the policy, and dead-lettered in the end', async (_, code) => {
    const endpoint = new HttpEndpoint(aws);
    const { dead, attempts } = await published(endpoint, () =>
      aws.embedded.endpoint(endpoint.host).behave({ reply: { kind: 'no-answer', code } }),
    );
    await aws.pass(120);
    expect(await attempts()).toBe(ATTEMPTS_OF_A_RETRIED_MESSAGE);
    expect(await dead.depths()).toEqual([1, 0, 0]);
  });

  embeddedRow.each([400, 401, 403, 404, 408, 410, 418, 499])(
    '%i is a permanent failure: no retry, straight to the dead-letter queue',
    async status => {
      const { dead, attempts } = await behaving({ status });
      await aws.pass(0);
      expect(await dead.depths()).toEqual([1, 0, 0]);
      await aws.pass(120);
      expect(await attempts()).toBe(1);
    },
  );

  embeddedRow.each([300, 301, 302, 303, 304, 307, 308])(
    '%i is a permanent failure, and no redirect is followed (assumption SNS-11)',
    async status => {
      const [elsewhere, endpoint] = [new HttpEndpoint(aws), new HttpEndpoint(aws)];
      const { dead, attempts } = await published(endpoint, () =>
        endpoint.behaves({ status, headers: { location: elsewhere.url } }),
      );
      await aws.pass(120);
      expect(await attempts()).toBe(1);
      expect(await elsewhere.requests()).toEqual([]);
      expect(await dead.depths()).toEqual([1, 0, 0]);
    },
  );

  embeddedRow('an answer within 15 s counts, and one after them does not', async () => {
    const inTime = await behaving({ latencyMs: 14_900 });
    const late = await behaving({ latencyMs: 15_100 });
    await aws.pass(300);
    expect(await inTime.attempts()).toBe(1);
    expect(await late.attempts()).toBe(ATTEMPTS_OF_A_RETRIED_MESSAGE);
    expect(await late.dead.depths()).toEqual([1, 0, 0]);
  });

  embeddedRow('an endpoint that comes back gets the message by the next retry, and nothing more', async () => {
    const { dead, attempts } = await behaving({ status: 503, count: 2 });
    await aws.pass(300);
    expect(await attempts()).toBe(3);
    expect(await dead.depths()).toEqual([0, 0, 0]);
  });

  embeddedRow('retries keep the message id, in the header and in the body', async () => {
    const endpoint = new HttpEndpoint(aws);
    const { MessageId } = await published(endpoint, () => endpoint.behaves({ status: 503 }));
    await aws.pass(120);
    const inHeaders = (await endpoint.requests()).map(({ headers }) => headers['x-amz-sns-message-id']);
    const inBodies = (await endpoint.envelopes()).map(envelope => envelope['MessageId']);
    expect(inHeaders).toEqual(Array(ATTEMPTS_OF_A_RETRIED_MESSAGE).fill(MessageId));
    expect(inBodies).toEqual(inHeaders);
  });

  row('a host name with an underscore cannot be subscribed', async () => {
    const topic = await Topic.of(aws);
    await expect(topic.subscribe('https', 'https://the_orders.example.com/')).rejects.toMatchObject({
      name: 'InvalidParameterException',
      message: 'Invalid parameter: Unreachable Endpoint',
    });
  });

  embeddedRow.each([
    ['Basic realm="orders"', /^Basic cmVudGFsOnNlY3JldA==$/],
    [
      'Digest realm="orders", nonce="abc", qop="auth"',
      /^Digest username="rental", realm="orders", .*response="\w{32}"$/,
    ],
  ])('credentials are shown after a 401 that asks for %s, and not before', async (challenge, shown) => {
    const endpoint = new HttpEndpoint(aws, 'rental:secret@');
    const { dead } = await published(endpoint, () =>
      endpoint.behaves({ status: 401, headers: { 'www-authenticate': challenge }, count: 1 }),
    );
    await aws.pass(120);
    const authorizations = (await endpoint.requests()).map(({ headers }) => headers['authorization']);
    expect(authorizations).toEqual([undefined, expect.stringMatching(shown)]);
    expect(await dead.depths()).toEqual([0, 0, 0]);
  });

  embeddedRow('SubscriptionConfirmation is retried by the policy', async () => {
    const [topic, endpoint] = [await Topic.of(aws), new HttpEndpoint(aws)];
    await endpoint.behaves({ status: 503 });
    const retry = { minDelayTarget: 5, maxDelayTarget: 9, numRetries: 3 };
    await topic.subscribe('https', endpoint.url, deliveryPolicy({ healthyRetryPolicy: retry }));
    await aws.pass(60);
    expect(await endpoint.gaps('SubscriptionConfirmation')).toEqual([5, 7, 9]);
  });

  embeddedRow('UnsubscribeConfirmation that fails is never dead-lettered', async () => {
    const endpoint = new HttpEndpoint(aws);
    const { topic, dead, subscriptionArn } = await published(endpoint, () => endpoint.behaves());
    await endpoint.behaves({ status: 503 });
    await topic.unsubscribe(subscriptionArn);
    await aws.pass(300);
    expect(await endpoint.requests('UnsubscribeConfirmation')).toHaveLength(ATTEMPTS_OF_A_RETRIED_MESSAGE);
    expect(await happened(aws, 'sns.unsubscribed', { subscriptionArn })).toHaveLength(1);
    expect(await dead.depths()).toEqual([0, 0, 0]);
  });
});

const NOTHING = 'exports.handler = async () => {};';

describe('section 3: client-side errors are not retried', () => {
  const aws = new Target();

  async function topicWithLogs() {
    const [topic, dead] = [await Topic.of(aws), await openQueue(aws)];
    await logDeliveries(aws, topic, 'SQS', 'Lambda');
    return { topic, dead };
  }

  /** Creates a key. Its policy allows SNS if `letsTopics` is set. */
  async function key({ letsTopics = true } = {}): Promise<string> {
    const actions = ['kms:GenerateDataKey*', 'kms:Decrypt'];
    const owner = { AWS: `arn:aws:iam::${aws.embedded.place.account}:root` };
    const Statement = [
      { Effect: 'Allow', Principal: owner, Action: 'kms:*', Resource: '*' },
      { Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' }, Action: actions, Resource: '*' },
    ].slice(0, letsTopics ? 2 : 1);
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
    return (await aws.kms.send(new CreateKeyCommand({ Policy }))).KeyMetadata?.KeyId ?? '';
  }

  const NOT_THERE = {
    ErrorCode: 'AWS.SimpleQueueService.NonExistentQueue',
    ErrorMessage: 'The specified queue does not exist or you do not have access to it.',
    sqsRequestId: 'Unrecoverable',
  };
  const ofKms = (code: string) => ({
    ErrorCode: `KMS.${code}`,
    ErrorMessage: expect.stringMatching(/^null \(Service: AWSKMS; Status Code: 400; /),
    sqsRequestId: 'Unrecoverable',
  });
  const under = async (queue: Queue, KmsMasterKeyId: string) => queue.set({ KmsMasterKeyId });

  embeddedRow.each<[string, (queue: Queue) => Promise<unknown>, number, (queue: Queue) => object]>([
    ['SQS queue deleted', queue => aws.sqs.send(new DeleteQueueCommand({ QueueUrl: queue.url })), 400, () => NOT_THERE],
    [
      'SQS access denied',
      queue => queue.set({ Policy: '' }),
      403,
      ({ name }) => ({
        ErrorCode: 'AccessDenied',
        ErrorMessage: `Access to the resource https://sqs.us-east-1.amazonaws.com/123456789012/${name} is denied.`,
        sqsRequestId: 'Unrecoverable',
      }),
    ],
    [
      "queue's KMS key denies SNS",
      async queue => under(queue, await key({ letsTopics: false })),
      400,
      () => ofKms('AccessDeniedException'),
    ],
    [
      'KMS key disabled (by analogy)',
      async queue => {
        const KeyId = await key();
        await under(queue, KeyId);
        await aws.kms.send(new DisableKeyCommand({ KeyId }));
      },
      400,
      () => ofKms('DisabledException'),
    ],
    [
      'KMS key in an invalid state (by analogy)',
      async queue => {
        const KeyId = await key();
        await under(queue, KeyId);
        await aws.kms.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 7 }));
      },
      400,
      () => ofKms('InvalidStateException'),
    ],
    [
      'KMS key not found (by analogy)',
      queue => under(queue, '00000000-0000-4000-8000-000000000000'),
      400,
      () => ofKms('NotFoundException'),
    ],
  ])('%s: one attempt, then the dead-letter queue', async (_, breakIt, statusCode, answer) => {
    const { topic, dead } = await topicWithLogs();
    const queue = await topic.queue(redriveTo(dead));
    await breakIt(queue);
    await topic.publish('order');
    await aws.pass(2);
    const failure = await failureOf(aws, topic);
    expect(failure).toMatchObject({ statusCode, attempts: 1, destination: queue.arn });
    expect(JSON.parse(failure.providerResponse)).toEqual(answer(queue));
    expect(Object.keys(JSON.parse(failure.providerResponse))).toEqual(['ErrorCode', 'ErrorMessage', 'sqsRequestId']);
    expect(await dead.bodies()).toEqual([expect.stringContaining('"Message" : "order"')]);
  });

  row('raw delivery with more than 10 attributes: one attempt, and discarded', async () => {
    const { topic, dead } = await topicWithLogs();
    const queue = await topic.queue({ ...redriveTo(dead), RawMessageDelivery: 'true' });
    const names = Array.from({ length: 11 }, (_, i) => `attribute-${i}`);
    const one = { DataType: 'String', StringValue: 'x' };
    await topic.publish('order', { MessageAttributes: Object.fromEntries(names.map(name => [name, one])) });
    await aws.pass(2);
    const [failure] = (await statusRecords(aws, topic, 'FAILURE')).map(({ delivery }) => delivery);
    expect(failure).toMatchObject({ statusCode: 400, attempts: 1, destination: queue.arn });
    expect(JSON.parse(failure?.providerResponse ?? '')).toEqual({
      ErrorCode: 'InvalidParameterValue',
      ErrorMessage: 'Number of message attributes [11] exceeds the maximum allowed [10].',
      sqsRequestId: 'Unrecoverable',
    });
    expect(await queue.depths()).toEqual([0, 0, 0]);
  });

  row('Lambda function deleted: one attempt, then the dead-letter queue', async () => {
    const { topic, dead } = await topicWithLogs();
    const deployed = await DeployedFunction.hearing(aws, topic, NOTHING, redriveTo(dead));
    await deployed.remove();
    await topic.publish('order');
    await aws.pass(2);
    const failure = await failureOf(aws, topic);
    expect(failure).toMatchObject({ attempts: 1, destination: deployed.arn });
    expect(Math.floor((failure.statusCode ?? 0) / 100)).toBe(4);
    expect(await dead.bodies()).toHaveLength(1);
  });

  row('Lambda permission missing: 403, one attempt, then the dead-letter queue', async () => {
    const { topic, dead } = await topicWithLogs();
    const deployed = await DeployedFunction.of(aws, NOTHING);
    await topic.subscribe('lambda', deployed.arn, redriveTo(dead));
    await topic.publish('order');
    await aws.pass(2);
    expect(await failureOf(aws, topic)).toMatchObject({ attempts: 1, statusCode: 403 });
    expect(await dead.bodies()).toHaveLength(1);
  });

  row('the subscription remains: what is published after the repair is delivered', async () => {
    const { topic, dead } = await topicWithLogs();
    const queue = await topic.queue(redriveTo(dead));
    const { Policy = '' } = await queue.attributes();
    await queue.set({ Policy: '' });
    await aws.pass(1);
    await topic.publish('before');
    await aws.pass(1);
    await queue.set({ Policy });
    await aws.pass(1);
    await topic.publish('after');
    await aws.pass(1);
    expect(await queue.bodies()).toEqual([expect.stringContaining('"Message" : "after"')]);
    expect(await dead.bodies()).toEqual([expect.stringContaining('"Message" : "before"')]);
  });

  row('a queue created under the name of a deleted one receives nothing until it is subscribed again', async () => {
    const { topic, dead } = await topicWithLogs();
    const queue = await topic.queue(redriveTo(dead));
    await aws.sqs.send(new DeleteQueueCommand({ QueueUrl: queue.url }));
    await aws.pass(61);
    const again = { QueueName: queue.name, Attributes: { Policy: OPEN_TO_TOPICS } };
    await aws.sqs.send(new CreateQueueCommand(again));
    await topic.publish('before');
    await aws.pass(2);
    expect(await failureOf(aws, topic)).toMatchObject({ statusCode: 400, attempts: 1, destination: queue.arn });
    expect(await queue.depths()).toEqual([0, 0, 0]);
    expect(await dead.bodies()).toEqual([expect.stringContaining('"Message" : "before"')]);
    await topic.subscribe('sqs', queue.arn);
    await topic.publish('after');
    await aws.pass(2);
    expect(await queue.bodies()).toEqual([expect.stringContaining('"Message" : "after"')]);
  });

  row('without a dead-letter queue the message is lost', async () => {
    const { topic } = await topicWithLogs();
    const queue = await topic.queue();
    const { Policy = '' } = await queue.attributes();
    await queue.set({ Policy: '' });
    await topic.publish('order');
    await aws.pass(1);
    await queue.set({ Policy });
    await aws.pass(120);
    expect(await queue.depths()).toEqual([0, 0, 0]);
  });

  row('what a filter policy turns away is neither retried nor dead-lettered', async () => {
    const { topic, dead } = await topicWithLogs();
    const FilterPolicy = JSON.stringify({ colour: ['red'] });
    const queue = await topic.queue({ ...redriveTo(dead), FilterPolicy });
    await queue.set({ Policy: '' });
    await topic.publish('order', { MessageAttributes: { colour: { DataType: 'String', StringValue: 'blue' } } });
    await aws.pass(2);
    expect(await dead.depths()).toEqual([0, 0, 0]);
  });
});

describe('section 3: server-side errors are retried', () => {
  const aws = new Target();

  afterEach(() => aws.control('DELETE', 'faults'));

  const THROTTLE = { status: 'throttle' };

  embeddedRow.each([
    ['KMS throttling', { service: 'kms', ...THROTTLE }],
    ['SQS throttling', { service: 'sqs', action: 'SendMessage', ...THROTTLE }],
    ['SQS 5xx', { service: 'sqs', action: 'SendMessage', status: 500 }],
  ])('%s', async (_, fault) => {
    const [topic, dead] = [await Topic.of(aws), await openQueue(aws)];
    const letsAll = { Effect: 'Allow', Principal: '*', Action: 'kms:*', Resource: '*' };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: letsAll });
    const { KeyMetadata } = await aws.kms.send(new CreateKeyCommand({ Policy }));
    const queue = await topic.queue(redriveTo(dead), { KmsMasterKeyId: KeyMetadata?.KeyId });
    await logDeliveries(aws, topic, 'SQS');
    await aws.control('PUT', 'faults', { ...fault, forSeconds: 3 });
    await topic.publish('order');
    await aws.pass(2);
    expect(await queue.depths()).toEqual([0, 0, 0]);
    await aws.pass(30);
    const [record] = await statusRecords(aws, topic, 'SUCCESS');
    expect(record?.delivery.attempts).toBeGreaterThan(5);
    expect(await queue.depths()).toEqual([1, 0, 0]);
    expect(await dead.depths()).toEqual([0, 0, 0]);
  });

  embeddedRow.each([
    ['Lambda 5xx', 503],
    ['a throttled Invoke', 'throttle'],
  ])('%s', async (_, status) => {
    const [topic, dead, done] = [await Topic.of(aws), await openQueue(aws), await openQueue(aws)];
    const deployed = await DeployedFunction.hearing(aws, topic, NOTHING, redriveTo(dead));
    await deployed.onEvents({ DestinationConfig: { OnSuccess: { Destination: done.arn } } });
    const fault = { service: 'lambda', action: 'Invoke', resource: deployed.arn, status, forSeconds: 3 };
    await aws.control('PUT', 'faults', fault);
    await topic.publish('order');
    await aws.pass(2);
    expect(await done.depths()).toEqual([0, 0, 0]);
    await aws.pass(30);
    expect(await done.depths()).toEqual([1, 0, 0]);
    expect(await dead.depths()).toEqual([0, 0, 0]);
  });

  row.each([
    ['throws', 'throw new Error("broken");', undefined],
    ['times out', 'await new Promise(() => { setTimeout(() => {}, 60_000); });', undefined],
    ['is throttled', '', 0],
  ])('a function that %s is a success for SNS: 202', async (_, body, reserved) => {
    const [topic, dead] = [await Topic.of(aws), await openQueue(aws)];
    await logDeliveries(aws, topic, 'Lambda');
    const code = `exports.handler = async () => { ${body} };`;
    const deployed = await DeployedFunction.hearing(aws, topic, code, redriveTo(dead));
    if (reserved !== undefined) await deployed.reserve(reserved);
    await topic.publish('order');
    await aws.pass(10);
    expect(await statusRecords(aws, topic, 'SUCCESS')).toMatchObject([{ delivery: { statusCode: 202 } }]);
    expect(await dead.depths()).toEqual([0, 0, 0]);
  });
});
