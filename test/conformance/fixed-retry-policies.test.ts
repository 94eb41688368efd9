import { CreatePlatformApplicationCommand, CreatePlatformEndpointCommand } from '@aws-sdk/client-sns';
import { DeployedFunction, roleFor } from './deployed-function';
import { failureOf, logDeliveries } from './status-log';
import { embeddedRow, Target } from './target';
import { openQueue, redriveTo, Topic } from './topic';
import { happened } from './trace';

const DAY = 86_400;
const BEYOND_ANY_POLICY = 24 * DAY;

/** By 2^(i-1) - 1 of 2^9 - 1, which is our choice between the two ends AWS documents. */
const exponential = (least: number, greatest: number): readonly number[] =>
  Array.from({ length: 10 }, (_, i) => least + ((greatest - least) * (2 ** i - 1)) / (2 ** 9 - 1));

const AWS_MANAGED = [0, 0, 0, 1, 1, ...exponential(1, 20), ...Array(100_000).fill(20)];
const CUSTOMER_MANAGED = [10, 10, ...exponential(10, 600), ...Array(38).fill(600)];

const total = (delays: readonly number[]): number => delays.reduce((sum, seconds) => sum + seconds, 0);

describe('section 1.3: the policies nobody can change', () => {
  const aws = new Target();

  afterEach(() => aws.control('DELETE', 'faults'));

  /** Seconds before each retry, and the whole number of attempts, of a message that meets nothing but failure. */
  async function outage(topic: Topic) {
    await topic.publish('order');
    await aws.pass(BEYOND_ANY_POLICY);
    const attempts = await happened(aws, 'sns.attempt', { topicArn: topic.arn });
    const delays = attempts.slice(0, -1).map(({ delaySeconds }) => Number(delaySeconds));
    return { delays, attempts: attempts.length };
  }

  const near = (delays: readonly number[]) => delays.map(seconds => Number(seconds.toFixed(3)));

  embeddedRow.each<[service: string, action: string, subscriber: (topic: Topic) => Promise<{ readonly arn: string }>]>([
    ['sqs', 'SendMessage', topic => topic.queue()],
    ['lambda', 'Invoke', topic => DeployedFunction.hearing(aws, topic, 'exports.handler = async () => {};')],
  ])(
    '%s: 3 at once, 2 x 1 s, 10 exponential from 1 s to 20 s, then every 20 s',
    async (service, action, subscriber) => {
      const topic = await Topic.of(aws);
      const { arn } = await subscriber(topic);
      await aws.control('PUT', 'faults', { service, action, resource: arn });
      await topic.publish('order');
      await aws.pass(3_600);
      const delays = (await happened(aws, 'sns.attempt', { topicArn: topic.arn })).map(it =>
        Number(it['delaySeconds']),
      );
      expect(near(delays)).toEqual(near(AWS_MANAGED.slice(0, delays.length)));
      expect(delays.length).toBeGreaterThan(180);
    },
  );

  embeddedRow.each(['throttle', 500, 503])('an SQS that answers %s is tried again', async status => {
    const topic = await Topic.of(aws);
    const queue = await topic.queue();
    const fault = { service: 'sqs', action: 'SendMessage', resource: queue.arn, status, forSeconds: 60 };
    await aws.control('PUT', 'faults', fault);
    await topic.publish('order');
    await aws.pass(59);
    expect(await queue.depths()).toEqual([0, 0, 0]);
    await aws.pass(21);
    expect(await queue.depths()).toEqual([1, 0, 0]);
  });

  /** A device behind a push service. */
  async function device(): Promise<string> {
    const app = new CreatePlatformApplicationCommand({
      Name: aws.name('app'),
      Platform: 'GCM',
      Attributes: { PlatformCredential: 'secret' },
    });
    const { PlatformApplicationArn } = await aws.sns.send(app);
    const { EndpointArn = '' } = await aws.sns.send(
      new CreatePlatformEndpointCommand({ PlatformApplicationArn, Token: 'token' }),
    );
    return EndpointArn;
  }

  embeddedRow.each<[string, number, () => Promise<string> | string]>([
    ['email', 421, () => 'ops@example.com'],
    ['sms', 500, () => '+12065550100'],
    ['application', 503, device],
  ])(
    '%s: 2 x 10 s + 10 exponential from 10 s to 600 s + 38 x 600 s: 50 in over 6 hours',
    async (protocol, statusCode, of) => {
      const [topic, endpoint] = [await Topic.of(aws), await of()];
      await topic.subscribe(protocol, endpoint);
      const { sns } = aws.embedded.services;
      sns.confirm(endpoint);
      sns.recipients.behave(endpoint, { outcome: { kind: 'answered', statusCode } });
      const { delays, attempts } = await outage(topic);
      expect(attempts).toBe(1 + 50);
      expect(near(delays)).toEqual(near(CUSTOMER_MANAGED));
      expect(Math.floor(total(delays) / 3_600)).toBe(6);
    },
  );

  embeddedRow.each([
    ['that throttles: as of customers', { statusCode: 400, errorCode: 'ThrottlingException' }, CUSTOMER_MANAGED],
    ['that fails: as of AWS', { statusCode: 500 }, AWS_MANAGED],
  ])('Firehose %s', async (_, answer, policy) => {
    const topic = await Topic.of(aws);
    const stream = `arn:aws:firehose:us-east-1:123456789012:deliverystream/${aws.name('stream')}`;
    const SubscriptionRoleArn = await roleFor(aws, 'sns.amazonaws.com', ['firehose:PutRecord']);
    await topic.subscribe('firehose', stream, { SubscriptionRoleArn });
    const behaviour = { outcome: { kind: 'answered', ...answer }, count: 12 } as const;
    aws.embedded.services.sns.recipients.behave(stream, behaviour);
    const { delays } = await outage(topic);
    expect(near(delays)).toEqual(near(policy.slice(0, 12)));
  });

  embeddedRow('SQS: 100,000 x 20 s make 100,015 retries over 23 days, and then the dead-letter queue', async () => {
    const [topic, dead] = [await Topic.of(aws), await openQueue(aws)];
    const queue = await topic.queue(redriveTo(dead));
    await logDeliveries(aws, topic, 'SQS');
    await aws.control('PUT', 'faults', { service: 'sqs', action: 'SendMessage', resource: queue.arn });
    await topic.publish('order');
    await aws.pass(23 * DAY);
    expect(await dead.depths()).toEqual([0, 0, 0]);
    await aws.pass(DAY);
    expect(await dead.bodies()).toEqual([expect.stringContaining('order')]);
    const { attempts, dwellTimeMs } = await failureOf(aws, topic);
    expect(attempts).toBe(1 + 100_015);
    expect(dwellTimeMs / 1_000).toBeCloseTo(total(AWS_MANAGED), 0);
  });
});
