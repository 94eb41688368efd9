import { type AwsTraceEvent, Ledger, type SubscriberAccount } from '../../local';

const TOPIC = 'arn:aws:sns:us-east-1:123456789012:Orders';
const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:Fulfilment';
const FUNCTION = 'arn:aws:lambda:us-east-1:123456789012:function:Billing';
const PAGE = 'https://partner.example.com/orders';
const deadLetters = (name: string) => `arn:aws:sqs:us-east-1:123456789012:${name}`;

const CAUSE = { kind: 'client-error', reason: 'gone' } as const;

/** What happens to one subscriber, in short. */
const reported = {
  subscribed: (endpoint: string, protocol: 'sqs' | 'lambda' | 'https', topicArn = TOPIC, pending = false) => ({
    type: 'sns.subscribed' as const,
    topicArn,
    subscriptionArn: `${topicArn}:${protocol}`,
    protocol,
    endpoint,
    pending,
  }),
  published: (messageId: string, topicArn = TOPIC) =>
    ({ type: 'sns.published', topicArn, messageId, sizeBytes: 1 }) as const,
  onItsWay: (messageId: string, protocol: 'sqs' | 'lambda' | 'https') => ({
    topicArn: TOPIC,
    messageId,
    subscriptionArn: `${TOPIC}:${protocol}`,
    protocol,
  }),
};

const queue = reported.subscribed(QUEUE, 'sqs');
const handler = reported.subscribed(FUNCTION, 'lambda');
const page = reported.subscribed(PAGE, 'https');
const inQueue = { queueArn: QUEUE, messageId: 'm', receiveCount: 1 };
const sent = (queueArn = QUEUE, messageId = 'm'): AwsTraceEvent => ({
  type: 'sqs.sent',
  queueArn,
  messageId,
  bytes: 1,
  delaySeconds: 0,
});
/** SNS has sent the message to the queue. */
const arrived: readonly AwsTraceEvent[] = [
  sent(),
  { type: 'sns.delivered', ...reported.onItsWay('m', 'sqs'), attempts: 1 },
];
/** SQS has moved it to the queue's dead-letter queue. */
const deadLettered: AwsTraceEvent = {
  type: 'sqs.dead-lettered',
  ...inQueue,
  deadLetterQueueArn: deadLetters('Fulfilment-DLQ'),
  maxReceiveCount: 3,
};
const inDeadLetterQueue = { ...inQueue, queueArn: deadLetters('Fulfilment-DLQ') };
/** A message move task has sent it back, under a new id. */
const movedBack: AwsTraceEvent = {
  type: 'sqs.moved',
  ...inDeadLetterQueue,
  taskId: 't',
  destinationArn: QUEUE,
  newMessageId: 'again',
};
const ofRequest = { functionArn: FUNCTION, requestId: 'r' };
const eventQueued = { type: 'lambda.event-queued', ...ofRequest, bytes: 1, messageIds: ['m'] } as const;
const finished = (outcome: 'success' | 'error'): AwsTraceEvent => ({
  type: 'lambda.finished',
  ...ofRequest,
  outcome,
  durationMs: 1,
});
const lambdaDeadLettered: AwsTraceEvent = {
  type: 'lambda.dead-lettered',
  ...ofRequest,
  targetArn: deadLetters('Billing-DLQ'),
  condition: 'RetriesExhausted',
  attempts: 3,
};
const destined = (condition: 'RetriesExhausted' | 'Success'): AwsTraceEvent => ({
  type: 'lambda.destination-delivered',
  ...ofRequest,
  destinationArn: deadLetters('Records'),
  condition,
});

const NOTHING = { published: 0, delivered: 0, deadLettered: {}, filteredOut: 0, lost: 0, underWay: 0 };

/** Asserts what the ledger has of the one subscriber there is. */
function expectBooks(
  { topicArn, subscriptionArn, protocol, endpoint }: typeof queue,
  happenings: readonly AwsTraceEvent[],
  books: Partial<SubscriberAccount>,
): void {
  const who = { topicArn, subscriptionArn, protocol, endpoint };
  expect(Ledger.of(happenings).accounts()).toEqual([{ ...who, ...NOTHING, ...books }]);
}

