import { arrivalsOf } from '../../account/inventory/queue-history';
import type { MapEdge, MapGroup, MapNode } from '../../console/api';
import { placedGroup } from '../../console/browser/overview/map-layout';
import { mapDocument } from '../../console/server/overview/map-document';
import { checkInventory } from '../../diagnosis/checks/check-inventory';
import { MINUTE_MS } from '../../policy/time-units';
import { inventoryOf, queue, queueArn, subscription, topic } from '../diagnosis/inventories';

describe('the arrivals of a queue', () => {
  const points = (values: readonly number[]) => values.map((value, at) => ({ atMs: (170 + at) * MINUTE_MS, value }));

  test('are those that were sent, or those by which it grew: SQS does not count what it moves', () => {
    const arrivals = arrivalsOf(points([0, 4, 4, 1, 9]), points([0, 0, 3, 0, 0]), 180 * MINUTE_MS);
    expect(arrivals).toHaveLength(36);
    expect(arrivals.slice(-2)).toEqual([4 + 3 + 8, 0]);
  });
});

describe('the layout of the map', () => {
  const node = (id: string, column: number): MapNode => ({
    id,
    kind: 'queue',
    name: id,
    shortName: id,
    column,
    marks: [],
    worst: null,
    findings: 0,
  });
  const edge = (from: string, to: string): MapEdge => ({ from, to, kind: 'delivers' });

  const fan: MapGroup = {
    id: 'fan',
    nodes: [
      node('topic', 0),
      ...[3, 0, 2, 1].flatMap(at => [node(`delivery${at}`, 1), node(`queue${at}`, 2), node(`dlq${at}`, 4)]),
    ],
    edges: [0, 1, 2, 3].flatMap(at => [
      edge('topic', `delivery${at}`),
      edge(`delivery${at}`, `queue${at}`),
      edge(`queue${at}`, `dlq${at}`),
      edge(`delivery${at}`, `dlq${at}`),
    ]),
  };

  test('keeps each path on its own height, so that none crosses another', () => {
    const { nodes } = placedGroup(fan);
    const order = (column: number) =>
      nodes
        .filter(it => it.node.column === column)
        .sort((one, other) => one.y - other.y)
        .map(it => it.node.id.replace(/\D+/, ''));
    expect(order(2)).toEqual(order(1));
    expect(order(4)).toEqual(order(1));
  });

  test('lets no two resources overlap', () => {
    const { nodes, height } = placedGroup(fan);
    const overlapping = nodes.filter(one =>
      nodes.some(it => it !== one && it.x === one.x && it.y < one.y + one.height && one.y < it.y + it.height),
    );
    expect(overlapping).toEqual([]);
    expect(Math.min(...nodes.map(it => it.y))).toBe(0);
    expect(Math.max(...nodes.map(it => it.y + it.height))).toBeLessThanOrEqual(height);
  });

  test('draws an edge within a column', () => {
    const loop = { id: 'loop', nodes: [node('one', 4), node('two', 4)], edges: [edge('one', 'two')] };
    expect(placedGroup(loop).edges[0]?.path).toMatch(/^M[\d. ]+C/);
  });
});

describe('the map of an account', () => {
  const dlq = queue('orders-dlq');
  const account = inventoryOf({
    topics: [topic('orders'), topic('quiet')],
    subscriptions: [
      subscription('orders', '1', { protocol: 'sqs', endpoint: queueArn('work'), deadLetterTargetArn: dlq.arn }),
      subscription('quiet', '2', { protocol: 'https', endpoint: 'https://billing.example.com/in?key=1' }),
    ],
    queues: [dlq, queue('work', { redrivePolicy: { deadLetterTargetArn: queueArn('gone'), maxReceiveCount: 3 } })],
  });
  const { groups } = mapDocument(account, checkInventory(account));
  const nodes = groups.flatMap(it => it.nodes);
  const marksOf = (name: string) => nodes.filter(it => it.name === name).map(it => it.marks.map(mark => mark.says));

  test('draws what is not connected apart', () => {
    expect(groups.map(it => it.nodes.map(({ name }) => name).sort())).toEqual(
      expect.arrayContaining([
        ['SQS', 'gone', 'orders', 'orders-dlq', 'work'],
        ['HTTPS', 'billing.example.com', 'quiet'],
      ]),
    );
    expect(groups).toHaveLength(2);
  });

  test('marks what loses messages, and what no alarm reports', () => {
    expect(marksOf('HTTPS')).toEqual([['no dead-letter queue']]);
    expect(marksOf('SQS')).toEqual([[]]);
    expect(marksOf('gone')).toEqual([['does not exist']]);
    expect(marksOf('orders-dlq')).toEqual([['no alarm']]);
  });
});
