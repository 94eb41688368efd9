import { PublishBatchCommand } from '@aws-sdk/client-sns';
import { administrator } from '../../local/kernel/caller';
import { type Behaviour, HttpEndpoint } from './http-endpoint';
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

/** The longest all delays of a policy may take together. */
const HOUR = 3_600;

describe('section 1: SNS delivery retries', () => {
  const aws = new Target();

  /** Seconds between the attempts at an endpoint that fails. */
  async function gaps(retry: object, behaviour: Behaviour = { status: 503 }) {
    const [topic, endpoint] = [await Topic.of(aws), new HttpEndpoint(aws)];
    await endpoint.confirmed(topic, deliveryPolicy({ healthyRetryPolicy: { ...DEFAULTS, ...retry } }));
    await endpoint.behaves(behaviour);
    await topic.publish('order');
    await aws.pass(2 * HOUR);
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
      const slow = deliveryPolicy({ throttlePolicy: { maxReceivesPerSecond: 1 } });
      await endpoint.confirmed(topic, { ...slow, ...redriveTo(dead) });
      const entries = Array.from({ length: 10 }, (_, i) => ({ Id: `m${i}`, Message: 'order' }));
      const batch = { TopicArn: topic.arn, PublishBatchRequestEntries: entries };
      const owner = administrator(aws.embedded.place.account);
      for (let i = 0; i < 361; i += 1) aws.embedded.services.sns.call('PublishBatch', owner, batch);
      await aws.sns.send(new PublishBatchCommand(batch));
      await aws.pass(2 * HOUR);
      expect(await dead.depths()).toEqual([3_620 - (HOUR + 1), 0, 0]);
      expect(await endpoint.requests()).toHaveLength(HOUR + 1);
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
      ['maxDelayTarget 3,600', { maxDelayTarget: HOUR, numRetries: 1 }],
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
      ['maxDelayTarget 3,601', { maxDelayTarget: HOUR + 1, numRetries: 1 }],
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
        // An average: at the beginning a second's worth goes at once (our choice).
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
      '%s begins at the least delay, ends at the greatest, never falls, and is nowhere above linear',
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
