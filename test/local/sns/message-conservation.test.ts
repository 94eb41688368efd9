import fc from 'fast-check';
import { AwsError } from '../../../local/kernel/aws-error';
import type { Traced } from '../../../local/kernel/trace';
import { response } from '../../../local/network/outside-endpoint';
import type { SnsTraceEvent } from '../../../local/sns';
import {
  ADMIN,
  FUNCTION_ARN,
  queueArn,
  queueUrl,
  redriveTo,
  SnsFixture,
  START_MS,
  sendPolicy,
  TOPIC_ARN,
} from './sns-fixture';

describe('conservation properties', () => {
  const ENDPOINT = 'https://billing.example.com/';

  /** Endpoints that work and endpoints that never will. */
  const endpoint = fc.constantFrom<readonly [protocol: string, endpoint: string]>(
    ['sqs', queueArn('Orders')],
    ['sqs', queueArn('Archive')],
    ['sqs', queueArn('Nowhere')],
    ['sqs', queueArn('Closed')],
    ['lambda', FUNCTION_ARN],
    ['https', ENDPOINT],
  );

  const filter = fc.constantFrom<Record<string, string>>(
    {},
    { FilterPolicy: '{"a":["x"]}' },
    { FilterPolicyScope: 'MessageBody', FilterPolicy: '{"a":["x"]}' },
    { FilterPolicyScope: 'MessageBody', FilterPolicy: '{"a":{"b":[{"exists":false}]}}' },
  );

  const subscription = fc.record({
    endpoint,
    filter,
    isRaw: fc.boolean(),
    deadLetterQueue: fc.constantFrom('Dead', 'Nowhere', 'Closed', undefined),
  });

  const nested = (depth: number): string => `{"a":${'['.repeat(depth)}"x"${']'.repeat(depth)}}`;

  /** Legal, and as a client may send it. */
  const body = fc.oneof(
    fc.json(),
    fc.string({ minLength: 1 }),
    fc.constantFrom(nested(1), nested(900), nested(3_000), nested(30_000), '{"a":[{"b":1},{}]}', 'a\u0001b'),
  );

  const attributes = fc.constantFrom(
    {},
    { a: { DataType: 'String', StringValue: 'x' } },
    { a: { DataType: 'String.Array', StringValue: `${'['.repeat(3_000)}${']'.repeat(3_000)}` } },
    { a: { DataType: 'Number', StringValue: '-1.5e3' } },
    JSON.parse('{"__proto__":{"DataType":"String","StringValue":"x"}}'),
  );

  const fault = fc.record({
    service: fc.constant('sqs' as const),
    resource: fc.constantFrom(queueArn('Orders'), queueArn('Dead'), undefined),
    seconds: fc.constantFrom(1, 60, 4_000),
    latencyMs: fc.constantFrom(0, 7_000),
    httpStatus: fc.constantFrom(400, 503, undefined),
  });

  const scenario = fc.record({
    subscriptions: fc.array(subscription, { minLength: 1, maxLength: 5 }),
    messages: fc.array(fc.record({ body, attributes }), { minLength: 1, maxLength: 4 }),
    fault: fc.option(fault),
    functionFails: fc.boolean(),
  });

  const ENDS: ReadonlySet<SnsTraceEvent['type']> = new Set([
    'sns.delivered',
    'sns.filtered',
    'sns.dead-lettered',
    'sns.lost',
  ]);

  type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

  function simulationOf({ subscriptions, fault: it, functionFails }: Scenario): SnsFixture {
    const fixture = new SnsFixture();
    fixture.createTopic();
    for (const name of ['Orders', 'Archive', 'Dead']) fixture.createQueue(name);
    fixture.createQueue('Closed', {});
    fixture.outside.endpoint('billing.example.com').behave({ reply: response(500), count: 2 });
    if (functionFails) fixture.lambda.refusal = new AwsError('ResourceNotFoundException', 'gone', 404);
    for (const {
      endpoint: [protocol, address],
      filter: filters,
      isRaw,
      deadLetterQueue,
    } of subscriptions) {
      if (fixture.sns.call('ListSubscriptions', ADMIN, {}).Subscriptions?.some(({ Endpoint }) => Endpoint === address))
        continue;
      fixture.subscribe(protocol, address, {
        ...filters,
        ...(isRaw && protocol !== 'lambda' && { RawMessageDelivery: 'true' }),
        ...(deadLetterQueue !== undefined && redriveTo(deadLetterQueue)),
      });
    }
    if (it) {
      const { seconds, ...set } = it;
      fixture.faults.set({ ...set, untilMs: fixture.timeline.nowMs + seconds * 1_000 });
    }
    return fixture;
  }

  test('every published message has exactly one end for every subscriber, once nothing is left to do', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async given => {
        const fixture = simulationOf(given);
        const published = given.messages.map(({ body: text, attributes: MessageAttributes }) =>
          fixture.publish(text, { MessageAttributes }),
        );
        await fixture.settle();
        const { Subscriptions = [] } = fixture.sns.call('ListSubscriptionsByTopic', ADMIN, { TopicArn: TOPIC_ARN });
        const expected = published.flatMap(id =>
          Subscriptions.map(({ SubscriptionArn }) => `${id} ${SubscriptionArn}`),
        );
        const ended = fixture.trace.events.flatMap(it =>
          ENDS.has(it.type) && 'messageId' in it && 'subscriptionArn' in it
            ? [`${it.messageId} ${it.subscriptionArn}`]
            : [],
        );
        expect(ended.sort()).toEqual(expected.sort());
      }),
      { numRuns: 100, seed: 7 },
    );
  });
});

