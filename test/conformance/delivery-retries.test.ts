import { createHash } from 'node:crypto';
import { DescribeLogGroupsCommand, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { PublishBatchCommand, PublishCommand, SetSMSAttributesCommand } from '@aws-sdk/client-sns';
import { administrator } from '../../local/kernel/caller';
import { HOUR_SECONDS } from '../../policy/time-units';
import { DeployedFunction, roleFor } from './deployed-function';
import { type Behaviour, HttpEndpoint } from './http-endpoint';
import { feedbackRole, groupOf, type LoggedProtocol, logDeliveries, statusRecords } from './status-log';
import { embeddedRow, row, Target } from './target';
import { deliveryPolicy, openQueue, redriveTo, Topic } from './topic';

const DEFAULTS = {
  minDelayTarget: 20,
  maxDelayTarget: 20,
  numRetries: 3,
  numMaxDelayRetries: 0,
  numNoDelayRetries: 0,
  numMinDelayRetries: 0,
  backoffFunction: 'linear',
};

describe('section 1: SNS delivery retries', () => {
  const aws = new Target();

  /** Seconds between the attempts at an endpoint that fails. */
  async function gaps(retry: object, behaviour: Behaviour = { status: 503 }) {
    const [topic, endpoint] = [await Topic.of(aws), new HttpEndpoint(aws)];
    await endpoint.confirmed(topic, deliveryPolicy({ healthyRetryPolicy: { ...DEFAULTS, ...retry } }));
    await endpoint.behaves(behaviour);
    await topic.publish('order');
    await aws.pass(2 * HOUR_SECONDS);
    return endpoint.gaps();
  }

  describe('1.1: four phases', () => {
    embeddedRow('no delay, pre-backoff, backoff, post-backoff, in this order', async () => {
      const phases = { numNoDelayRetries: 2, numMinDelayRetries: 3, numMaxDelayRetries: 2, numRetries: 10 };
      const delays = await gaps({ ...phases, minDelayTarget: 2, maxDelayTarget: 10 });
      expect(delays).toEqual([0, 0, 2, 2, 2, 2, 6, 10, 10, 10]);
    });

    embeddedRow.each([0, 1, 3, 100])('numRetries %i is one initial attempt and as many retries', async numRetries => {
      expect(await gaps({ numRetries })).toEqual(Array(numRetries).fill(20));
    });

    embeddedRow(
      'a delay counts from the end of the failed attempt: 15 s of silence space 20 s 35 s apart',
      async () => {
        expect(await gaps({}, { status: 'timeout' })).toEqual([35, 35, 35]);
      },
    );

    embeddedRow('what a throttle would hold for more than an hour is not delivered, and dead-lettered', async () => {
      const [topic, endpoint, dead] = [await Topic.of(aws), new HttpEndpoint(aws), await openQueue(aws)];
      const slow = { ...deliveryPolicy({ throttlePolicy: { maxReceivesPerSecond: 1 } }), RawMessageDelivery: 'true' };
      await endpoint.confirmed(topic, { ...slow, ...redriveTo(dead) });
      const entries = Array.from({ length: 10 }, (_, i) => ({ Id: `m${i}`, Message: 'order' }));
      const batch = { TopicArn: topic.arn, PublishBatchRequestEntries: entries };
      const owner = administrator(aws.embedded.place.account);
      for (let i = 0; i < 361; i += 1) aws.embedded.services.sns.call('PublishBatch', owner, batch);
      await aws.sns.send(new PublishBatchCommand(batch));
      await aws.pass(2 * HOUR_SECONDS);
      expect(await dead.depths()).toEqual([3_620 - (HOUR_SECONDS + 1), 0, 0]);
      expect(await endpoint.requests()).toHaveLength(HOUR_SECONDS + 1);
    });
  });

  describe('1.2: the attributes', () => {
    const effective = async (topic: Topic) =>
      JSON.parse((await topic.attributes())['EffectiveDeliveryPolicy'] ?? '').http;

    row('their defaults are 20, 20, 3, 0, 0, 0, linear, no throttle, and plain text', async () => {
      expect(await effective(await Topic.of(aws))).toEqual({
        defaultHealthyRetryPolicy: DEFAULTS,
        disableSubscriptionOverrides: false,
        defaultRequestPolicy: { headerContentType: 'text/plain; charset=UTF-8' },
      });
    });

    const set = async (retry: object) => {
      const topic = await Topic.of(aws);
      const defaultHealthyRetryPolicy = { ...DEFAULTS, ...retry };
      await topic.set('DeliveryPolicy', JSON.stringify({ http: { defaultHealthyRetryPolicy } }));
      return (await effective(topic)).defaultHealthyRetryPolicy;
    };

    row.each([
      ['minDelayTarget 1', { minDelayTarget: 1 }],
      ['maxDelayTarget 3,600', { maxDelayTarget: HOUR_SECONDS, numRetries: 1 }],
      ['equal targets', { minDelayTarget: 7, maxDelayTarget: 7 }],
      ['no retries', { numRetries: 0 }],
      ['100 retries', { numRetries: 100 }],
      [
        'retries of three phases and none of backoff',
        { numNoDelayRetries: 1, numMinDelayRetries: 1, numMaxDelayRetries: 1 },
      ],
      ['backoff arithmetic', { backoffFunction: 'arithmetic' }],
      ['backoff exponential', { backoffFunction: 'exponential' }],
      ['backoff geometric', { backoffFunction: 'geometric' }],
      ['50 retries of 60 s: 3,000 s', { minDelayTarget: 60, maxDelayTarget: 60, numRetries: 50 }],
      [
        "PyPI's policy",
        {
          minDelayTarget: 5,
          maxDelayTarget: 30,
          numRetries: 100,
          numNoDelayRetries: 5,
          numMinDelayRetries: 5,
          numMaxDelayRetries: 25,
          backoffFunction: 'exponential',
        },
      ],
      ['an hour in all', { minDelayTarget: 36, maxDelayTarget: 36, numRetries: 100 }],
    ])('are taken: %s', async (_, retry) => {
      expect(await set(retry)).toEqual({ ...DEFAULTS, ...retry });
    });

    row.each([
      ['minDelayTarget 0', { minDelayTarget: 0 }],
      ['maxDelayTarget 3,601', { maxDelayTarget: HOUR_SECONDS + 1, numRetries: 1 }],
      ['maxDelayTarget below minDelayTarget', { maxDelayTarget: 19 }],
      ['numRetries -1', { numRetries: -1 }],
      ['numRetries 101', { numRetries: 101 }],
      ['numNoDelayRetries -1', { numNoDelayRetries: -1 }],
      ['numMinDelayRetries -1', { numMinDelayRetries: -1 }],
      ['numMaxDelayRetries -1', { numMaxDelayRetries: -1 }],
      ['a fifth backoff function', { backoffFunction: 'cubic' }],
      [
        'more retries in the phases than in all',
        { numNoDelayRetries: 2, numMinDelayRetries: 1, numMaxDelayRetries: 1 },
      ],
      ['more than 3,600 s in all', { minDelayTarget: 37, maxDelayTarget: 37, numRetries: 100 }],
    ])('are refused: %s', async (_, retry) => {
      await expect(set(retry)).rejects.toMatchObject({
        name: 'InvalidParameterException',
        message: expect.stringMatching(/^Invalid parameter: DeliveryPolicy: /),
      });
    });

    embeddedRow('maxReceivesPerSecond is an average of each subscription by itself', async () => {
      const topic = await Topic.of(aws);
      const endpoints = [new HttpEndpoint(aws), new HttpEndpoint(aws)];
      const slow = deliveryPolicy({ throttlePolicy: { maxReceivesPerSecond: 2 } });
      for (const endpoint of endpoints) await endpoint.confirmed(topic, slow);
      for (let i = 0; i < 20; i += 1) await topic.publish('order');
      await aws.pass(60);
      for (const endpoint of endpoints) {
        const requests = await endpoint.requests();
        expect(requests).toHaveLength(20);
        const seconds = ((requests.at(-1)?.atMs ?? 0) - (requests[0]?.atMs ?? 0)) / 1_000;
        // The rate is an average. **Assumption SNS-22:** The messages of the first second go at once.
        expect(seconds).toBe(9);
      }
    });
  });

  describe('1.4: backoff', () => {
    const FIGURE = { minDelayTarget: 5, maxDelayTarget: 260, numRetries: 10 };
    const figure = (backoffFunction: string) => gaps({ ...FIGURE, backoffFunction });

    embeddedRow("linear, AWS's example: 3 retries from 20 s to 40 s wait 20, 30, 40", async () => {
      expect(await gaps({ maxDelayTarget: 40 })).toEqual([20, 30, 40]);
    });

    embeddedRow("linear, AWS's figure: 10 retries from 5 s to 260 s", async () => {
      const [, ...rest] = await figure('linear');
      expect(rest.map(seconds => Math.round(seconds * 10) / 10)).toEqual([
        33.3, 61.7, 90, 118.3, 146.7, 175, 203.3, 231.7, 260,
      ]);
    });

    embeddedRow.each(['arithmetic', 'geometric', 'exponential'])(
      '%s begins at the least delay, ends at the greatest, never falls, and is never above linear',
      async backoffFunction => {
        const [delays, linear] = [await figure(backoffFunction), await figure('linear')];
        expect([delays.length, delays[0], delays.at(-1)]).toEqual([10, 5, 260]);
        expect(delays).toEqual([...delays].sort((a, b) => a - b));
        expect(delays.filter((seconds, i) => seconds > (linear[i] ?? 0))).toEqual([]);
      },
    );

    embeddedRow("at the figure's policy arithmetic is above geometric, and geometric above exponential", async () => {
      const totals = [];
      for (const name of ['linear', 'arithmetic', 'geometric', 'exponential']) {
        totals.push(Math.round((await figure(name)).reduce((sum, seconds) => sum + seconds)));
      }
      expect(totals).toEqual([1_325, 947, 723, 556]);
    });

    embeddedRow.each([
      ['of one retry waits the least delay', { maxDelayTarget: 60, numRetries: 1 }, [20]],
      ['of equal targets is constant', { backoffFunction: 'exponential' }, [20, 20, 20]],
      ['of no retries is skipped', { numNoDelayRetries: 2, numMaxDelayRetries: 1, maxDelayTarget: 60 }, [0, 0, 60]],
    ])('a phase %s', async (_, retry, delays) => {
      expect(await gaps(retry)).toEqual(delays);
    });
  });
});

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);

