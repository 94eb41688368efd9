import fc from 'fast-check';
import { AwsError } from '../../../local/kernel/aws-error';
import type { Traced } from '../../../local/kernel/trace';
import { response } from '../../../local/network/outside-endpoint';
import type { SnsTraceEvent } from '../../../local/sns';
import { FUNCTION_ARN, queueArn, queueUrl, redriveTo, SnsFixture, START_MS } from './sns-fixture';

interface Account {
  published: number;
  filtered: number;
  delivered: number;
  deadLettered: number;
  lost: number;
}

/** The ledger of each subscriber, from the trace alone: who was subscribed when, and where each message ended. */
function ledgerOf(happenings: readonly Traced<SnsTraceEvent>[]): Map<string, Account> {
  const ledger = new Map<string, Account>();
  const subscribed = new Set<string>();
  const account = (arn: string): Account => {
    const known = ledger.get(arn) ?? { published: 0, filtered: 0, delivered: 0, deadLettered: 0, lost: 0 };
    ledger.set(arn, known);
    return known;
  };
  for (const it of happenings) {
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
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('publish'), status: fc.constantFrom('confirmed', 'draft') }) },
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
  test('accounts for every message of every subscriber, whatever goes wrong', async () => {
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

  test('agrees with what the queues hold', async () => {
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
