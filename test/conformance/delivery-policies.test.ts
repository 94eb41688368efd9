import { CreatePlatformApplicationCommand, CreatePlatformEndpointCommand } from '@aws-sdk/client-sns';
import { DAY_SECONDS } from '../../policy/time-units';
import { DeployedFunction, roleFor } from './deployed-function';
import { HttpEndpoint } from './http-endpoint';
import { failureOf, logDeliveries } from './status-log';
import { embeddedRow, row, Target } from './target';
import { deliveryPolicy, openQueue, redriveTo, Topic } from './topic';
import { happened } from './trace';

const ENDPOINT = 'https://example.com/orders';

const DEFAULTS = {
  minDelayTarget: 20,
  maxDelayTarget: 20,
  numRetries: 3,
  numMaxDelayRetries: 0,
  numNoDelayRetries: 0,
  numMinDelayRetries: 0,
  backoffFunction: 'linear',
};
const PLAIN_TEXT = { headerContentType: 'text/plain; charset=UTF-8' };
const JSON_TEXT = { headerContentType: 'application/json' };
const SHORT = { minDelayTarget: 5, maxDelayTarget: 6, numRetries: 1 };

const ofTopic = (members: object) => deliveryPolicy({ http: members });
const ofSubscription = (healthyRetryPolicy: object) => deliveryPolicy({ healthyRetryPolicy });