interface Account {
  published: number;
  filtered: number;
  delivered: number;
  deadLettered: number;
  lost: number;
}

/** The ledger of each subscriber, from the trace alone: who was subscribed when, and where each message ended. */
function ledgerOf(events: readonly Traced<SnsTraceEvent>[]): Map<string, Account> {
  const ledger = new Map<string, Account>();
  const subscribed = new Set<string>();
  const account = (arn: string): Account => {
    const known = ledger.get(arn) ?? { published: 0, filtered: 0, delivered: 0, deadLettered: 0, lost: 0 };
    ledger.set(arn, known);
    return known;
  };
  for (const it of events) {
    if (it.type === 'sns.subscribed' && !it.pending) subscribed.add(it.subscriptionArn);
    else if (it.type === 'sns.confirmed') subscribed.add(it.subscriptionArn);
    else if (it.type === 'sns.unsubscribed') subscribed.delete(it.subscriptionArn);
    else if (it.type === 'sns.published') for (const arn of subscribed) account(arn).published += 1;
    else if (it.type === 'sns.filtered') account(it.subscriptionArn).filtered += 1;
    else if (it.type === 'sns.delivered') account(it.subscriptionArn).delivered += 1;
    else if (it.type === 'sns.dead-lettered') account(it.subscriptionArn).deadLettered += 1;
    else if (it.type === 'sns.lost') account(it.subscriptionArn).lost += 1;
  }
  return ledger;
}

type Deed =
  | { readonly kind: 'publish'; readonly status: string }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'take away the queue policy' | 'repair' | 'lose the function' | 'unsubscribe the endpoint' }
  | { readonly kind: 'fault'; readonly seconds: number }
  | { readonly kind: 'endpoint'; readonly status: number; readonly count: number };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('publish'), status: fc.constantFrom('confirmed', 'draft') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait'), seconds: fc.integer({ min: 1, max: 90 }) }) },
  fc.record({
    kind: fc.constantFrom('take away the queue policy', 'repair', 'lose the function', 'unsubscribe the endpoint'),
  }),
  fc.record({ kind: fc.constant('fault'), seconds: fc.integer({ min: 1, max: 300 }) }),
  fc.record({
    kind: fc.constant('endpoint'),
    status: fc.constantFrom(200, 404, 429, 503),
    count: fc.integer({ min: 1, max: 6 }),
  }),
);

const ENDPOINT = 'https://billing.example.com/';

async function play(deeds: readonly Deed[], seed: string): Promise<SnsFixture> {
  const fixture = new SnsFixture({ seed });
  fixture.createTopic();
  fixture.createQueue('Orders');
  fixture.createQueue('Fanout-DLQ');
  const FilterPolicy = JSON.stringify({ 'order-status': ['confirmed'] });
  fixture.subscribe('sqs', queueArn('Orders'), { ...redriveTo('Fanout-DLQ'), FilterPolicy });
  fixture.subscribe('lambda', FUNCTION_ARN, redriveTo('Fanout-DLQ'));
  const endpointArn = fixture.subscribe('https', ENDPOINT);
  for (const it of deeds) await act(fixture, it, endpointArn);
  await fixture.settle();
  return fixture;
}

async function act(fixture: SnsFixture, it: Deed, endpointArn: string): Promise<void> {
  const { sqs, sns, faults, timeline } = fixture;
  switch (it.kind) {
    case 'publish':
      fixture.publish('order', {
        MessageAttributes: { 'order-status': { DataType: 'String', StringValue: it.status } },
      });
      return;
    case 'wait':
      await timeline.advanceTo(timeline.nowMs + it.seconds * 1000);
      return;
    case 'take away the queue policy':
      sqs.call('SetQueueAttributes', sqs.owner, { QueueUrl: queueUrl('Orders'), Attributes: { Policy: '' } });
      return;
    case 'repair':
      fixture.lambda.refusal = undefined;
      return;
    case 'lose the function':
      fixture.lambda.refusal = new AwsError('ResourceNotFoundException', 'gone', 404);
      return;
    case 'unsubscribe the endpoint':
      sns.call('Unsubscribe', sns.owner, { SubscriptionArn: endpointArn });
      return;
    case 'fault':
      faults.set({ service: 'sqs', action: 'SendMessage', untilMs: timeline.nowMs + it.seconds * 1000 });
      return;
    case 'endpoint':
      fixture.outside.endpoint('billing.example.com').behave({ reply: response(it.status), count: it.count });
  }
}

