import {
  functionOf,
  isAliasOfAws,
  keyOf,
  qualifierOf,
  queueOf,
  unqualified,
} from '../../../diagnosis/inventory/look-ups';
import { placed } from '../checks/placed';
import { arnOf, functionArn, inventoryOf, key, keyArn, lambda, mapping, queue, queueArn } from '../inventories';

const INVENTORY = inventoryOf({ queues: [queue('orders')], functions: [lambda('bill')], keys: [key('abc')] });

test('a queue is found by its ARN, and by nothing else', () => {
  expect(queueOf(queueArn('orders'), INVENTORY)).toMatchObject({ name: 'orders' });
  expect(queueOf('orders', INVENTORY)).toBeUndefined();
  expect(queueOf(undefined, INVENTORY)).toBeUndefined();
});

test('a function is found by the ARN of a version or an alias too', () => {
  const arn = functionArn('bill');
  expect([arn, `${arn}:7`, `${arn}:live`].map(it => functionOf(it, INVENTORY)?.name)).toEqual(['bill', 'bill', 'bill']);
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
