import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { formOf, inForm } from '../../../diagnosis/manual-redrive/destination';
import {
  functionArn,
  lambda,
  mapping,
  queue,
  queueArn,
  ruleTarget,
  schedule,
  subscription,
  topicArn,
  UNKNOWN,
} from '../inventories';
import { DEAD, FLEET, factsOf, planned, routed } from './planned';

const to = { deadLetterTargetArn: DEAD };
const source = (name: string) => queue(name, { redrivePolicy: { ...to, maxReceiveCount: 3 } });
const invoke = { onSuccessArn: undefined, maximumRetryAttempts: 2, maximumEventAgeSeconds: 21_600 };
const toFunction = { protocol: 'lambda', endpoint: functionArn('bill') };
const envelope = subscription('news', '1', { ...to, ...toFunction });

const HOMES: readonly [from: string, home: object, carrier: string, inventory: Partial<Inventory>][] = [
  ['a queue', { kind: 'queue', arn: queueArn('work') }, 'task', { queues: [source('work')] }],
  [
    'a queue’s subscription',
    { kind: 'queue', arn: queueArn('orders') },
    'copy',
    { subscriptions: [subscription('news', '1', to)] },
  ],
  [
    'a function’s subscription',
    { kind: 'function', arn: functionArn('bill'), bodyIs: 'envelope', subscriptionArn: `${topicArn('news')}:1` },
    'replay',
    { subscriptions: [envelope] },
  ],
  [
    'a function',
    { kind: 'function', arn: functionArn('bill'), bodyIs: 'event' },
    'replay',
    { functions: [lambda('bill', to)] },
  ],
  [
    'an alias’ destination on failure',
    { kind: 'function', arn: `${functionArn('bill')}:live`, bodyIs: 'event' },
    'replay',
    { functions: [lambda('bill', { eventInvokes: [{ ...invoke, qualifier: 'live', onFailureArn: DEAD }] })] },
  ],
  [
    'a rule that invokes a function',
    { kind: 'function', arn: functionArn('bill'), bodyIs: 'event' },
    'replay',
    { targets: [ruleTarget('nightly', functionArn('bill'), to)] },
  ],
  [
    'a rule of two targets, of which one has a dead-letter queue',
    { kind: 'queue', arn: queueArn('second') },
    'copy',
    { targets: [ruleTarget('nightly', queueArn('first')), ruleTarget('nightly', queueArn('second'), to)] },
  ],
  [
    'a schedule that sends to a queue',
    { kind: 'queue', arn: queueArn('work') },
    'copy',
    { targets: [schedule('nightly', queueArn('work'), to)] },
  ],
];

const HOMELESS: readonly [from: string, says: string, inventory: Partial<Inventory>][] = [
  ['nobody', 'nothing is configured to send dead letters to dead: name the destination of its messages with --to', {}],
  [
    'an endpoint’s subscription',
    'the messages of dead were for https://a.example/, which is neither a queue nor a function: ' +
      'name a queue (such as that of a relay) or a function with --to',
    { subscriptions: [subscription('news', '1', { ...to, protocol: 'https', endpoint: 'https://a.example/' })] },
  ],
  [
    'a subscription whose endpoint nobody tells',
    'the messages of dead were for a subscriber whose endpoint is a parameter of the template: ' +
      'name a queue (such as that of a relay) or a function with --to',
    { subscriptions: [subscription('news', '1', { ...to, endpoint: UNKNOWN })] },
  ],
  [
    'a stream’s mapping',
    'the messages of dead contain the position of failed records in a stream, not the records: ' +
      'name a queue (such as that of a relay) or a function with --to',
    { mappings: [mapping('bill', 'stream', { onFailureArn: DEAD })] },
  ],
  [
    'two queues',
    `the messages of dead come from several places: name one of them with --to: ${queueArn('a')}, ${queueArn('b')}`,
    { queues: [source('a'), source('b')] },
  ],
  [
    'a fleet',
    'dead is the dead-letter queue of the fleet hooks: dlo fleet replay sends its messages again, with all of their attempts. ' +
      `Only events that SQS moved go back with --to ${queueArn('a')} --filter "movedFromArn=='${queueArn('a')}'"`,
    { queues: [source('a'), source('b')], functions: [lambda('dispatch', { fleet: FLEET })] },
  ],
];