describe('section 2.7: delivery policies, as they are echoed', () => {
  const aws = new Target();

  const set = (topic: Topic, members: object) => topic.set('DeliveryPolicy', ofTopic(members).DeliveryPolicy);

  row("a topic's EffectiveDeliveryPolicy is there, filled in and in order, even where none is set", async () => {
    const attributes = await (await Topic.of(aws)).attributes();
    expect(attributes).not.toHaveProperty('DeliveryPolicy');
    expect(attributes['EffectiveDeliveryPolicy']).toBe(
      ofTopic({
        defaultHealthyRetryPolicy: DEFAULTS,
        disableSubscriptionOverrides: false,
        defaultRequestPolicy: PLAIN_TEXT,
      }).DeliveryPolicy,
    );
  });

  row(
    "a topic's DeliveryPolicy is what was set, normalised and not filled in; the effective one is filled in",
    async () => {
      const topic = await Topic.of(aws, ofTopic({ defaultHealthyRetryPolicy: SHORT }));
      const attributes = await topic.attributes();
      expect(attributes['DeliveryPolicy']).toBe(
        ofTopic({ defaultHealthyRetryPolicy: SHORT, disableSubscriptionOverrides: false }).DeliveryPolicy,
      );
      expect(attributes['EffectiveDeliveryPolicy']).toBe(
        ofTopic({
          defaultHealthyRetryPolicy: { ...DEFAULTS, ...SHORT },
          disableSubscriptionOverrides: false,
          defaultRequestPolicy: PLAIN_TEXT,
        }).DeliveryPolicy,
      );
    },
  );

  row('a topic may have all members of its shape', async () => {
    const members = {
      defaultHealthyRetryPolicy: DEFAULTS,
      disableSubscriptionOverrides: true,
      defaultThrottlePolicy: { maxReceivesPerSecond: 3 },
      defaultRequestPolicy: JSON_TEXT,
    };
    const topic = await Topic.of(aws, ofTopic(members));
    expect(JSON.parse((await topic.attributes())['DeliveryPolicy'] ?? '')).toEqual({ http: members });
  });

  row('setting replaces the whole document', async () => {
    const topic = await Topic.of(aws, ofTopic({ defaultRequestPolicy: JSON_TEXT }));
    await set(topic, { defaultHealthyRetryPolicy: SHORT });
    const { DeliveryPolicy, EffectiveDeliveryPolicy } = await topic.attributes();
    expect(DeliveryPolicy).not.toContain('defaultRequestPolicy');
    expect(JSON.parse(EffectiveDeliveryPolicy ?? '').http.defaultRequestPolicy).toEqual(PLAIN_TEXT);
  });

  row('null for the retry policy leaves {"http":{"disableSubscriptionOverrides":false}}', async () => {
    const topic = await Topic.of(aws, ofTopic({ defaultHealthyRetryPolicy: SHORT }));
    await set(topic, { defaultHealthyRetryPolicy: null });
    expect((await topic.attributes())['DeliveryPolicy']).toBe('{"http":{"disableSubscriptionOverrides":false}}');
  });

  row('an empty text removes the attribute', async () => {
    const topic = await Topic.of(aws, ofTopic({ defaultHealthyRetryPolicy: SHORT }));
    await topic.set('DeliveryPolicy', '');
    expect(await topic.attributes()).not.toHaveProperty('DeliveryPolicy');
  });

  const echoed = async (
    topicPolicy: Readonly<Record<string, string>>,
    subscription: Readonly<Record<string, string>>,
  ) => {
    const topic = await Topic.of(aws, topicPolicy);
    const { DeliveryPolicy, EffectiveDeliveryPolicy } = await topic.attributesOf(
      await topic.subscribe('https', ENDPOINT, subscription),
    );
    return {
      own: DeliveryPolicy && JSON.parse(DeliveryPolicy),
      effective: JSON.parse(EffectiveDeliveryPolicy ?? ''),
    };
  };
  const VESTIGES = { sicklyRetryPolicy: null, throttlePolicy: null, guaranteed: false };

  row(
    "a subscription's retry policy is shown with all defaults, next to null for missing policies and the obsolete members",
    async () => {
      const { own } = await echoed({}, ofSubscription(SHORT));
      expect(own).toEqual({ ...VESTIGES, healthyRetryPolicy: { ...DEFAULTS, ...SHORT }, requestPolicy: null });
      expect(Object.keys(own)).toEqual([
        'healthyRetryPolicy',
        'sicklyRetryPolicy',
        'throttlePolicy',
        'requestPolicy',
        'guaranteed',
      ]);
    },
  );

  row("a subscription's other members leave its retry policy null", async () => {
    const members = { requestPolicy: JSON_TEXT, throttlePolicy: { maxReceivesPerSecond: 7 } };
    const { own } = await echoed({}, deliveryPolicy(members));
    expect(own).toEqual({ ...VESTIGES, ...members, healthyRetryPolicy: null });
  });

  row("a subscription's EffectiveDeliveryPolicy merges member by member, not whole documents", async () => {
    const topic = { defaultHealthyRetryPolicy: { ...DEFAULTS, numRetries: 9 }, defaultRequestPolicy: JSON_TEXT };
    const { effective } = await echoed(ofTopic(topic), ofSubscription(SHORT));
    expect(effective).toEqual({
      ...VESTIGES,
      healthyRetryPolicy: { ...DEFAULTS, ...SHORT },
      requestPolicy: JSON_TEXT,
    });
  });

  row('disableSubscriptionOverrides leaves a subscription only the policy of its topic', async () => {
    const topic = { defaultHealthyRetryPolicy: { ...DEFAULTS, numRetries: 9 }, disableSubscriptionOverrides: true };
    const { effective } = await echoed(ofTopic(topic), ofSubscription(SHORT));
    expect(effective.healthyRetryPolicy).toEqual({ ...DEFAULTS, numRetries: 9 });
  });

  embeddedRow.each([
    ['the subscription beats its topic', false, [5]],
    ['the topic beats the subscription where it disables overrides', true, [7, 7]],
  ])('%s when it comes to deliver', async (_, disableSubscriptionOverrides, gaps) => {
    const defaultHealthyRetryPolicy = { minDelayTarget: 7, maxDelayTarget: 7, numRetries: 2 };
    const topic = await Topic.of(aws, ofTopic({ defaultHealthyRetryPolicy, disableSubscriptionOverrides }));
    const endpoint = new HttpEndpoint(aws);
    await endpoint.confirmed(topic, ofSubscription(SHORT));
    await endpoint.behaves({ status: 503 });
    await topic.publish('order');
    await aws.pass(60);
    expect(await endpoint.gaps()).toEqual(gaps);
  });
});

