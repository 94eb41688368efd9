import { ALARM_CHECKS } from '../../../diagnosis/checks/alarms';
import type { AlarmFacts } from '../../../diagnosis/inventory/inventory';
import { alarm, inventoryOf, metric, queue, queueArn } from '../inventories';

const VISIBLE = 'ApproximateNumberOfMessagesVisible';

/** Counts how often an alarm is read if each of many dead-letter queues has one. */
function looks(names: readonly string[], watched: (name: string) => string): number {
  let count = 0;
  const alarms = names.map((name): AlarmFacts => {
    const metrics = [metric(watched(name), VISIBLE)];
    return {
      ...alarm(`alarm-${name}`, []),
      get metrics() {
        count += 1;
        return metrics;
      },
    };
  });
  const queues = names.flatMap(name => [
    queue(`work-${name}`, { redrivePolicy: { deadLetterTargetArn: queueArn(name), maxReceiveCount: 5 } }),
    queue(name),
  ]);
  const inventory = inventoryOf({ alarms, queues });
  const found = ALARM_CHECKS.flatMap(({ find }) => find(inventory));
  expect(found).toEqual([]);
  return count;
}

const written = (count: number) => Array.from({ length: count }, (_, index) => `dead-${index}`);
const generated = (count: number) => written(count).map(it => `<Test.${it}>`);

test.each([
  ['written out', written],
  ['given at the deployment', generated],
])('of names that are %s, twice as many queues and alarms take twice as many looks', (_, names) => {
  const [few, many] = [50, 100].map(count => looks(names(count), name => name));
  expect(many).toBe((few ?? 0) * 2);
});

test('an alarm on a name that is written out may be on any queue whose name the deployment gives, and the reverse', () => {
  expect(looks(['<Test.Dead>'], () => 'dead')).toBeGreaterThan(0);
  expect(looks(['dead'], () => '<Test.Dead>')).toBeGreaterThan(0);
});
