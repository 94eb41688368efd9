import {
  functionOf,
  isAliasOfAws,
  keyOf,
  qualifierOf,
  queueOf,
  unqualified,
} from '../../../lib/policy/inventory/look-ups';
import { arnOf, functionArn, inventoryOf, key, keyArn, lambda, queue, queueArn } from '../inventories';

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
  expect(keyOf(name, INVENTORY)?.arn).toBe(keyArn('abc'));
});

test.each(['bc', 'alias/other', arnOf('kms', 'key/other')])('a key is not found as %s', name => {
  expect(keyOf(name, INVENTORY)).toBeUndefined();
});

test('keys of AWS’s own are known by their aliases', () => {
  expect(['alias/aws/sqs', arnOf('kms', 'alias/aws/sns')].map(isAliasOfAws)).toEqual([true, true]);
  expect(['alias/awsome', keyArn('abc')].map(isAliasOfAws)).toEqual([false, false]);
});
