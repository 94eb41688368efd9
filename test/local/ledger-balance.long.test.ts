import fc from 'fast-check';
import { administrator } from '../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../local/kernel/place';
import { Random } from '../../local/kernel/random';
import { Ledger } from '../../local/ledger';
import { Simulation } from '../../local/simulation';

const START_MS = Date.UTC(2026, 0, 1);
const ADMIN = administrator(EXAMPLE_PLACE.account);
const ATTRIBUTES = { VisibilityTimeout: '30', MessageRetentionPeriod: '3600' };

const QUEUES = ['Fulfilment', 'Fulfilment-DLQ', 'Fanout-DLQ'] as const;
type QueueName = (typeof QUEUES)[number];

const arnOf = (name: string): string => `arn:aws:sqs:us-east-1:${EXAMPLE_PLACE.account}:${name}`;
const urlOf = (name: string): string => `https://sqs.us-east-1.amazonaws.com/${EXAMPLE_PLACE.account}/${name}`;

type Deed =
  | { readonly kind: 'publish' | 'lock' | 'unlock' | 'subscribe again' }
  | { readonly kind: 'wait' | 'outage'; readonly seconds: number }
  | { readonly kind: 'read' | 'handle' | 'purge' | 'remove' | 'send by hand'; readonly queue: QueueName };

const seconds = fc.integer({ min: 1, max: 2_000 });
const queue = fc.constantFrom(...QUEUES);

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('publish') }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('wait'), seconds }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom('read', 'handle'), queue }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('lock', 'unlock', 'subscribe again') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('purge', 'send by hand'), queue }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('remove'), queue }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('outage'), seconds }) },
);

/** A topic, a queue with both kinds of dead-letter queue, and everything that can befall messages there. */
class Shop {
  readonly world = new Simulation({ place: EXAMPLE_PLACE, random: new Random('balance'), startAtMs: START_MS }).home;
  /** Dead letters somebody has dealt with, and messages that came past the topic. */
  readonly handled = new Map<string, number>();
  readonly byHand = new Set<string>();
  private readonly topicArn: string;
  private subscriptionArn = '';
  private outageUntilMs = 0;
  private readonly purgedAtMs = new Map<string, number>();

  constructor() {
    this.topicArn = this.world.sns.call('CreateTopic', ADMIN, { Name: 'Orders' }).TopicArn ?? '';
    for (const name of ['Fulfilment-DLQ', 'Fanout-DLQ']) this.createQueue(name);
    const deadLetterTargetArn = arnOf('Fulfilment-DLQ');
    this.createQueue('Fulfilment', { RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 2 }) });
    this.subscribe();
  }

  async do(deed: Deed): Promise<void> {
    const { timeline, faults, sns } = this.world;
    switch (deed.kind) {
      case 'publish':
        sns.call('Publish', ADMIN, { TopicArn: this.topicArn, Message: 'order' });
        return;
      case 'wait':
        await timeline.advanceTo(timeline.nowMs + deed.seconds * 1_000);
        return;
      case 'outage': {
        this.outageUntilMs = timeline.nowMs + deed.seconds * 1_000;
        faults.set({
          service: 'sqs',
          action: 'SendMessage',
          resource: arnOf('Fulfilment'),
          untilMs: this.outageUntilMs,
        });
        return;
      }
      case 'lock':
      case 'unlock':
        this.setPolicy('Fulfilment', deed.kind === 'unlock');
        return;
      case 'subscribe again':
        sns.call('Unsubscribe', ADMIN, { SubscriptionArn: this.subscriptionArn });
        this.subscribe();
        return;
      default:
        this.inQueue(deed.kind, deed.queue);
    }
  }

  /** How many messages SQS has in the queue. */
  kept(name: QueueName): number {
    if (!this.world.sqs.queueByArn(arnOf(name))) return 0;
    const wanted = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const { Attributes = {} } = this.world.sqs.call('GetQueueAttributes', ADMIN, {
      QueueUrl: urlOf(name),
      AttributeNames: [...wanted],
    });
    return wanted.reduce((sum, attribute) => sum + Number(Attributes[attribute]), 0);
  }

  private inQueue(kind: 'read' | 'handle' | 'purge' | 'remove' | 'send by hand', name: QueueName): void {
    const { sqs, timeline } = this.world;
    const QueueUrl = urlOf(name);
    if (!sqs.queueByArn(arnOf(name))) return;
    if (kind === 'purge' && timeline.nowMs - (this.purgedAtMs.get(name) ?? 0) >= 60_000) {
      sqs.call('PurgeQueue', ADMIN, { QueueUrl });
      this.purgedAtMs.set(name, timeline.nowMs);
    }
    if (kind === 'remove') sqs.call('DeleteQueue', ADMIN, { QueueUrl });
    if (kind === 'send by hand' && timeline.nowMs >= this.outageUntilMs) this.sendByHand(QueueUrl);
    if (kind === 'read' || kind === 'handle') this.receive(name, kind === 'handle');
  }

  /** Somebody sends a message, and takes it out again: none of the topic's business. */
  private sendByHand(QueueUrl: string): void {
    const { MessageId = '' } = this.world.sqs.call('SendMessage', ADMIN, { QueueUrl, MessageBody: 'by hand' });
    this.byHand.add(MessageId);
  }

  private receive(name: QueueName, andDelete: boolean): void {
    const { sqs } = this.world;
    const QueueUrl = urlOf(name);
    const answer = sqs.call('ReceiveMessage', ADMIN, { QueueUrl, MaxNumberOfMessages: 3, WaitTimeSeconds: 0 });
    if (answer instanceof Promise) throw new Error('a short poll must answer at once');
    for (const { ReceiptHandle, MessageId = '' } of andDelete ? (answer.Messages ?? []) : []) {
      sqs.call('DeleteMessage', ADMIN, { QueueUrl, ReceiptHandle });
      if (!this.byHand.has(MessageId)) this.handled.set(name, (this.handled.get(name) ?? 0) + 1);
    }
  }

  private createQueue(name: string, more: Record<string, string> = {}): void {
    this.world.sqs.call('CreateQueue', ADMIN, { QueueName: name, Attributes: { ...ATTRIBUTES, ...more } });
    this.setPolicy(name, true);
  }

  private setPolicy(name: string, isOpen: boolean): void {
    if (!this.world.sqs.queueByArn(arnOf(name))) return;
    const statement = { Principal: { Service: 'sns.amazonaws.com' }, Action: 'sqs:SendMessage', Resource: arnOf(name) };
    const Policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: isOpen ? 'Allow' : 'Deny', ...statement }],
    });
    this.world.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: urlOf(name), Attributes: { Policy } });
  }

  private subscribe(): void {
    const { SubscriptionArn = '' } = this.world.sns.call('Subscribe', ADMIN, {
      TopicArn: this.topicArn,
      Protocol: 'sqs',
      Endpoint: arnOf('Fulfilment'),
      Attributes: { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf('Fanout-DLQ') }) },
      ReturnSubscriptionArn: true,
    });
    this.subscriptionArn = SubscriptionArn;
  }
}