describe('Dead letters', () => {
  test.each(HOMES)('of %s go home', (_, home, carrier, inventory) => {
    expect(routed({ inventory })).toEqual({ kind: 'route', home });
    expect(planned({ inventory }).carrier).toBe(carrier);
  });

  test.each(HOMELESS)('of %s go nowhere unless somebody says where', (_, reason, inventory) => {
    expect(routed({ inventory })).toEqual({ kind: 'none', reason });
    expect(routed({ inventory, terms: { to: queueArn('other') } })).toMatchObject({
      home: { arn: queueArn('other') },
    });
  });

  test.each([
    ['arn:aws:sns:eu-west-1:111122223333:news', /^--to must be the ARN of a queue or of a function, got /],
    ['orders', /^--to must be the ARN of a queue or of a function, got "orders"$/],
    [DEAD, /^--to must be another queue than dead itself$/],
    ['arn:aws:sqs:eu-west-2:111122223333:orders', /^--to must be in the Region and account of dead, got /],
    ['arn:aws:sqs:eu-west-1:999999999999:orders', /^--to must be in the Region and account of dead, got /],
  ])('cannot go to %s', (place, reason) => {
    expect(routed({ terms: { to: place } })).toEqual({ kind: 'none', reason: expect.stringMatching(reason) });
  });

  test('go to a function that is named in the form it knows them by', () => {
    const terms = { to: functionArn('bill') };
    expect(routed({ terms, inventory: { subscriptions: [envelope] } })).toMatchObject({
      home: { bodyIs: 'envelope', subscriptionArn: `${topicArn('news')}:1` },
    });
    const ofOther = { subscriptions: [subscription('news', '1', to)] };
    expect(routed({ terms, inventory: ofOther })).toEqual({
      kind: 'route',
      home: { kind: 'function', arn: functionArn('bill'), bodyIs: 'envelope' },
    });
    expect(routed({ terms, inventory: { functions: [lambda('other', to)] } })).toMatchObject({
      home: { arn: functionArn('bill'), bodyIs: 'event' },
    });
  });

  test.each<[what: string, inventory: Partial<Inventory>, because: string]>([
    [
      'of a queue',
      { queues: [source('work')] },
      `messages of the queue work are not events; --to names a queue, such as ${queueArn('work')}`,
    ],
    [
      'of a stream',
      { mappings: [mapping('bill', 'stream', { onFailureArn: DEAD })] },
      'messages of the mapping stream to bill contain the position of failed records, not the records; --to names a queue',
    ],
    [
      'of a raw subscription',
      { subscriptions: [subscription('news', '1', { ...to, isRaw: true })] },
      `messages of the subscription news:1 may have no SNS envelope; --to names a queue, such as ${queueArn('orders')}`,
    ],
    [
      'of nobody',
      {},
      'nothing is configured to send dead letters to dead, so their form is unknown; --to names a queue',
    ],
    [
      'of which some are events and some envelopes',
      { subscriptions: [envelope], functions: [lambda('bill', to)] },
      'some of them are events, and some are SNS envelopes; --to names a queue',
    ],
    [
      'of which some are events',
      { queues: [source('work')], functions: [lambda('bill', to)] },
      'messages of the queue work are not events, and no --filter leaves them out; ' +
        `--to names a queue, such as ${queueArn('work')}`,
    ],
  ])('%s do not go to a function that does not expect them', (_, inventory, because) => {
    const reason = `${functionArn('bill')} is a function, and would be invoked with messages of dead that it does not expect: ${because}`;
    expect(routed({ terms: { to: functionArn('bill') }, inventory })).toEqual({ kind: 'none', reason });
  });

  test('do not go home to a function as events where some of them are its envelopes', () => {
    const inventory = { subscriptions: [envelope], functions: [lambda('bill', to)] };
    expect(routed({ inventory })).toMatchObject({
      kind: 'none',
      reason: expect.stringContaining('some are SNS envelopes'),
    });
  });

  test('go to a function from among others where a filter leaves those out', () => {
    const inventory = { queues: [source('work')], functions: [lambda('bill', to)] };
    expect(routed({ terms: { to: functionArn('bill'), filter: 'data.id' }, inventory })).toMatchObject({
      home: { arn: functionArn('bill'), bodyIs: 'event' },
    });
  });
});

