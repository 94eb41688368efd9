import {
  DeleteMessageCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { Duration } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription, SqsSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Journey } from '../../console/api/journey';
import { journeyOf } from '../../console/server/journey/journey-calls';
import type { MessageRecord } from '../../console/server/journey/journey-writer';
import { LocalAws, response, type TracedAwsEvent } from '../../local';
import { messageDocument } from '../../local/traced-messages/message-search';
import { type TracedMessage, TracedMessages } from '../../local/traced-messages/traced-messages';
import { lastPart } from '../../policy/arn';
import { assemblyOfStack } from '../support/assembly';
import { inlineFunction } from '../support/inline-function';

/** Fails for a text that says so. */
const CODE = `exports.handler = async event => {
  if (JSON.stringify(event).includes('poison')) throw new Error('cannot read it');
};`;

const WORK = 'https://sqs.us-east-1.amazonaws.com/123456789012/work';
const DEAD = WORK.replace('work', 'work-dlq');
const SHORT = WORK.replace('work', 'short');

describe('the journey of a message', () => {
  let aws: LocalAws;
  let traced: TracedMessages;

  beforeAll(async () => {
    const assembly = assemblyOfStack(stack => {
      const dead = new Queue(stack, 'Dead', { queueName: 'work-dlq' });
      const work = new Queue(stack, 'Work', {
        queueName: 'work',
        visibilityTimeout: Duration.seconds(30),
        deadLetterQueue: { queue: dead, maxReceiveCount: 2 },
      });
      inlineFunction(stack, 'Worker', CODE, { functionName: 'worker' }).addEventSource(
        new SqsEventSource(work, { batchSize: 1 }),
      );
      new Queue(stack, 'Short', { queueName: 'short', retentionPeriod: Duration.minutes(1) });
      new Topic(stack, 'Orders', { topicName: 'orders' }).addSubscription(new SqsSubscription(work));
      new Rule(stack, 'Rule', {
        ruleName: 'orders-rule',
        eventPattern: { source: ['shop'], detailType: ['order'] },
        targets: [new SqsQueue(work)],
      });
      new Topic(stack, 'Quiet', { topicName: 'quiet' });
      const hooks = new Topic(stack, 'Hooks', { topicName: 'hooks' });
      const lost = new Queue(stack, 'HooksDead', { queueName: 'hooks-dlq' });
      hooks.addSubscription(new UrlSubscription('https://shop.example.com/in', { deadLetterQueue: lost }));
      const billing = inlineFunction(stack, 'Billing', CODE, {
        functionName: 'billing',
        deadLetterQueue: new Queue(stack, 'BillingDead', { queueName: 'billing-dlq' }),
      });
      new Topic(stack, 'Bills', { topicName: 'bills' }).addSubscription(new LambdaSubscription(billing));
    });
    aws = await LocalAws.deploy(assembly, { seed: 5 });
    traced = new TracedMessages(aws.trace);
    aws.confirmSubscription('https://shop.example.com/in');
  });
  afterAll(() => aws.close());

  function journey(id: string): Journey {
    const message = traced.find(id);
    if (!message) throw new Error(`there is no message ${id}`);
    return journeyOf(messageDocument(traced, message) as MessageRecord, Date.parse(aws.now));
  }

  /** Puts an event on the default bus. Returns its id. */
  function event(detailType: string): string {
    aws.emit.event({ source: 'shop', detailType, detail: {} });
    const [{ id } = { id: '' }] = traced.all.slice(-1);
    return id;
  }

  const nameOf = (place: string): string => lastPart(place.replace('https://', ''));

  function text({ steps }: Journey): readonly string[] {
    const [first] = steps;
    return steps.map(
      ({ atMs, place, kind, says }) => `${(atMs - (first?.atMs ?? 0)) / 1000} ${nameOf(place)} ${kind}: ${says}`,
    );
  }

  const spansOf = ({ spans }: Journey) =>
    spans.map(({ place, kind, fromMs, untilMs }) => {
      return `${nameOf(place)} ${kind} ${untilMs === null ? 'still' : (untilMs - fromMs) / 1000}`;
    });
  const movesOf = ({ moves }: Journey) => moves.map(it => `${nameOf(it.from)} ${it.kind} ${nameOf(it.to)}`);
  const endsOf = ({ ends }: Journey) => ends.map(it => `${nameOf(it.place)} ${it.kind}: ${it.says}`);

  /** A message that another program took from one queue, sent to another and deleted. */
  async function carriedBack(id: string): Promise<void> {
    const sqs = new SQSClient(aws.clientConfig());
    const { Messages: [message] = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: DEAD }));
    expect(message?.MessageId).toBe(id);
    await sqs.send(new SendMessageCommand({ QueueUrl: WORK, MessageBody: message?.Body }));
    await sqs.send(new DeleteMessageCommand({ QueueUrl: DEAD, ReceiptHandle: message?.ReceiptHandle }));
  }

  test('leads through a topic, a queue and its consumer to the dead-letter queue', async () => {
    const id = aws.publish('orders', 'poison');
    await aws.advance({ minutes: 5 });
    const died = journey(id);
    expect(text(died)).toEqual([
      '0 orders began: Published to orders, 6 bytes',
      '0 work ok: Arrived in work',
      '0 work received: Received, 1 time so far. It is in flight for at most 30 s',
      '0 worker received: In a batch of 1 message',
      '0 worker received: The function begins, a cold start',
      '0 worker failed: The function failed after 0 ms: Error: cannot read it',
      '0 worker failed: The batch failed (error). SQS lets it be received again after its visibility timeout',
      '30 work received: Received, 2 times so far. It is in flight for at most 30 s',
      '30 worker received: In a batch of 1 message',
      '30 worker received: The function begins',
      '30 worker failed: The function failed after 0 ms: Error: cannot read it',
      '30 worker failed: The batch failed (error). SQS lets it be received again after its visibility timeout',
      '60 work dead: Received 2 times without being deleted; maxReceiveCount is 2',
      '60 work-dlq dead: SQS moved it to the dead-letter queue',
    ]);
    expect(died.places.map(it => `${it.name} ${it.kind}`)).toEqual([
      'orders topic',
      'work queue',
      'worker function',
      'work-dlq dead-letter-queue',
    ]);
    expect(movesOf(died)).toEqual([
      'orders delivers work',
      'work delivers worker',
      'work delivers worker',
      'work dead-letters work-dlq',
    ]);
    expect(spansOf(died)).toEqual([
      'work waiting 0',
      'worker running 0',
      'work in-flight 30',
      'worker running 0',
      'work in-flight 30',
      'work-dlq waiting still',
    ]);
    expect(endsOf(died)).toEqual(['work-dlq dead-letter: In the dead-letter queue']);
    expect(died.steps.at(-1)?.rule?.title).toBe('Amazon SQS dead-letter queues');
    const [log] = died.steps.flatMap(it => it.log ?? []);
    expect(lastPart(log?.functionArn ?? '')).toBe('worker');
  });

  test('leads back by a redrive, and by a program that copies', async () => {
    await aws.drain('work-dlq');
    const id = aws.send('work', 'poison 2');
    await aws.advance({ minutes: 5 });
    await carriedBack(id);
    await aws.advance({ minutes: 5 });
    const sqs = new SQSClient(aws.clientConfig());
    const arn = 'arn:aws:sqs:us-east-1:123456789012:work';
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: `${arn}-dlq`, DestinationArn: arn }));
    await aws.advance({ minutes: 5 });
    const died = ['work delivers worker', 'work delivers worker', 'work dead-letters work-dlq'];
    const back = ['work-dlq returns work'];
    expect(movesOf(journey(id))).toEqual([...died, ...back, ...died, ...back, ...died]);
    expect(endsOf(journey(id))).toEqual(['work-dlq dead-letter: In the dead-letter queue']);
  });

  test.each<[what: string, begin: () => string, lines: readonly string[], ends: readonly string[]]>([
    [
      'an endpoint that fails',
      () => aws.publish('hooks', 'hello'),
      [
        '0 hooks began: Published to hooks, 5 bytes',
        '0 in failed: SNS attempt 1: the endpoint failed (503). SNS waits 20 s before the next attempt',
        '20 in failed: SNS attempt 2: the endpoint failed (503). SNS waits 20 s before the next attempt',
        '40 in failed: SNS attempt 3: the endpoint failed (503). SNS waits 20 s before the next attempt',
        '60 in failed: SNS attempt 4: the endpoint failed (503)',
        '60 in dead: SNS gave up after 4 attempts and sent it to the dead-letter queue: the endpoint failed (503)',
        '60 hooks-dlq dead: Arrived in hooks-dlq',
      ],
      ['hooks-dlq dead-letter: In the dead-letter queue'],
    ],
    [
      'an asynchronous invocation that fails',
      () => aws.publish('bills', 'poison'),
      [
        '0 bills began: Published to bills, 6 bytes',
        '0 billing ok: Queued for an asynchronous invocation',
        '0 billing received: Attempt 1 begins, a cold start',
        '0 billing failed: The function failed after 0 ms: Error: cannot read it',
        '0 billing waits: Lambda waits 1 min before the next attempt (function-error)',
        '60 billing received: Attempt 2 begins',
        '60 billing failed: The function failed after 0 ms: Error: cannot read it',
        '60 billing waits: Lambda waits 2 min before the next attempt (function-error)',
        '180 billing received: Attempt 3 begins',
        '180 billing failed: The function failed after 0 ms: Error: cannot read it',
        '180 billing dead: Lambda gave up (RetriesExhausted) after 3 attempts and sent the event to its dead-letter queue',
        '180 billing-dlq dead: Arrived in billing-dlq',
      ],
      ['billing-dlq dead-letter: In the dead-letter queue'],
    ],
    [
      'a message without a receiver',
      () => aws.publish('quiet', 'hello'),
      ['0 quiet began: Published to quiet, 5 bytes', '0 quiet lost: Dropped: the topic has no confirmed subscription'],
      ['quiet lost: Dropped: the topic has no confirmed subscription'],
    ],
    [
      'an event that a rule matches',
      () => event('order'),
      [
        '0 default began: Event "order" of shop: 1 rule matches',
        '0 orders-rule ok: orders-rule was triggered',
        '0 orders-rule ok: Sent to work, attempt 1',
        '0 work ok: Arrived in work',
      ],
      ['work done: Processed'],
    ],
    ['an event that no rule matches', () => event('other'), [], ['default dropped: No rule matches']],
    [
      'a message that its consumer processes',
      () => aws.publish('orders', 'good'),
      [
        '0 orders began: Published to orders, 4 bytes',
        '0 work ok: Arrived in work',
        '0 work received: Received, 1 time so far. It is in flight for at most 30 s',
        '0 worker received: In a batch of 1 message',
        '0 worker received: The function begins, a cold start',
        '0 worker ok: The function returned after 0 ms',
        '0 work ok: Processed: its consumer deleted it',
      ],
      ['work done: Processed'],
    ],
  ])('of %s', async (_, begin, lines, ends) => {
    aws.endpoint('shop.example.com').behave({ reply: response(503) });
    const id = begin();
    await aws.advance({ minutes: 5 });
    expect(text(journey(id)).slice(0, lines.length)).toEqual(lines);
    expect(endsOf(journey(id))).toEqual(ends);
  });

  test('has a step where only time passed: a delay or a visibility timeout is over', async () => {
    const sqs = new SQSClient(aws.clientConfig());
    const command = new SendMessageCommand({ QueueUrl: SHORT, MessageBody: 'hello', DelaySeconds: 10 });
    const { MessageId = '' } = await sqs.send(command);
    await aws.advance({ seconds: 20 });
    await sqs.send(new ReceiveMessageCommand({ QueueUrl: SHORT, VisibilityTimeout: 30 }));
    await aws.advance({ minutes: 1 });
    expect(text(journey(MessageId))).toEqual([
      '0 short began: Arrived in short, hidden for 10 s',
      '10 short waits: Its delay is over: it can be received',
      '20 short received: Received, 1 time so far. It is in flight for at most 30 s',
      '50 short waits: Not deleted within the visibility timeout: it can be received again',
      "60 short lost: Lost: SQS deleted it after 1 min, the queue's retention period",
    ]);
  });

  test('ends where a queue is purged', async () => {
    const id = aws.send('short', 'hello');
    await new SQSClient(aws.clientConfig()).send(new PurgeQueueCommand({ QueueUrl: SHORT }));
    await aws.advance({ minutes: 2 });
    expect(endsOf(journey(id))).toEqual(['short lost: Lost: the queue was purged']);
  });

  test('shows the beginning and the end of a very long one', () => {
    const id = aws.send('short', 'long');
    const message = traced.find(id);
    const record = messageDocument(traced, message as TracedMessage) as MessageRecord;
    const received = (at: number): TracedAwsEvent => ({
      type: 'sqs.received',
      seq: at,
      atMs: at * 60_000,
      queueArn: 'arn:aws:sqs:us-east-1:123456789012:short',
      messageId: id,
      receiveCount: at,
      visibilityTimeoutSeconds: 60,
    });
    const events = Array.from({ length: 1_000 }, (_, at) => received(at + 1));
    const { leftOut, steps } = journeyOf({ ...record, events }, 0);
    expect(leftOut).toBe(600);
    expect(steps.filter(it => it.kind === 'gap').map(it => it.says)).toEqual(['600 events are left out']);
    expect([steps[0]?.seq, steps.at(-1)?.seq]).toEqual([1, 1_000]);
  });
});