describe('delivery policy errors', () => {
  describe('section 2.7: delivery policies that are refused', () => {
    const aws = new Target();

    const refusal = (text: string) => ({
      name: 'InvalidParameterException',
      message: `Invalid parameter: ${text}`,
      $metadata: { httpStatusCode: 400 },
    });

    const ORDER = { ...DEFAULTS, minDelayTarget: 50 };
    const SUM =
      'must be greater than or equal to total of numMinDelayRetries, numNoDelayRetries and numMaxDelayRetries';
    const RETRIES = [
      ['more than 100 retries', { ...DEFAULTS, numRetries: 101 }, '.numRetries must be less than or equal to 100'],
      [
        'a text for a number',
        { ...DEFAULTS, minDelayTarget: '20' },
        '.minDelayTarget type mismatch, expecting integer, received a string',
      ],
      ['a delay of 0', { ...DEFAULTS, minDelayTarget: 0 }, '.minDelayTarget must be greater than or equal to 1'],
      [
        'too many retries before delays out of order',
        { ...ORDER, numRetries: 101 },
        '.numRetries must be less than or equal to 100',
      ],
      ['delays out of order', ORDER, '.maxDelayTarget must be greater than or equal to minDelayTarget'],
      ['more in the phases than in all', { ...DEFAULTS, numNoDelayRetries: 4 }, `.numRetries ${SUM}`],
      ['no minDelayTarget', { maxDelayTarget: 20, numRetries: 3 }, '.minDelayTarget must be specified'],
      ['no maxDelayTarget', { minDelayTarget: 20, numRetries: 3 }, '.maxDelayTarget must be specified'],
      ['no numRetries', { minDelayTarget: 20, maxDelayTarget: 20 }, '.numRetries must be specified'],
    ] as const;
    const CUBIC = { ...DEFAULTS, backoffFunction: 'cubic' };
    const NOT_A_CURVE = 'the value [cubic] is not a valid backoff function';
    const TOO_SLOW = 'maxReceivesPerSecond must be greater than or equal to 1';

    row.each<[string, object, string]>([
      ...RETRIES.map(([title, retry, text]): [string, object, string] => [
        title,
        { defaultHealthyRetryPolicy: retry },
        `http.defaultHealthyRetryPolicy${text}`,
      ]),
      ['a fifth curve', { defaultHealthyRetryPolicy: CUBIC }, NOT_A_CURVE],
      ['no rate', { defaultThrottlePolicy: { maxReceivesPerSecond: 0 } }, `http.defaultThrottlePolicy.${TOO_SLOW}`],
      ["a subscription's member", { throttlePolicy: {} }, 'Unexpected JSON member: throttlePolicy'],
    ])("a topic's with %s", async (_, members, text) => {
      const { DeliveryPolicy } = deliveryPolicy({ http: members });
      const topic = await Topic.of(aws);
      await expect(topic.set('DeliveryPolicy', DeliveryPolicy)).rejects.toMatchObject(
        refusal(`DeliveryPolicy: ${text}`),
      );
      await expect(Topic.of(aws, { DeliveryPolicy })).rejects.toMatchObject(
        refusal(`Attributes Reason: DeliveryPolicy: ${text}`),
      );
    });

    row.each<[string, object, string]>([
      ...RETRIES.map(([title, retry, text]): [string, object, string] => [
        title,
        { healthyRetryPolicy: retry },
        `healthyRetryPolicy${text}`,
      ]),
      ['a fifth curve', { healthyRetryPolicy: CUBIC }, NOT_A_CURVE],
      ['no rate', { throttlePolicy: { maxReceivesPerSecond: 0 } }, `throttlePolicy.${TOO_SLOW}`],
      ["a topic's member", { defaultThrottlePolicy: {} }, 'Unexpected JSON member: defaultThrottlePolicy'],
    ])("a subscription's with %s", async (_, policy, text) => {
      const topic = await Topic.of(aws);
      await expect(topic.subscribe('https', ENDPOINT, deliveryPolicy(policy))).rejects.toMatchObject(
        refusal(`Attributes Reason: DeliveryPolicy: ${text}`),
      );
      const arn = await topic.subscribe('https', ENDPOINT);
      await expect(topic.setOf(arn, 'DeliveryPolicy', JSON.stringify(policy))).rejects.toMatchObject(
        refusal(`DeliveryPolicy: ${text}`),
      );
    });

    row('only HTTP/S policies can be customised', async () => {
      const topic = await Topic.of(aws);
      const { arn } = await topic.queue();
      await expect(topic.subscribe('sqs', arn, deliveryPolicy({ healthyRetryPolicy: DEFAULTS }))).rejects.toMatchObject(
        {
          name: 'InvalidParameterException',
        },
      );
    });
  });

  describe('section 2.7: attributes that are refused', () => {
    const aws = new Target();

    const refusal = (text: string) => ({ name: 'InvalidParameterException', message: `Invalid parameter: ${text}` });
    const functionBeside = (topic: Topic) => topic.neighbour('lambda', 'function:orders');
    const redrive = (deadLetterTargetArn: unknown) => JSON.stringify({ deadLetterTargetArn });

    row.each<[name: string, text: string, value: (topic: Topic) => string]>([
      ['Nonsense', 'AttributeName', () => 'x'],
      ['RawMessageDelivery', 'RawMessageDelivery: Invalid value [x]. Must be true or false.', () => 'x'],
      ['RedrivePolicy', 'RedrivePolicy: deadLetterTargetArn is an invalid arn', () => redrive('queue')],
      ['RedrivePolicy', 'RedrivePolicy: Missing deadLetterTargetArn attribute', () => '{}'],
      [
        'RedrivePolicy',
        'RedrivePolicy: deadLetterTargetArn must be a SQS queue',
        topic => redrive(functionBeside(topic)),
      ],
      [
        'RedrivePolicy',
        'RedrivePolicy: deadLetterTargetArn must be in the same region as the subscription',
        topic => redrive(topic.neighbour('sqs', 'dead', topic.otherRegion)),
      ],
      [
        'RedrivePolicy',
        'RedrivePolicy: failed to parse JSON. ' +
          "Unexpected character ('i' (code 105)): was expecting double-quote to start field name\n" +
          ' at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: 2]',
        () => '{invalid',
      ],
    ])('%s: %s', async (name, text, valueFor) => {
      const topic = await Topic.of(aws);
      const value = valueFor(topic);
      const subscriptionArn = await topic.subscribe('sqs', (await openQueue(aws)).arn);
      await expect(topic.setOf(subscriptionArn, name, value)).rejects.toMatchObject(refusal(text));
      const another = await openQueue(aws);
      await expect(topic.subscribe('sqs', another.arn, { [name]: value })).rejects.toMatchObject(
        refusal(`Attributes Reason: ${text}`),
      );
    });

    row('an attribute no topic has', async () => {
      const topic = await Topic.of(aws);
      await expect(topic.set('Nonsense', 'x')).rejects.toMatchObject(refusal('AttributeName'));
    });

    row('raw delivery to a function', async () => {
      const topic = await Topic.of(aws);
      await expect(
        topic.subscribe('lambda', functionBeside(topic), { RawMessageDelivery: 'true' }),
      ).rejects.toMatchObject(
        refusal('Attributes Reason: Delivery protocol [lambda] does not support raw message delivery.'),
      );
    });

    row('a FIFO topic and an HTTPS endpoint', async () => {
      const topic = await Topic.fifo(aws);
      await expect(topic.subscribe('https', ENDPOINT)).rejects.toMatchObject(refusal('Invalid protocol type: https'));
    });

    row('a topic or subscription that is not there', async () => {
      const topic = await Topic.of(aws);
      const nowhere = `${topic.arn}:00000000-0000-4000-8000-000000000000`;
      await expect(topic.attributesOf(nowhere)).rejects.toMatchObject({
        name: 'NotFoundException',
        message: 'Subscription does not exist',
        $metadata: { httpStatusCode: 404 },
      });
      await topic.remove();
      await expect(topic.attributes()).rejects.toMatchObject({
        name: 'NotFoundException',
        message: 'Topic does not exist',
        $metadata: { httpStatusCode: 404 },
      });
    });

    row('an endpoint that is subscribed already, and otherwise', async () => {
      const topic = await Topic.of(aws);
      const { arn } = await topic.queue();
      const raw = topic.subscribe('sqs', arn, { RawMessageDelivery: 'true' });
      await expect(raw).rejects.toMatchObject(
        refusal('Attributes Reason: Subscription already exists with different attributes'),
      );
    });
  });
});