describe('the trace of SNS', () => {
  test('accounts for every message of every subscriber, under any faults', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 25 }), async deeds => {
        const { trace } = await play(deeds, 'ledger');
        for (const { published, filtered, delivered, deadLettered, lost } of ledgerOf(trace.events).values()) {
          expect(filtered + delivered + deadLettered + lost).toBe(published);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('agrees with the contents of the queues', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 8 }), async deeds => {
        const fixture = await play(deeds, 'ledger');
        const delivered = fixture.happened('sns.delivered').filter(({ protocol }) => protocol === 'sqs').length;
        expect(fixture.receive('Orders')).toHaveLength(delivered);
        expect(fixture.receive('Fanout-DLQ')).toHaveLength(Math.min(10, fixture.happened('sns.dead-lettered').length));
      }),
      { numRuns: 40 },
    );
  });

  test('is the same, byte for byte, for the same seed and calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 15 }), async deeds => {
        const [once, again] = [await play(deeds, 'same'), await play(deeds, 'same')];
        expect(again.trace.toJsonLines()).toBe(once.trace.toJsonLines());
        expect(again.around.toJsonLines()).toBe(once.around.toJsonLines());
      }),
      { numRuns: 20 },
    );
  });

  test('names the cause of each dead letter', async () => {
    const fixture = await play(
      [
        { kind: 'lose the function' },
        { kind: 'publish', status: 'confirmed' },
        { kind: 'wait', seconds: 1 },
        { kind: 'take away the queue policy' },
        { kind: 'publish', status: 'confirmed' },
      ],
      'causes',
    );
    expect(
      fixture.happened('sns.dead-lettered').map(({ protocol, cause, atMs }) => [protocol, cause, atMs - START_MS]),
    ).toEqual([
      [
        'lambda',
        {
          kind: 'client-error',
          statusCode: 404,
          errorCode: 'ResourceNotFoundException',
          reason: 'the function does not exist (404 ResourceNotFoundException)',
        },
        0,
      ],
      [
        'sqs',
        {
          kind: 'client-error',
          statusCode: 403,
          errorCode: 'AccessDenied',
          reason: 'SNS is not allowed to deliver to it (403 AccessDenied)',
        },
        1_000,
      ],
      ['lambda', expect.objectContaining({ statusCode: 404 }), 1_000],
    ]);
  });
});

const FIFO_ARN = 'arn:aws:sns:us-east-1:123456789012:Orders.fifo';

/** Everything chance has a hand in: ids, tokens, nonces, jitter and sampling. Answers all that can be seen of it. */
async function story(seed: string): Promise<string> {
  const fixture = new SnsFixture({ seed, jitter: true });
  fixture.createTopic();
  fixture.logDeliveries('SQS', 'HTTP');
  fixture.setTopicAttribute('SQSSuccessFeedbackSampleRate', '50');
  fixture.createQueue('Orders');
  fixture.subscribe('sqs', queueArn('Orders'));
  const endpoint = fixture.outside.endpoint('billing.example.com');
  const challenge = { 'www-authenticate': 'Digest realm="r", nonce="n", qop="auth"' };
  endpoint.behave({ reply: response(401, '', challenge), count: 1 }, { reply: response(503), count: 2 });
  fixture.subscribe('https', 'https://user:secret@billing.example.com/');
  fixture.subscribe('sms', '+15550100');
  fixture.createTopic({ FifoTopic: 'true', ContentBasedDeduplication: 'true' }, 'Orders.fifo');
  fixture.createQueue('Orders.fifo', { FifoQueue: 'true', Policy: sendPolicy('Orders.fifo') });
  fixture.subscribe('sqs', queueArn('Orders.fifo'), {}, FIFO_ARN);
  fixture.faults.set({ service: 'sqs', action: 'SendMessage', untilMs: fixture.timeline.nowMs + 3_000 });
  for (const Message of ['1', '2', '1']) {
    fixture.publish(Message);
    fixture.sns.call('Publish', ADMIN, { TopicArn: FIFO_ARN, Message, MessageGroupId: 'car' });
    fixture.sns.call('Publish', ADMIN, { PhoneNumber: '+15550100', Message });
  }
  await fixture.settle();
  const requests = endpoint.requests.map(({ atMs, headers, body }) => ({ atMs, headers, body: body.toString() }));
  const seen = [fixture.receive('Orders'), fixture.receive('Orders.fifo'), requests, fixture.records('SUCCESS')];
  return `${fixture.trace.toJsonLines()}${JSON.stringify(seen)}`;
}

test('The same seed gives the same trace, messages, requests and logs', async () => {
  const once = await story('seed');
  expect(await story('seed')).toBe(once);
  expect(await story('another')).not.toBe(once);
});
