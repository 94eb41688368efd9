import { CHECKS, checkInventory } from '../../../diagnosis/checks/check-inventory';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { inventoryOf, queueArn, sendStatement, subscription, topicArn } from '../inventories';
import { HEALTHY } from './healthy';
import { ROWS } from './rows';

const foundBy = (id: string, inventory: Inventory) => checkInventory(inventory).filter(it => it.id === id);

describe('What is found', () => {
  test.each(ROWS)('$id: $what', ({ id, severity, sick, about, says, calls }) => {
    const found = foundBy(id, sick);
    expect(found.map(it => [it.severity, it.resource.name])).toEqual([[severity, about]]);
    expect(found[0]?.says).toMatch(says);
    expect(found[0]?.fix.says).toMatch(/^[A-Z].*\.$/);
    expect(found[0]?.fix.calls?.map(({ operation }) => operation)).toEqual(calls);
  });

  test('says of a queue made elsewhere which statement its policy must have', () => {
    const subscriptions = [subscription('orders', '1', { deadLetterTargetArn: queueArn('dead') })];
    const [found] = foundBy('queue-policy-not-writable', inventoryOf({ isComplete: false, subscriptions }));
    expect(found?.fix.statement).toEqual(sendStatement('sns.amazonaws.com', 'dead', topicArn('orders')));
  });

  test('has a row for each check', () => {
    expect([...new Set(ROWS.map(({ id }) => id))].sort()).toEqual(CHECKS.map(({ id }) => id).sort());
  });

  test('is told by an id of its own', () => {
    expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length);
    for (const { id } of CHECKS) expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });
});

describe('What is not found', () => {
  test.each(ROWS)('$id, where all is well beside $what', ({ id, well }) => {
    expect(well.length).toBeGreaterThan(0);
    expect(well.flatMap(it => foundBy(id, it))).toEqual([]);
  });

  test.each(ROWS.filter(({ unknownBecause }) => unknownBecause !== undefined))(
    '$id, where nobody can know of $what',
    ({ id, unknownBecause = [] }) => {
      expect(unknownBecause.flatMap(it => foundBy(id, it))).toEqual([]);
    },
  );

  test.each(HEALTHY)('anything in %s', (_, inventory) => {
    expect(checkInventory(inventory)).toEqual([]);
  });

  test('anything in an account with nothing in it', () => {
    expect(checkInventory(inventoryOf())).toEqual([]);
  });
});