const BEYOND_ANY_POLICY = 24 * DAY_SECONDS;

/** By 2^(i-1) - 1 of 2^9 - 1: between the two ends that AWS documents (assumption SNS-1). */
const exponential = (least: number, greatest: number): readonly number[] =>
  Array.from({ length: 10 }, (_, i) => least + ((greatest - least) * (2 ** i - 1)) / (2 ** 9 - 1));

const AWS_MANAGED = [0, 0, 0, 1, 1, ...exponential(1, 20), ...Array(100_000).fill(20)];
const CUSTOMER_MANAGED = [10, 10, ...exponential(10, 600), ...Array(38).fill(600)];

const total = (delays: readonly number[]): number => delays.reduce((sum, seconds) => sum + seconds, 0);

describe('section 1.3: the fixed policies', () => {
  const aws = new Target();

  afterEach(() => aws.control('DELETE', 'faults'));

  /** Returns the seconds before each retry, and the number of attempts, of a message that always fails. */
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
    await aws.pass(23 * DAY_SECONDS);
    expect(await dead.depths()).toEqual([0, 0, 0]);
    await aws.pass(DAY_SECONDS);
    expect(await dead.bodies()).toEqual([expect.stringContaining('order')]);
    const { attempts, dwellTimeMs } = await failureOf(aws, topic);
    expect(attempts).toBe(1 + 100_015);
    expect(dwellTimeMs / 1_000).toBeCloseTo(total(AWS_MANAGED), 0);
  });
});
