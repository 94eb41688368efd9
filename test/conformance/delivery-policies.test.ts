import { HttpEndpoint } from './http-endpoint';
import { embeddedRow, row, Target } from './target';
import { deliveryPolicy, Topic } from './topic';

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
    return { own: DeliveryPolicy && JSON.parse(DeliveryPolicy), effective: JSON.parse(EffectiveDeliveryPolicy ?? '') };
  };
  const VESTIGES = { sicklyRetryPolicy: null, throttlePolicy: null, guaranteed: false };

  row(
    "a subscription's retry policy is shown filled in, beside null for what it has not and the vestiges",
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