describe('The form of messages that go to a queue', () => {
  const home = { kind: 'queue', arn: queueArn('orders') } as const;
  const raw = subscription('news', '2', { isRaw: true });

  test.each([
    [
      'is what they are where the queue receives its messages in envelopes',
      [subscription('news', '1', to)],
      'as-they-are',
    ],
    ['is the message alone where it receives that topic’s messages raw', [envelope, raw], 'unwrapped'],
    ['is what they are where they have no envelope', [{ ...envelope, isRaw: true }, raw], 'as-they-are'],
    [
      'is what they are where it receives another topic’s messages raw',
      [envelope, { ...raw, topicArn: topicArn('x') }],
      'as-they-are',
    ],
    ['is what they are where nobody tells how it receives them', [envelope, { ...raw, isRaw: UNKNOWN }], 'as-they-are'],
  ])('%s', (_, subscriptions, form) => {
    expect(formOf(factsOf({ inventory: { subscriptions } }), home)).toBe(form);
  });
});

describe('SQS moves messages itself', () => {
  const inventory = { queues: [source('work')] };

  test.each([
    [
      'where some of them stay',
      { terms: { filter: 'data' } },
      'a task of SQS moves all messages and supports no filter',
    ],
    [
      'between queues of two kinds',
      { to: { isFifo: true } },
      'SQS only moves messages between queues of the same type',
    ],
    [
      'where they are to be unwrapped',
      {
        inventory: { subscriptions: [envelope, subscription('news', '2', { isRaw: true })] },
        terms: { to: queueArn('orders') },
      },
      'a task of SQS moves messages unchanged, and these must be taken out of their envelopes',
    ],
    [
      'of what no queue names as its own',
      { inventory: {}, terms: { to: queueArn('work') } },
      'SQS only moves messages of a queue’s dead-letter queue',
    ],
  ])('not %s', (_, given, whyNoTask) => {
    expect(planned({ inventory, ...given })).toMatchObject({ carrier: 'copy', whyNoTask });
  });

  test('to whatever queue is named, of a queue’s own dead letters', () => {
    const plan = planned({ inventory, terms: { to: queueArn('elsewhere') } });
    expect(plan).toMatchObject({ carrier: 'task', destination: { kind: 'queue', arn: queueArn('elsewhere') } });
    expect(plan).not.toHaveProperty('whyNoTask');
  });
});

const ENVELOPE = {
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: 'arn:aws:sns:eu-west-1:111122223333:news',
  Message: 'hello',
  Timestamp: '2026-01-05T09:00:00.000Z',
  MessageAttributes: {
    tenant: { Type: 'String', Value: 'blue' },
    seal: { Type: 'Binary', Value: 'AP8H' },
  },
};

const RECORD = {
  version: '1.0',
  requestContext: {
    requestId: '1',
    functionArn: 'arn:aws:lambda:eu-west-1:111122223333:function:bill:$LATEST',
    condition: 'RetriesExhausted',
  },
  requestPayload: { order: 7 },
};

const messageOf = (body: string) => ({ body, attributes: {}, messageId: 'kept' });

describe('A message', () => {
  test('goes as it is where nothing else is asked', () => {
    const message = messageOf(JSON.stringify(ENVELOPE));
    expect(inForm(message, 'as-they-are')).toBe(message);
  });

  test('is sent without its envelope, as by raw message delivery, with its attributes', () => {
    expect(inForm(messageOf(JSON.stringify(ENVELOPE)), 'unwrapped')).toEqual({
      messageId: 'kept',
      body: 'hello',
      attributes: {
        tenant: { DataType: 'String', StringValue: 'blue' },
        seal: { DataType: 'Binary', BinaryValue: Buffer.from([0, 255, 7]) },
      },
    });
  });

  test('that has no envelope stays as it is', () => {
    const message = messageOf('hello');
    expect(inForm(message, 'unwrapped')).toBe(message);
  });

  test('for a function is the event itself, or the event of the invocation a record tells of', () => {
    expect(inForm(messageOf('{"order":7}'), 'event').body).toBe('{"order":7}');
    expect(inForm(messageOf(JSON.stringify(RECORD)), 'event').body).toBe('{"order":7}');
    expect(inForm(messageOf('{"requestPayload":1}'), 'event').body).toBe('{"requestPayload":1}');
    expect(inForm(messageOf('no JSON'), 'event').body).toBe('no JSON');
  });
});
