import { CHECKS, checkInventory } from '../../../diagnosis/checks/check-inventory';
import { CONSEQUENCES, isAtLeastAsSevere, SEVERITIES } from '../../../diagnosis/checks/finding';
import { inventoryOf, lambda, mapping, queue, queueArn, subscription, topic } from '../inventories';
import { placed } from './row';
import { ROWS } from './rows';

test('severities are ordered by consequence', () => {
  expect(SEVERITIES).toEqual(Object.keys(CONSEQUENCES));
  expect(SEVERITIES.map(it => isAtLeastAsSevere(it, 'at-risk'))).toEqual([true, true, true, false, false, false]);
});

describe.each(CHECKS.map(({ id, severities }) => ({ id, severities })))('$id', ({ id, severities }) => {
  const rows = ROWS.filter(row => row.id === id);

  test('states the severities of its findings, the worst first', () => {
    expect(severities).toEqual(SEVERITIES.filter(it => rows.some(({ severity }) => severity === it)));
  });

  test('is no note if messages are lost', () => {
    const notes = rows.flatMap(({ withFault }) => checkInventory(withFault)).filter(it => it.severity === 'note');
    expect(
      notes.map(({ says }) => says).filter(it => /\b(lost|loses?|drops?|discards?|expires?|keeps nothing)\b/.test(it)),
    ).toEqual([]);
  });
});

test.each(CHECKS.filter(({ reportsMissing }) => reportsMissing === 'configuration').map(({ id }) => id))(
  '%s reports nothing if a part of the inventory could not be read',
  id => {
    const inventories = ROWS.filter(row => row.id === id).map(({ withFault }) => ({
      ...withFault,
      unread: ['the topics'],
    }));
    expect(inventories.length).toBeGreaterThan(0);
    expect(inventories.flatMap(checkInventory).filter(it => it.id === id)).toEqual([]);
  },
);

test('a finding of a template has a fix in words alone: calls would only change what is deployed', () => {
  const found = (facts: object) =>
    checkInventory(
      inventoryOf({ topics: [topic('orders')], subscriptions: [subscription('orders', '1', facts)] }),
    ).find(({ id }) => id === 'no-dead-letter-queue')?.fix;
  const deployed = found({ endpoint: queueArn('work') });
  expect(deployed?.calls).not.toEqual([]);
  expect(found({ endpoint: queueArn('work'), ...placed('Orders') })).toEqual({ says: deployed?.says });
});

test('a finding is about its resource, and about no other unless it names one', () => {
  const inventory = inventoryOf({
    functions: [lambda('bill')],
    queues: [queue('work')],
    mappings: [mapping('bill', 'work')],
  });
  const note = checkInventory({ ...inventory, subscriptions: [subscription('orders', '1', { isPending: true })] });
  expect(note.find(({ id }) => id === 'confirmation-needed')?.about).toHaveLength(1);
});
