import type { NoAnswer } from '../../local/network/network';
import { type Behaviour, HttpEndpoint } from './http-endpoint';
import { embeddedRow, row, Target } from './target';
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
    '%i is a permanent failure, and no redirect is followed (our choice)',
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
