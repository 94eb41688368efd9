import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { whyNotSelected } from '../../../diagnosis/manual-redrive/selection';
import { functionArn, lambda, queue, queueArn, subscription, topicArn } from '../inventories';
import { DEAD, planned, riskIds, routed } from './planned';

const to = { deadLetterTargetArn: DEAD };
const ARNS = { queue: `${topicArn('news')}:1`, function: `${topicArn('news')}:2`, endpoint: `${topicArn('news')}:3` };
const shared: Partial<Inventory> = {
  functions: [lambda('bill')],
  subscriptions: [
    subscription('news', '1', to),
    subscription('news', '2', { ...to, protocol: 'lambda', endpoint: functionArn('bill') }),
    subscription('news', '3', { ...to, protocol: 'https', endpoint: 'https://a.example/' }),
  ],
};
const raw: Partial<Inventory> = {
  subscriptions: [subscription('news', '1', { ...to, isRaw: true }), ...(shared.subscriptions ?? []).slice(1)],
};

describe('A dead-letter queue that several subscriptions share', () => {
  test('has no destination until one is named', () => {
    expect(routed({ inventory: shared })).toEqual({
      kind: 'none',
      reason:
        `the messages of dead come from several places: name one of them with --to: ${queueArn('orders')}, ${functionArn('bill')}, news:3; ` +
        'for another subscriber, --subscription with its ARN, and --to with a queue',
    });
  });

  test.each([
    ['the queue that is named', { to: queueArn('orders') }, ARNS.queue, 'copy'],
    ['the function that is named', { to: functionArn('bill') }, ARNS.function, 'replay'],
    ['the queue of the subscription that is named', { subscription: ARNS.queue }, ARNS.queue, 'copy'],
    ['the function of the subscription that is named', { subscription: ARNS.function }, ARNS.function, 'replay'],
    [
      'the queue that is named for the messages of an endpoint',
      { subscription: ARNS.endpoint, to: queueArn('relay') },
      ARNS.endpoint,
      'copy',
    ],
  ])('sends %s only the messages for it', (_, terms, arn, carrier) => {
    expect(planned({ inventory: shared, terms })).toMatchObject({ selection: { subscriptionArns: [arn] }, carrier });
    expect(riskIds({ inventory: shared, terms })).not.toContain('several-sources');
  });

  test('names the subscription of the function in the event', () => {
    expect(planned({ inventory: shared, terms: { to: functionArn('bill') } }).destination).toMatchObject({
      bodyIs: 'envelope',
      subscriptionArn: ARNS.function,
    });
  });

  test('sends nothing to an endpoint', () => {
    const reason =
      `the messages of ${ARNS.endpoint} were for https://a.example/, which is neither a queue nor a function: ` +
      'name a queue (such as that of a relay) or a function with --to';
    expect(routed({ inventory: shared, terms: { subscription: ARNS.endpoint } })).toEqual({ kind: 'none', reason });
  });

  test('sends a queue that is no subscriber nothing until it is said whose messages', () => {
    const terms = { to: queueArn('relay') };
    expect(routed({ inventory: shared, terms })).toMatchObject({
      kind: 'none',
      reason: expect.stringMatching(
        /^the messages of dead come from several places, and were not for arn:\S+:relay: --subscription says whose messages go there, or --filter says which: .*news:3 \(https:\/\/a.example\/\)$/,
      ),
    });
    const filtered = { ...terms, filter: 'data' };
    expect(planned({ inventory: shared, terms: filtered })).not.toHaveProperty('selection');
    expect(riskIds({ inventory: shared, terms: filtered })).toContain('several-sources');
  });

  test('does not say which messages are those of a raw subscription', () => {
    const reason = expect.stringMatching(/:news:1 are raw: nothing in them shows which messages of dead they are/);
    for (const terms of [{ to: queueArn('orders') }, { subscription: ARNS.queue }]) {
      expect(routed({ inventory: raw, terms })).toEqual({ kind: 'none', reason });
      expect(routed({ inventory: raw, terms: { ...terms, filter: 'data' } })).toMatchObject({ kind: 'route' });
    }
    expect(planned({ inventory: raw, terms: { to: functionArn('bill') } })).toHaveProperty('selection');
  });

  test('sends the messages of an earlier subscription where the operator says', () => {
    const earlier = `${topicArn('news')}:earlier`;
    expect(routed({ inventory: shared, terms: { subscription: earlier } })).toMatchObject({
      kind: 'none',
      reason: expect.stringMatching(/^\S+:earlier sends no dead letters to dead: --to names the destination/),
    });
    expect(planned({ inventory: shared, terms: { subscription: earlier, to: queueArn('orders') } }).selection).toEqual({
      subscriptionArns: [earlier],
    });
  });

  test.each(['news:3', topicArn('news'), queueArn('orders')])('knows no subscription %s', subscribed => {
    expect(routed({ inventory: shared, terms: { subscription: subscribed } })).toEqual({
      kind: 'none',
      reason: `--subscription must be the ARN of a subscription, got "${subscribed}"`,
    });
  });

  test('sends a queue also what SQS moved from it', () => {
    const source = queue('orders', { redrivePolicy: { ...to, maxReceiveCount: 3 } });
    const inventory = { ...shared, queues: [source] };
    expect(planned({ inventory, terms: { to: queueArn('orders') } }).selection).toEqual({
      subscriptionArns: [ARNS.queue],
      sourceArn: queueArn('orders'),
    });
  });

  test('is another plan for each subscription', () => {
    const plans = [ARNS.queue, ARNS.function].map(arn => planned({ inventory: shared, terms: { subscription: arn } }));
    expect(plans[0]?.planInputs['route']).not.toEqual(plans[1]?.planInputs['route']);
  });
});

test('Two subscriptions of one destination select nothing', () => {
  const inventory = { subscriptions: [subscription('news', '1', to), subscription('ads', '1', to)] };
  expect(planned({ inventory })).not.toHaveProperty('selection');
});

describe('A message', () => {
  const bodyFor = (arn: string | undefined) =>
    JSON.stringify({
      Type: 'Notification',
      MessageId: '22b80b92',
      TopicArn: topicArn('news'),
      Message: 'hello',
      Timestamp: '2026-01-05T09:00:00.000Z',
      ...(arn && { UnsubscribeURL: `https://sns.example/?Action=Unsubscribe&SubscriptionArn=${arn}` }),
    });
  const selection = { subscriptionArns: [ARNS.queue], sourceArn: queueArn('orders') };

  test.each([
    ['of the subscription', { body: bodyFor(ARNS.queue) }, undefined],
    ['that SQS moved from the queue', { body: 'hello', movedFromArn: queueArn('orders') }, undefined],
    ['of another', { body: bodyFor(ARNS.function) }, `is for another subscription, ${ARNS.function}`],
    ['of another queue', { body: 'hello', movedFromArn: queueArn('other') }, 'names no subscription'],
    ['without an envelope', { body: 'hello' }, 'names no subscription'],
    ['without its subscription', { body: bodyFor(undefined) }, 'names no subscription'],
  ])('%s', (_, message, reason) => {
    expect(whyNotSelected(message, selection)).toBe(reason);
  });
});
