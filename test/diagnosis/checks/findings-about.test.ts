import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import { findingsAbout } from '../../../diagnosis/checks/findings-about';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import {
  alarm,
  functionArn,
  inventoryOf,
  key,
  lambda,
  mapping,
  metric,
  queue,
  queueArn,
  role,
  roleArn,
  schedule,
  subscription,
  topic,
  topicArn,
} from '../inventories';

/** The checks that find something about a queue, and what the findings are of. */
function about(name: string, inventory: Inventory): string[] {
  return findingsAbout(queueArn(name), checkInventory(inventory)).map(({ id, resource }) => `${id}: ${resource.name}`);
}

const DEAD = { deadLetterTargetArn: queueArn('dead') };

describe('What is found about a dead-letter queue', () => {
  test.each([
    ['the role of its function', 'bill', { functions: [lambda('bill', DEAD)] }],
    [
      'the role of the function whose mapping feeds it',
      'bill',
      { functions: [lambda('bill')], mappings: [mapping('bill', 'clicks', { onFailureArn: queueArn('dead') })] },
    ],
    ['the role of its schedule', 'nightly', { targets: [schedule('nightly', functionArn('bill'), DEAD)] }],
  ])('is found of %s', (_, name, parts) => {
    const inventory = inventoryOf({ queues: [queue('dead'), queue('other')], roles: [role(name)], ...parts });
    expect(about('dead', inventory)).toContain(`role-may-not-send: ${name}`);
    expect(about('other', inventory)).toEqual([]);
  });

  test('is found of its key, though the sentence names another queue', () => {
    const dead = (name: string) => ({
      deadLetterTargetArn: queueArn(name),
      protocol: 'email',
      endpoint: 'a@b.example',
    });
    const inventory = inventoryOf({
      topics: [topic('orders')],
      subscriptions: [subscription('orders', '1', dead('first')), subscription('orders', '2', dead('second'))],
      queues: [queue('first', { keyId: 'alias/k' }), queue('second', { keyId: 'alias/k' }), queue('third')],
      keys: [key('k', [], { isEnabled: false })],
    });
    for (const name of ['first', 'second']) expect(about(name, inventory)).toContain('key-disabled: k');
    expect(about('third', inventory)).toEqual([]);
  });

  test('is found of its alarm, and not of those whose sentence has its name as a word', () => {
    const visible = (name: string) => [metric(name, 'ApproximateNumberOfMessagesVisible')];
    const inventory = inventoryOf({
      queues: [queue('work', { redrivePolicy: { ...DEAD, maxReceiveCount: 5 } }), queue('dead'), queue('alarm')],
      alarms: [alarm('alarm', visible('dead'), { alarmActions: [] }), alarm('other', visible('other'))],
    });
    expect(about('dead', inventory)).toContain('alarm-tells-nobody: alarm');
    expect(about('alarm', inventory)).toEqual([]);
  });

  test('is that it is not there', () => {
    const inventory = inventoryOf({ topics: [topic('orders')], subscriptions: [subscription('orders', '1', DEAD)] });
    expect(about('dead', inventory)).toEqual(['dead-letter-queue-gone: orders:1']);
  });

  test('is of its own ARN: one of the same name elsewhere is another', () => {
    const [found] = checkInventory(inventoryOf({ subscriptions: [subscription('orders', '1', DEAD)] }));
    expect(found?.about).toEqual([`${topicArn('orders')}:1`, queueArn('dead')]);
    expect(findingsAbout(roleArn('dead'), found ? [found] : [])).toEqual([]);
  });
});
