import { countsAsSent, deadLetterQueues, feedersOf } from '../../../diagnosis/inventory/feeders';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import {
  functionOf,
  isAliasOfAws,
  keyOf,
  qualifierOf,
  queueOf,
  unqualified,
} from '../../../diagnosis/inventory/look-ups';
import { parseArn } from '../../../policy/arn';
import {
  ACCOUNT_STAND_IN,
  hasStandIn,
  matchesOnceDeployed,
  mayBeSame,
  REGION_STAND_IN,
  standIn,
} from '../../../template/stand-in';
import { placed } from '../checks/row';
import {
  arnOf,
  functionArn,
  inventoryOf,
  key,
  keyArn,
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

const DEAD = queueArn('dead');
const to = { deadLetterTargetArn: DEAD };
const invoke = { onSuccessArn: undefined, maximumRetryAttempts: 2, maximumEventAgeSeconds: 21_600 };

const EACH: readonly [kind: string, via: string, inventory: Partial<Inventory>][] = [
  ['subscription', 'RedrivePolicy', { subscriptions: [subscription('orders', '1', to)] }],
  ['queue', 'RedrivePolicy', { queues: [queue('work', { redrivePolicy: { ...to, maxReceiveCount: 3 } })] }],
  ['function', 'DeadLetterConfig', { functions: [lambda('bill', to)] }],
  [
    'destination',
    'OnFailure',
    { functions: [lambda('bill', { eventInvokes: [{ ...invoke, qualifier: 'live', onFailureArn: DEAD }] })] },
  ],
  ['mapping', 'OnFailure', { mappings: [mapping('bill', 'stream', { onFailureArn: DEAD })] }],
  ['rule', 'DeadLetterConfig', { targets: [ruleTarget('nightly', topicArn('orders'), to)] }],
  ['schedule', 'DeadLetterConfig', { targets: [schedule('nightly', topicArn('orders'), to)] }],
];

describe('Who sends dead letters to a queue', () => {
  test.each(EACH)('%s, by its %s', (kind, via, parts) => {
    const found = feedersOf(DEAD, inventoryOf(parts));
    expect(found).toMatchObject([{ kind, via, queueArn: DEAD }]);
    expect(feedersOf(queueArn('other'), inventoryOf(parts))).toEqual([]);
  });

  test('is said of a function’s destination by version or alias', () => {
    const functions = EACH.flatMap(([kind, , parts]) => (kind === 'destination' ? (parts.functions ?? []) : []));
    expect(feedersOf(DEAD, inventoryOf({ functions }))).toMatchObject([{ qualifier: 'live' }]);
  });

  test('is nobody where a function’s target is a topic, is missing or is unknown', () => {
    const functions = [lambda('to-topic', { deadLetterTargetArn: topicArn('dead') }), lambda('to-nothing')];
    const unknownBecause = lambda('untold', { deadLetterTargetArn: UNKNOWN, eventInvokes: UNKNOWN });
    const queues = [queue('work', { redrivePolicy: UNKNOWN })];
    expect(deadLetterQueues(inventoryOf({ functions: [...functions, unknownBecause], queues }))).toEqual([]);
  });

  test('all but SQS itself come as messages that are counted as sent', () => {
    const feeders = EACH.flatMap(([, , parts]) => feedersOf(DEAD, inventoryOf(parts)));
    expect(feeders.filter(it => !countsAsSent(it)).map(({ kind }) => kind)).toEqual(['queue']);
  });
});

test('The dead-letter queues of an inventory are each there once, with all who feed it, in the order of their ARNs', () => {
  const dead = queue('dead');
  const queues = [queue('work', { redrivePolicy: { ...to, maxReceiveCount: 3 } }), dead];
  const elsewhere = arnOf('sqs', 'a', 'us-east-1');
  const subscriptions = [
    subscription('orders', '1', to),
    subscription('orders', '2', { deadLetterTargetArn: elsewhere }),
  ];
  const found = deadLetterQueues(inventoryOf({ queues, subscriptions }));
  expect(found.map(({ arn, queue: it, feeders }) => [arn, it, feeders.map(({ kind }) => kind)])).toEqual([
    [DEAD, dead, ['subscription', 'queue']],
    [elsewhere, undefined, ['subscription']],
  ]);
});

describe('look ups', () => {
  const INVENTORY = inventoryOf({ queues: [queue('orders')], functions: [lambda('bill')], keys: [key('abc')] });

  test('a queue is found by its ARN, and by nothing else', () => {
    expect(queueOf(queueArn('orders'), INVENTORY)).toMatchObject({ name: 'orders' });
    expect(queueOf('orders', INVENTORY)).toBeUndefined();
    expect(queueOf(undefined, INVENTORY)).toBeUndefined();
  });

  test('a function is found by the ARN of a version or an alias too', () => {
    const arn = functionArn('bill');
    expect([arn, `${arn}:7`, `${arn}:live`].map(it => functionOf(it, INVENTORY)?.name)).toEqual([
      'bill',
      'bill',
      'bill',
    ]);
    expect([arn, `${arn}:live`].map(qualifierOf)).toEqual([undefined, 'live']);
    expect(unqualified('bill')).toBe('bill');
  });

  test.each(['abc', keyArn('abc'), 'alias/abc', arnOf('kms', 'alias/abc')])('a key is found as %s', name => {
    expect(keyOf(name, INVENTORY, queue('orders'))?.arn).toBe(keyArn('abc'));
  });

  test.each(['bc', 'alias/other', arnOf('kms', 'key/other')])('a key is not found as %s', name => {
    expect(keyOf(name, INVENTORY, queue('orders'))).toBeUndefined();
  });

  test('an alias is that of the Region and the account of what it encrypts', () => {
    const there = { ...key('far'), arn: arnOf('kms', 'key/far', 'us-east-1'), aliases: ['alias/orders'] };
    const keys = [there, key('near', [], { aliases: ['alias/orders'] })];
    const abroad = queue('orders', { arn: arnOf('sqs', 'orders', 'us-east-1') });
    const of = (encrypted: typeof abroad, name = 'alias/orders') => keyOf(name, inventoryOf({ keys }), encrypted)?.name;
    expect([of(abroad), of(queue('orders'))]).toEqual(['far', 'near']);
    expect(of(queue('orders'), arnOf('kms', 'alias/orders', 'us-east-1'))).toBe('far');
    expect(of(queue('orders', { arn: arnOf('sqs', 'orders', undefined, '999999999999') }))).toBeUndefined();
  });

  test('of several stacks with one name each names its own, and what another names is nobody’s', () => {
    const inStack = (stack: string) => placed('Q', { stack, templatePath: `${stack}.template.json` });
    const [dev, prod] = [queue('orders', inStack('dev')), queue('orders', inStack('prod'))];
    const both = inventoryOf({ queues: [dev, prod] });
    expect(queueOf(dev.arn, both, mapping('bill', 'orders', inStack('dev')))).toBe(dev);
    expect(queueOf(dev.arn, both, mapping('bill', 'orders', inStack('prod')))).toBe(prod);
    expect(queueOf(dev.arn, both, mapping('bill', 'orders', inStack('other')))).toBeUndefined();
    expect(queueOf(dev.arn, both)).toBeUndefined();
  });

  test('keys of AWS’s own are known by their aliases', () => {
    expect(['alias/aws/sqs', arnOf('kms', 'alias/aws/sns')].map(isAliasOfAws)).toEqual([true, true]);
    expect(['alias/awsome', keyArn('abc')].map(isAliasOfAws)).toEqual([false, false]);
  });
});

describe('stand-ins for what only a deployment tells', () => {
  const queueArn = (name: string, region: string = REGION_STAND_IN) =>
    `arn:aws:sqs:${region}:${ACCOUNT_STAND_IN}:${name}`;

  test('leave an ARN an ARN', () => {
    expect(parseArn(queueArn(standIn('Test.Dead')))).toEqual({
      partition: 'aws',
      service: 'sqs',
      region: '<region>',
      account: '<account>',
      resource: '<Test.Dead>',
    });
  });

  test.each([
    ['<Test.Dead>.fifo', true],
    ['dead', false],
    ['1 < 2', false],
  ])('of %s it is said whether it has one: %s', (text, has) => {
    expect(hasStandIn(text)).toBe(has);
  });

  test.each<[string, string, boolean | undefined]>([
    [queueArn('<Test.Dead>'), queueArn('<Test.Dead>'), true],
    [queueArn('<Test.Dead>'), queueArn('<Test.Other>'), false],
    [queueArn('dead'), queueArn('other'), false],
    [queueArn('dead', 'us-east-1'), queueArn('dead'), undefined],
    [queueArn('dead', 'us-east-1'), queueArn('other'), false],
    ['arn:aws:sqs:*:*:*', queueArn('<Test.Dead>'), true],
    ['*', queueArn('<Test.Dead>'), true],
    [queueArn('Test-*'), queueArn('<Test.Dead>'), undefined],
    ['arn:aws:sns:*:*:*', queueArn('<Test.Dead>'), false],
    ['<Test.Secret>', queueArn('<Test.Dead>'), false],
    ['<Test.Secret>', 'arn:aws:sqs:us-east-1:123456789012:dead', undefined],
    ['123456789012', ACCOUNT_STAND_IN, undefined],
    [queueArn('dead', '<region of dev>'), queueArn('dead', '<region of prod>'), undefined],
    [queueArn('dead', '<region of dev>'), queueArn('dead'), undefined],
    [queueArn('dead', '<region of dev>'), queueArn('other'), false],
    [queueArn('<Test.Dead>', '<region of dev>'), queueArn('<Test.Other>'), false],
  ])('%s matches %s once deployed: %s', (pattern, text, matches) => {
    expect(matchesOnceDeployed(pattern, text)).toBe(matches);
  });

  test.each<[string, string, boolean]>([
    [queueArn('dead'), queueArn('dead'), true],
    [queueArn('dead', 'us-east-1'), queueArn('dead'), true],
    [queueArn('dead', 'us-east-1'), queueArn('other'), false],
    [queueArn('dead', 'us-east-1'), queueArn('<QueueName of Test.Dead>'), true],
    [queueArn('dead', 'us-east-1'), queueArn('<Test.Dead>'), false],
    [queueArn('dead', '<region of dev>'), queueArn('dead'), true],
    [queueArn('dead', '<region of dev>'), queueArn('dead', '<region of prod>'), false],
    ['https://sqs.eu-west-1.amazonaws.com/1/dead', 'https://sqs.<region>.amazonaws.com/<account>/dead', true],
    ['https://sqs.eu-west-1.amazonaws.com/1/dead', 'https://sqs.<region>.amazonaws.com/<account>/other', false],
  ])('%s may become one with %s: %s', (one, other, may) => {
    expect([mayBeSame(one, other), mayBeSame(other, one)]).toEqual([may, may]);
  });
});