describe('Ledger', () => {
  test('has an account for each subscriber, in the order in which they came', () => {
    const other = 'arn:aws:sns:us-east-1:123456789012:Other';
    const ledger = Ledger.of([
      handler,
      queue,
      reported.subscribed('elsewhere', 'https', other),
      reported.published('m', other),
    ]);
    expect(ledger.accounts().map(({ endpoint, published }) => [endpoint, published])).toEqual([
      [FUNCTION, 0],
      [QUEUE, 0],
      ['elsewhere', 1],
    ]);
    expect(ledger.accounts(other).map(({ endpoint }) => endpoint)).toEqual(['elsewhere']);
    expect(ledger.accounts(TOPIC)[0]).toEqual({
      topicArn: TOPIC,
      subscriptionArn: `${TOPIC}:lambda`,
      protocol: 'lambda',
      endpoint: FUNCTION,
      ...NOTHING,
    });
    expect(Ledger.of([]).accounts()).toEqual([]);
  });

  test.each<{ what: string; meanwhile: readonly AwsTraceEvent[]; books: object }>([
    { what: 'is under way while nothing else is known', meanwhile: [], books: { underWay: 1 } },
    {
      what: 'is still under way when it is in its queue, and received',
      meanwhile: [...arrived, { type: 'sqs.received', ...inQueue, visibilityTimeoutSeconds: 30 }],
      books: { underWay: 1 },
    },
    {
      what: 'is delivered when its consumer deletes it',
      meanwhile: [...arrived, { type: 'sqs.deleted', ...inQueue }],
      books: { delivered: 1 },
    },
    {
      what: 'is under way again when a move task sends it back',
      meanwhile: [...arrived, deadLettered, sent(QUEUE, 'again'), movedBack],
      books: { underWay: 1 },
    },
    {
      what: 'is delivered when its consumer deletes what a move task sent back',
      meanwhile: [
        ...arrived,
        deadLettered,
        sent(QUEUE, 'again'),
        movedBack,
        { type: 'sqs.deleted', ...inQueue, messageId: 'again' },
      ],
      books: { delivered: 1 },
    },
    {
      what: 'is a dead letter once more when it fails again',
      meanwhile: [...arrived, deadLettered, sent(QUEUE, 'again'), movedBack, { ...deadLettered, messageId: 'again' }],
      books: { deadLettered: { 'Fulfilment-DLQ': 1 } },
    },
    {
      what: 'is filtered out',
      meanwhile: [{ type: 'sns.filtered', ...reported.onItsWay('m', 'sqs'), reason: 'MessageAttributes' }],
      books: { filteredOut: 1 },
    },
    {
      what: 'is dead-lettered by SNS',
      meanwhile: [
        {
          type: 'sns.dead-lettered',
          ...reported.onItsWay('m', 'sqs'),
          deadLetterQueueArn: deadLetters('Fanout-DLQ'),
          attempts: 1,
          cause: CAUSE,
        },
      ],
      books: { deadLettered: { 'Fanout-DLQ': 1 } },
    },
    {
      what: 'is dead-lettered by SQS',
      meanwhile: [...arrived, deadLettered],
      books: { deadLettered: { 'Fulfilment-DLQ': 1 } },
    },
    {
      what: 'is lost by SNS',
      meanwhile: [{ type: 'sns.lost', ...reported.onItsWay('m', 'sqs'), attempts: 1, cause: CAUSE }],
      books: { lost: 1 },
    },
    {
      what: 'is lost when it expires',
      meanwhile: [...arrived, { type: 'sqs.expired', ...inQueue, retentionSeconds: 60 }],
      books: { lost: 1 },
    },
    {
      what: 'is lost when its queue is purged',
      meanwhile: [...arrived, { type: 'sqs.purged', queueArn: QUEUE, messages: 1 }],
      books: { lost: 1 },
    },
    {
      what: 'is lost when its queue is deleted',
      meanwhile: [...arrived, { type: 'sqs.queue-deleted', queueArn: QUEUE, messages: 1 }],
      books: { lost: 1 },
    },
    {
      what: 'stays a dead letter when somebody deletes it from the dead-letter queue, having dealt with it',
      meanwhile: [
        ...arrived,
        deadLettered,
        { type: 'sqs.deleted', ...inDeadLetterQueue },
        { type: 'sqs.queue-deleted', queueArn: inDeadLetterQueue.queueArn, messages: 0 },
      ],
      books: { deadLettered: { 'Fulfilment-DLQ': 1 } },
    },
    {
      what: 'is lost when it expires in the dead-letter queue',
      meanwhile: [...arrived, deadLettered, { type: 'sqs.expired', ...inDeadLetterQueue, retentionSeconds: 60 }],
      books: { lost: 1 },
    },
    {
      what: 'is lost when the dead-letter queue is purged, once',
      meanwhile: [
        ...arrived,
        deadLettered,
        { type: 'sqs.purged', queueArn: inDeadLetterQueue.queueArn, messages: 1 },
        { type: 'sqs.purged', queueArn: inDeadLetterQueue.queueArn, messages: 0 },
      ],
      books: { lost: 1 },
    },
    {
      what: 'is lost when the dead-letter queue is deleted',
      meanwhile: [
        ...arrived,
        deadLettered,
        { type: 'sqs.queue-deleted', queueArn: inDeadLetterQueue.queueArn, messages: 1 },
      ],
      books: { lost: 1 },
    },
    {
      what: 'is one dead letter, where a dead-letter queue hands it on to its own',
      meanwhile: [
        ...arrived,
        deadLettered,
        { ...deadLettered, ...inDeadLetterQueue, deadLetterQueueArn: deadLetters('Last-DLQ') },
      ],
      books: { deadLettered: { 'Last-DLQ': 1 } },
    },
    {
      what: 'is lost when what SNS dead-lettered expires',
      meanwhile: [
        sent(deadLetters('Fanout-DLQ'), 'other id'),
        {
          type: 'sns.dead-lettered',
          ...reported.onItsWay('m', 'sqs'),
          deadLetterQueueArn: deadLetters('Fanout-DLQ'),
          attempts: 1,
          cause: CAUSE,
        },
        {
          type: 'sqs.expired',
          queueArn: deadLetters('Fanout-DLQ'),
          messageId: 'other id',
          receiveCount: 0,
          retentionSeconds: 60,
        },
      ],
      books: { lost: 1 },
    },
    {
      what: 'is not touched by copies that somebody sends to its queue',
      meanwhile: [
        ...arrived,
        deadLettered,
        sent(QUEUE, 'copy'),
        { type: 'sqs.deleted', ...inQueue, messageId: 'copy' },
      ],
      books: { deadLettered: { 'Fulfilment-DLQ': 1 } },
    },
    {
      what: 'is not touched by what happens in another queue',
      meanwhile: [
        ...arrived,
        { type: 'sqs.deleted', ...inQueue, queueArn: deadLetters('Other') },
        { type: 'sqs.purged', queueArn: deadLetters('Other'), messages: 9 },
      ],
      books: { underWay: 1 },
    },
  ])('a message to a queue $what', ({ meanwhile, books }) => {
    expectBooks(queue, [queue, reported.published('m'), ...meanwhile], { published: 1, ...books });
  });

  test.each<{ what: string; meanwhile: readonly AwsTraceEvent[]; books: object }>([
    {
      what: 'is under way while Lambda has it, and after an error',
      meanwhile: [
        { type: 'sns.delivered', ...reported.onItsWay('m', 'lambda'), attempts: 1 },
        eventQueued,
        finished('error'),
      ],
      books: { underWay: 1 },
    },
    {
      what: 'is delivered by the retry that succeeds',
      meanwhile: [eventQueued, finished('error'), finished('success')],
      books: { delivered: 1 },
    },
    {
      what: 'is delivered once, though a record of it goes to a destination',
      meanwhile: [eventQueued, finished('success'), destined('Success')],
      books: { delivered: 1 },
    },
    {
      what: 'is dead-lettered by Lambda',
      meanwhile: [eventQueued, finished('error'), lambdaDeadLettered],
      books: { deadLettered: { 'Billing-DLQ': 1 } },
    },
    {
      what: 'is dead-lettered where only a destination has it',
      meanwhile: [eventQueued, finished('error'), destined('RetriesExhausted')],
      books: { deadLettered: { Records: 1 } },
    },
    {
      what: 'is lost when it expires in the queue Lambda dead-lettered it to',
      meanwhile: [
        eventQueued,
        finished('error'),
        sent(deadLetters('Billing-DLQ'), 'letter'),
        lambdaDeadLettered,
        {
          type: 'sqs.expired',
          queueArn: deadLetters('Billing-DLQ'),
          messageId: 'letter',
          receiveCount: 0,
          retentionSeconds: 60,
        },
      ],
      books: { lost: 1 },
    },
    {
      what: 'is dead-lettered once, though a destination has a record of it too',
      meanwhile: [eventQueued, finished('error'), lambdaDeadLettered, destined('RetriesExhausted')],
      books: { deadLettered: { 'Billing-DLQ': 1 } },
    },
    {
      what: 'is lost when nobody took it',
      meanwhile: [
        eventQueued,
        finished('error'),
        {
          type: 'lambda.lost',
          ...ofRequest,
          condition: 'RetriesExhausted',
          attempts: 3,
          reason: 'every target rejected it',
        },
      ],
      books: { lost: 1 },
    },
    {
      what: 'is not touched by an invocation that carries no message',
      meanwhile: [{ type: 'lambda.event-queued', ...ofRequest, bytes: 1, messageIds: [] }, finished('success')],
      books: { underWay: 1 },
    },
  ])('a message to a function $what', ({ meanwhile, books }) => {
    expectBooks(handler, [handler, reported.published('m'), ...meanwhile], { published: 1, ...books });
  });

  test('a message to an alias is its own, and not that of the function', () => {
    const alias = reported.subscribed(`${FUNCTION}:live`, 'lambda');
    const published = [alias, reported.published('m')];
    expectBooks(alias, [...published, eventQueued, finished('success')], { published: 1, underWay: 1 });
    const queued = { ...eventQueued, qualifier: 'live' };
    expectBooks(alias, [...published, queued, finished('success')], { published: 1, delivered: 1 });
  });

  test('a message to an endpoint is delivered when the endpoint took it', () => {
    const delivered: AwsTraceEvent = { type: 'sns.delivered', ...reported.onItsWay('m', 'https'), attempts: 3 };
    expectBooks(page, [page, reported.published('m'), delivered], { published: 1, delivered: 1 });
  });

  test('a subscriber who has not confirmed, or has left, is not owed what is published', () => {
    const { topicArn, subscriptionArn } = page;
    const pending = reported.subscribed(PAGE, 'https', TOPIC, true);
    const early = [pending, reported.published('too early')];
    expectBooks(page, early, {});
    const confirmed: AwsTraceEvent[] = [
      ...early,
      { type: 'sns.confirmed', topicArn, subscriptionArn },
      reported.published('m'),
    ];
    expectBooks(page, confirmed, { published: 1, underWay: 1 });
    const gone: AwsTraceEvent = { type: 'sns.unsubscribed', topicArn, subscriptionArn };
    expectBooks(page, [...confirmed, gone, reported.published('too late')], { published: 1, underWay: 1 });
  });

  test('the books balance: published is the sum of everything else', () => {
    const inTurn = (...ids: readonly string[]) =>
      ids.flatMap((id): AwsTraceEvent[] => [
        sent(QUEUE, id),
        { type: 'sns.delivered', ...reported.onItsWay(id, 'sqs'), attempts: 1 },
      ]);
    const ends: readonly AwsTraceEvent[] = [
      ...inTurn('0', '1', '2', '3', '4'),
      { type: 'sqs.deleted', ...inQueue, messageId: '0' },
      { type: 'sqs.deleted', ...inQueue, messageId: '1' },
      { type: 'sns.filtered', ...reported.onItsWay('5', 'sqs'), reason: 'MessageAttributes' },
      { ...deadLettered, ...inQueue, messageId: '2', deadLetterQueueArn: deadLetters('D') },
      { type: 'sqs.purged', queueArn: QUEUE, messages: 2 },
    ];
    const messages = [...Array(7).keys()].map(id => reported.published(String(id)));
    expectBooks(queue, [queue, ...messages, ...ends], {
      published: 7,
      delivered: 2,
      deadLettered: { D: 1 },
      filteredOut: 1,
      lost: 2,
      underWay: 1,
    });
  });
});
