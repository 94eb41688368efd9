import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import type { Finding } from '../../../diagnosis/checks/finding';
import { type FindingGroup, groupFindings } from '../../../diagnosis/checks/finding-groups';
import { everyResource, type Inventory } from '../../../diagnosis/inventory/inventory';
import { isObject } from '../../../policy/json-members';
import { DAY_SECONDS } from '../../../policy/time-units';
import { inventoryOf, queue, queueArn } from '../inventories';
import { ROWS } from './rows';

/** Queues with dead-letter queues of their own: `orders`, `orders-dlq`. */
function withDeadLetterQueues(names: readonly string[], retentionDays = 14): Inventory {
  const queues = names.flatMap(name => [
    queue(`${name}-dlq`, { retentionSeconds: retentionDays * DAY_SECONDS }),
    queue(name, { redrivePolicy: { deadLetterTargetArn: queueArn(`${name}-dlq`), maxReceiveCount: 5 } }),
  ]);
  return inventoryOf({ queues });
}

const unwatchedIn = (inventory: Inventory) =>
  checkInventory(inventory).filter(({ id }) => id === 'dead-letters-unwatched');

/** `No alarm reports … of …. | a with b, c with d`. */
function textOf({ says, findings }: FindingGroup): string {
  const names = findings.map(({ finding, others }) => [finding.resource.name, ...others].join(' with '));
  return `${says} | ${names.join('; ')}`;
}

const NAMES = ['orders', 'orders-2', 'returns'];
const QUEUES = withDeadLetterQueues(NAMES);

/** Findings of three queues with other sentences. */
const saying = (...sentences: readonly string[]) =>
  unwatchedIn(QUEUES).map((it, index): Finding => ({ ...it, says: sentences[index] ?? '' }));

test('a finding of one resource stays as it is', () => {
  const [finding] = unwatchedIn(QUEUES);
  if (!finding) throw new Error('nothing was found');
  const { id, severity, says, fix } = finding;
  expect(groupFindings([finding], [QUEUES])).toEqual([
    { id, severity, says, fix: fix.says, findings: [{ finding, others: [] }] },
  ]);
});

test('findings that say the same about several queues are one group, which names each queue with its source', () => {
  const [group, ...others] = groupFindings(unwatchedIn(QUEUES), [QUEUES]);
  expect(others).toEqual([]);
  expect(group && textOf(group)).toBe(
    'No alarm reports the dead letters in … that come from …. | orders-2-dlq with orders-2; orders-dlq with orders; returns-dlq with returns',
  );
  expect(group?.fix).toBe('Create an alarm with an action on ApproximateNumberOfMessagesVisible of …, above 0.');
});

test.each<[string, readonly string[], string]>([
  [
    'a name that all have stays in the sentence',
    ['orders-2-dlq of orders.', 'orders-dlq of orders.', 'returns-dlq of orders.'],
    '… of orders. | orders-2-dlq; orders-dlq; returns-dlq',
  ],
  [
    'a list of names counts as one',
    ['orders-2-dlq of orders, orders-2.', 'orders-dlq of orders.', 'returns-dlq of returns.'],
    '… of …. | orders-2-dlq with orders, orders-2; orders-dlq with orders; returns-dlq with returns',
  ],
  [
    'names at changed places are given',
    ['orders: returns', 'returns: orders', 'orders: orders'],
    '…: … | orders-2-dlq with orders with returns; orders-dlq with returns with orders; returns-dlq with orders',
  ],
])('%s', (_, sentences, expected) => {
  expect(groupFindings(saying(...sentences), [QUEUES]).map(textOf)).toEqual([expected]);
});

test.each<[string, (finding: Finding) => Finding]>([
  ['check', it => ({ ...it, id: 'losses-unwatched' })],
  ['severity', it => ({ ...it, severity: 'note' })],
  ['explanation', it => ({ ...it, says: it.says.replace('reports', 'counts') })],
  ['fix', it => ({ ...it, fix: { says: 'Delete it.' } })],
  ['missing statement', it => ({ ...it, fix: { ...it.fix, statement: { Effect: 'Allow' } } })],
])('findings of another %s are in another group', (_, changed) => {
  const found = unwatchedIn(QUEUES).map((it, index) => (index === 0 ? it : changed(it)));
  expect(groupFindings(found, [QUEUES]).map(({ findings }) => findings.length)).toEqual([1, 2]);
});

test('findings with another duration are in another group', () => {
  const inventories = [3, 4].map(days => withDeadLetterQueues([`orders-${days}`, `more-${days}`], days));
  const found = inventories.flatMap(checkInventory).filter(({ id }) => id === 'dead-letters-expire-early');
  expect(groupFindings(found, inventories).map(({ findings }) => findings.length)).toEqual([2, 2]);
});

const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/** A value in which each of these names, at the end of a text or in an ARN, is another of the same length: some sentences count bytes. */
function renamed<T>(value: T, names: RegExp): T;
function renamed(value: unknown, names: RegExp): unknown {
  if (typeof value === 'string')
    return value.replace(names, it => String.fromCharCode(it.charCodeAt(0) + 1) + it.slice(1));
  if (Array.isArray(value)) return value.map(it => renamed(it, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, key === 'kind' ? it : renamed(it, names)]));
}

function withOtherNames(inventory: Inventory): Inventory {
  const names = everyResource(inventory).map(({ name }) => name.split(':')[0]?.replace(SPECIAL, '\\$&'));
  return renamed(inventory, new RegExp(`(?<=^|[/:])(${names.join('|')})(?=$|[:"])`, 'g'));
}

/** Whether the sentence of a group is that of a finding, with names in place of `…`. */
function isSaid(group: string, says: string): boolean {
  return new RegExp(`^${group.replace(SPECIAL, '\\$&').replaceAll('…', '(.+)')}$`).test(says);
}

test.each(ROWS)('no finding is lost, and the same fault of other resources joins its group: $id: $what', row => {
  const inventories = [row.withFault, withOtherNames(row.withFault)];
  const all = inventories.flatMap(checkInventory);
  const groups = groupFindings(all, inventories);
  expect(new Set(groups.flatMap(it => it.findings.map(({ finding }) => finding)))).toEqual(new Set(all));
  expect(groups.flatMap(({ findings }) => findings)).toHaveLength(all.length);
  for (const { says, fix, findings } of groups) {
    expect(findings.filter(({ finding }) => !isSaid(says, finding.says) || !isSaid(fix, finding.fix.says))).toEqual([]);
  }
  const alone = groups.filter(({ id, statement, findings }) => id === row.id && findings.length < 2 && !statement);
  expect(alone.map(textOf)).toEqual([]);
});