describe('section 5: delivery status logging', () => {
  const aws = new Target();

  async function loggingTopic(...protocols: readonly LoggedProtocol[]): Promise<Topic> {
    const topic = await Topic.of(aws);
    await logDeliveries(aws, topic, ...protocols);
    return topic;
  }

  const groups = async (topic: Topic): Promise<readonly (string | undefined)[]> => {
    const asked = new DescribeLogGroupsCommand({ logGroupNamePrefix: groupOf(topic, 'SUCCESS') });
    return ((await aws.logs.send(asked)).logGroups ?? []).map(({ logGroupName }) => logGroupName);
  };

  const eventsOf = async (logGroupName: string | undefined): Promise<readonly string[]> => {
    const { events = [] } = await aws.logs.send(new FilterLogEventsCommand({ logGroupName }));
    return events.map(({ message = '' }) => message);
  };

  row.each(['HTTP', 'Firehose', 'Lambda', 'Application', 'SQS'])(
    '%s has two roles and a sample rate',
    async protocol => {
      const [topic, role] = [await Topic.of(aws), await feedbackRole(aws)];
      const attributes = {
        [`${protocol}SuccessFeedbackRoleArn`]: role,
        [`${protocol}SuccessFeedbackSampleRate`]: '100',
        [`${protocol}FailureFeedbackRoleArn`]: role,
      };
      for (const [name, value] of Object.entries(attributes)) await topic.set(name, value);
      expect(await topic.attributes()).toMatchObject(attributes);
      for (const rate of ['-1', '101', 'all']) {
        await expect(topic.set(`${protocol}SuccessFeedbackSampleRate`, rate)).rejects.toMatchObject({
          name: 'InvalidParameterException',
        });
      }
    },
  );

  const notificationOf = (topic: Topic, messageId: string | undefined) => ({
    messageMD5Sum: createHash('md5').update('order').digest('hex'),
    messageId,
    topicArn: topic.arn,
    timestamp: INSTANT,
  });

  row('the record of a queue that took the message: 200 and the ids SQS gave', async () => {
    const [topic, dead] = [await loggingTopic('SQS'), await openQueue(aws)];
    const queue = await topic.queue({ ...redriveTo(dead), RawMessageDelivery: 'true' });
    const { MessageId } = await topic.publish('order');
    await aws.pass(1);
    const [message] = await queue.receive();
    const records = await statusRecords(aws, topic, 'SUCCESS');
    expect(records).toEqual([
      {
        notification: notificationOf(topic, MessageId),
        delivery: {
          deliveryId: UUID,
          redrivePolicy: `{"deadLetterTargetArn": "${dead.arn}"}`,
          destination: queue.arn,
          providerResponse: expect.any(String),
          dwellTimeMs: expect.any(Number),
          attempts: 1,
          statusCode: 200,
        },
        status: 'SUCCESS',
      },
    ]);
    expect(JSON.parse(records[0]?.delivery.providerResponse ?? '')).toEqual({
      sqsRequestId: UUID,
      sqsMessageId: message?.MessageId,
    });
  });

  row('the record of a function that took its event: 202, and no attempts', async () => {
    const topic = await loggingTopic('Lambda');
    const { arn } = await DeployedFunction.hearing(aws, topic, 'exports.handler = async () => {};');
    await topic.publish('order');
    await aws.pass(1);
    const records = await statusRecords(aws, topic, 'SUCCESS');
    expect(records).toMatchObject([{ delivery: { destination: arn, statusCode: 202 }, status: 'SUCCESS' }]);
    expect(records[0]?.delivery).not.toHaveProperty('attempts');
    expect(records[0]?.delivery).not.toHaveProperty('redrivePolicy');
    expect(JSON.parse(records[0]?.delivery.providerResponse ?? '')).toEqual({ lambdaRequestId: UUID });
  });

  row('a failure, and the dead letter as a second record without a redrive policy', async () => {
    const [topic, dead] = [await loggingTopic('SQS'), await openQueue(aws)];
    const queue = await topic.queue(redriveTo(dead));
    await queue.set({ Policy: '' });
    const { MessageId } = await topic.publish('order');
    await aws.pass(2);
    expect(await statusRecords(aws, topic, 'FAILURE')).toMatchObject([
      {
        notification: { messageId: MessageId },
        delivery: {
          destination: queue.arn,
          redrivePolicy: `{"deadLetterTargetArn": "${dead.arn}"}`,
          attempts: 1,
          statusCode: 403,
        },
        status: 'FAILURE',
      },
    ]);
    const second = await statusRecords(aws, topic, 'SUCCESS');
    expect(second).toMatchObject([
      {
        notification: { messageId: MessageId },
        delivery: { destination: dead.arn, statusCode: 200 },
        status: 'SUCCESS',
      },
    ]);
    expect(second[0]?.delivery).not.toHaveProperty('redrivePolicy');
  });

  embeddedRow.each(['timeout', 'refuse', 'reset', 'dns'] as const)(
    'a transport failure (%s) is IO Exception in HttpClient',
    async status => {
      const [topic, endpoint] = [await loggingTopic('HTTP'), new HttpEndpoint(aws)];
      await endpoint.confirmed(topic);
      await endpoint.behaves({ status });
      await topic.publish('order');
      await aws.pass(300);
      const [record] = await statusRecords(aws, topic, 'FAILURE');
      expect(record?.delivery).toMatchObject({
        destination: endpoint.url,
        providerResponse: 'IO Exception in HttpClient',
        attempts: 4,
      });
    },
  );

  embeddedRow('dwellTimeMs is from the publication to the hand-over of the last attempt', async () => {
    const [topic, endpoint] = [await loggingTopic('HTTP'), new HttpEndpoint(aws)];
    await endpoint.confirmed(topic);
    await endpoint.behaves({ status: 503, count: 2 }, { status: 200, latencyMs: 5_000 });
    await topic.publish('order');
    await aws.pass(120);
    expect(await statusRecords(aws, topic, 'SUCCESS')).toMatchObject([
      { delivery: { dwellTimeMs: 40_000, attempts: 3, statusCode: 200 } },
    ]);
  });

  row('log groups are made by the first record', async () => {
    const topic = await loggingTopic('SQS');
    const queue = await topic.queue();
    expect(await groups(topic)).toEqual([]);
    await topic.publish('order');
    await aws.pass(1);
    await statusRecords(aws, topic, 'SUCCESS');
    expect(await groups(topic)).toEqual([groupOf(topic, 'SUCCESS')]);
    await queue.set({ Policy: '' });
    await topic.publish('order');
    await aws.pass(1);
    await statusRecords(aws, topic, 'FAILURE');
    expect(await groups(topic)).toEqual([groupOf(topic, 'SUCCESS'), groupOf(topic, 'FAILURE')]);
  });

  embeddedRow('a sample rate applies to successes; failures are all logged', async () => {
    const topic = await loggingTopic('SQS');
    await topic.set('SQSSuccessFeedbackSampleRate', '30');
    const queue = await topic.queue();
    const publish = async () => {
      for (let i = 0; i < 60; i += 1) await topic.publish('order');
      await aws.pass(1);
    };
    await publish();
    await queue.set({ Policy: '' });
    await publish();
    const { length } = await statusRecords(aws, topic, 'SUCCESS');
    expect(length).toBeGreaterThan(5);
    expect(length).toBeLessThan(40);
    expect(await statusRecords(aws, topic, 'FAILURE')).toHaveLength(60);
  });

  row('a sample rate of 0 logs no success', async () => {
    const topic = await loggingTopic('SQS');
    await topic.set('SQSSuccessFeedbackSampleRate', '0');
    await topic.queue();
    await topic.publish('order');
    await aws.pass(1);
    expect(await groups(topic)).toEqual([]);
  });

  row.each([
    ['sns.amazonaws.com may not assume', 'lambda.amazonaws.com', ['logs:*']],
    ['may not put log events', 'sns.amazonaws.com', ['logs:CreateLogGroup', 'logs:CreateLogStream']],
  ])('a role that %s logs nothing', async (_, service, actions) => {
    const topic = await Topic.of(aws);
    await topic.set('SQSFailureFeedbackRoleArn', await roleFor(aws, service, actions));
    const queue = await topic.queue();
    await queue.set({ Policy: '' });
    await topic.publish('order');
    await aws.pass(1);
    expect((await Promise.all((await groups(topic)).map(eventsOf))).flat()).toEqual([]);
  });

  embeddedRow('a text message to a phone is logged in DirectPublishToPhoneNumber', async () => {
    const attributes = { DeliveryStatusIAMRole: await feedbackRole(aws), DeliveryStatusSuccessSamplingRate: '100' };
    await aws.sns.send(new SetSMSAttributesCommand({ attributes }));
    const { recipients } = aws.embedded.services.sns;
    const [reached, refused] = ['+12065550100', '+12065550199'];
    recipients.behave(refused, { outcome: { kind: 'answered', statusCode: 400, errorCode: 'UNREACHABLE' } });
    for (const PhoneNumber of [reached, refused])
      await aws.sns.send(new PublishCommand({ PhoneNumber, Message: 'order' }));
    await aws.pass(86_400);
    const { account } = aws.embedded.place;
    const group = `sns/us-east-1/${account}/DirectPublishToPhoneNumber`;
    const logged = async (suffix: string) => (await eventsOf(`${group}${suffix}`)).map(text => JSON.parse(text));
    expect(await logged('')).toMatchObject([{ delivery: { destination: reached }, status: 'SUCCESS' }]);
    expect(await logged('/Failure')).toMatchObject([{ delivery: { destination: refused }, status: 'FAILURE' }]);
  });
});