/** How many messages of the topic are in the queue, by an account that knows nothing of subscribers. */
function byTopic(shop: Shop, name: QueueName): number {
  const inQueue = new Set<string>();
  for (const it of shop.world.trace.events) {
    const here = 'queueArn' in it && it.queueArn === arnOf(name);
    if (it.type === 'sqs.sent' && here) inQueue.add(it.messageId);
    if (it.type === 'sqs.dead-lettered' && it.deadLetterQueueArn === arnOf(name)) inQueue.add(it.messageId);
    if ((it.type === 'sqs.dead-lettered' || it.type === 'sqs.deleted' || it.type === 'sqs.expired') && here) {
      inQueue.delete(it.messageId);
    }
    if ((it.type === 'sqs.purged' || it.type === 'sqs.queue-deleted') && here) inQueue.clear();
  }
  expect(inQueue.size).toBe(shop.kept(name));
  return [...inQueue].filter(id => !shop.byHand.has(id)).length;
}

test('whatever happens to messages and queues: the ledger accounts for every message at every step, and agrees with the queues', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 60 }), async deeds => {
      const shop = new Shop();
      const { trace, timeline, faults } = shop.world;
      for (const one of deeds) {
        await shop.do(one);
        for (const { underWay } of Ledger.of(trace.events).accounts()) expect(underWay).toBeGreaterThanOrEqual(0);
      }
      faults.clear();
      await timeline.runUntilIdle();
      // It does not wait for messages that expire at this very instant.
      await timeline.advanceTo(timeline.nowMs);
      const accounts = Ledger.of(trace.events).accounts();
      const sum = (of: (account: (typeof accounts)[number]) => number) =>
        accounts.reduce((total, account) => total + of(account), 0);
      expect(sum(({ published }) => published)).toBe(deeds.filter(({ kind }) => kind === 'publish').length);
      expect(sum(({ underWay }) => underWay)).toBe(byTopic(shop, 'Fulfilment'));
      expect(sum(({ delivered }) => delivered)).toBe(shop.handled.get('Fulfilment') ?? 0);
      for (const name of ['Fulfilment-DLQ', 'Fanout-DLQ'] as const) {
        expect(sum(({ deadLettered }) => deadLettered[name] ?? 0)).toBe(
          byTopic(shop, name) + (shop.handled.get(name) ?? 0),
        );
      }
    }),
    { numRuns: 150 },
  );
});
