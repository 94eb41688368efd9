import fc from 'fast-check';
import { AwsError } from '../../../local/kernel/aws-error';
import { response } from '../../../local/network/outside-endpoint';
import type { SnsTraceEvent } from '../../../local/sns';
import { ADMIN, FUNCTION_ARN, queueArn, redriveTo, SnsFixture, TOPIC_ARN } from './sns-fixture';

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

function worldOf({ subscriptions, fault: it, functionFails }: Scenario): SnsFixture {
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

test('of every message published, exactly one thing becomes for every subscriber, once nothing is left to happen', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async given => {
      const fixture = worldOf(given);
      const published = given.messages.map(({ body: text, attributes: MessageAttributes }) =>
        fixture.publish(text, { MessageAttributes }),
      );
      await fixture.settle();
      const { Subscriptions = [] } = fixture.sns.call('ListSubscriptionsByTopic', ADMIN, { TopicArn: TOPIC_ARN });
      const expected = published.flatMap(id => Subscriptions.map(({ SubscriptionArn }) => `${id} ${SubscriptionArn}`));
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
