import { ConfirmSubscriptionCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import { HttpEndpoint } from './http-endpoint';
import { embeddedRow, row, Target } from './target';
import { deliveryPolicy, Topic } from './topic';

/** What a subscription with raw delivery may name. */
const TWELVE = [
  'text/css',
  'text/csv',
  'text/html',
  'text/plain',
  'text/xml',
  'application/atom+xml',
  'application/json',
  'application/octet-stream',
  'application/soap+xml',
  'application/x-www-form-urlencoded',
  'application/xhtml+xml',
  'application/xml',
];

const DEFAULT = 'text/plain; charset=UTF-8';

describe('section 2.4: confirmation', () => {
  const aws = new Target();

  const subscribe = async (ReturnSubscriptionArn?: boolean) => {
    const [topic, endpoint] = [await Topic.of(aws), new HttpEndpoint(aws)];
    const asked = { TopicArn: topic.arn, Protocol: 'https', Endpoint: endpoint.url, ReturnSubscriptionArn };
    const { SubscriptionArn } = await aws.sns.send(new SubscribeCommand(asked));
    await aws.pass(0);
    const [request] = await endpoint.envelopes('SubscriptionConfirmation');
    return { topic, SubscriptionArn, url: request?.['SubscribeURL'] ?? '', token: request?.['Token'] ?? '' };
  };

  embeddedRow('Subscribe answers "pending confirmation"', async () => {
    expect((await subscribe()).SubscriptionArn).toBe('pending confirmation');
    expect((await subscribe(false)).SubscriptionArn).toBe('pending confirmation');
  });

  embeddedRow('ReturnSubscriptionArn=true answers the ARN', async () => {
    const { topic, SubscriptionArn } = await subscribe(true);
    expect(SubscriptionArn).toMatch(new RegExp(`^${topic.arn}:[0-9a-f-]{36}$`));
    expect(await topic.attributesOf(SubscriptionArn ?? '')).toMatchObject({ PendingConfirmation: 'true' });
  });

  embeddedRow('following the SubscribeURL confirms, and again changes nothing', async () => {
    const { topic, SubscriptionArn, url } = await subscribe(true);
    for (let i = 0; i < 2; i += 1) {
      const answer = await aws.visit(url);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain(`<SubscriptionArn>${SubscriptionArn}</SubscriptionArn>`);
    }
    expect(await topic.attributesOf(SubscriptionArn ?? '')).toMatchObject({ PendingConfirmation: 'false' });
    expect(await topic.attributes()).toMatchObject({ SubscriptionsConfirmed: '1', SubscriptionsPending: '0' });
  });

  embeddedRow.each<[string, (url: string, topicArn: string) => string, string]>([
    ['a broken ARN', (url, arn) => url.replace(arn, 'broken'), 'Topic'],
    ['an ARN of another Region', url => url.replace(':us-east-1:', ':us-west-2:'), 'Topic'],
    ['a bad token', url => url.slice(0, -8), 'Token'],
  ])('%s is refused', async (_, spoiled, named) => {
    const { topic, SubscriptionArn, url } = await subscribe(true);
    const answer = await aws.visit(spoiled(url, topic.arn));
    expect(answer.status).toBe(400);
    const text = await answer.text();
    expect(text).toContain(`<Code>InvalidParameter</Code><Message>Invalid parameter: ${named}</Message>`);
    expect(await topic.attributesOf(SubscriptionArn ?? '')).toMatchObject({ PendingConfirmation: 'true' });
  });

  embeddedRow('a topic that does not exist confirms with a good token all the same', async () => {
    const { topic, SubscriptionArn, url } = await subscribe(true);
    expect((await aws.visit(url.replace(topic.arn, `${topic.arn}-of-nobody`))).status).toBe(200);
    expect(await topic.attributesOf(SubscriptionArn ?? '')).toMatchObject({ PendingConfirmation: 'false' });
  });

  embeddedRow('ConfirmSubscription with the token does the same', async () => {
    const { topic, SubscriptionArn, token } = await subscribe(true);
    const confirm = new ConfirmSubscriptionCommand({ TopicArn: topic.arn, Token: token });
    expect(await aws.sns.send(confirm)).toMatchObject({ SubscriptionArn });
  });

  embeddedRow('nothing is delivered before', async () => {
    const [topic, endpoint] = [await Topic.of(aws), new HttpEndpoint(aws)];
    await topic.subscribe('https', endpoint.url);
    await topic.publish('order');
    await aws.pass(600);
    expect(await endpoint.requests()).toEqual([]);
  });
});

describe('section 2.6: Content-Type', () => {
  const aws = new Target();

  /** Of the confirmation and of a notification. */
  async function contentTypes(subscription = {}, topicAttributes = {}) {
    const [topic, endpoint] = [await Topic.of(aws, topicAttributes), new HttpEndpoint(aws)];
    await endpoint.confirmed(topic, subscription);
    await topic.publish('order');
    await aws.pass(0);
    const [[asked], [notified]] = [await endpoint.requests('SubscriptionConfirmation'), await endpoint.requests()];
    return [asked?.headers['content-type'], notified?.headers['content-type']];
  }

  const policy = (headerContentType: string) => deliveryPolicy({ requestPolicy: { headerContentType } });
  const ofTopic = (headerContentType: string) =>
    deliveryPolicy({ http: { defaultRequestPolicy: { headerContentType } } });
  const RAW = { RawMessageDelivery: 'true' };

  embeddedRow('is text/plain; charset=UTF-8', async () => {
    expect(await contentTypes()).toEqual([DEFAULT, DEFAULT]);
    expect(await contentTypes(RAW)).toEqual([DEFAULT, DEFAULT]);
  });

  embeddedRow.each(['application/json', 'text/plain'])(
    'is exactly %s where a policy says so, but for confirmations',
    async type => {
      expect(await contentTypes(policy(type))).toEqual([DEFAULT, type]);
      expect(await contentTypes({}, ofTopic(type))).toEqual([DEFAULT, type]);
      expect(await contentTypes(RAW, ofTopic(type))).toEqual([DEFAULT, type]);
    },
  );

  embeddedRow.each(TWELVE)('may be %s with raw delivery', async type => {
    expect(await contentTypes({ ...RAW, ...policy(type) })).toEqual([DEFAULT, type]);
  });

  row.each(TWELVE.filter(type => !['application/json', 'text/plain'].includes(type)))(
    'may not be %s without raw delivery, nor at a topic',
    async type => {
      const topic = await Topic.of(aws);
      const invalid = { name: 'InvalidParameterException' };
      await expect(topic.subscribe('https', 'https://example.com/', policy(type))).rejects.toMatchObject(invalid);
      await expect(topic.set('DeliveryPolicy', ofTopic(type).DeliveryPolicy)).rejects.toMatchObject(invalid);
    },
  );

  row('may be nothing else, even with raw delivery', async () => {
    const topic = await Topic.of(aws);
    const asked = topic.subscribe('https', 'https://example.com/', { ...RAW, ...policy('image/png') });
    await expect(asked).rejects.toMatchObject({ name: 'InvalidParameterException' });
  });
});
