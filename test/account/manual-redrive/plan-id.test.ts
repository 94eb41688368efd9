import { BadInput } from '../../../account/errors';
import { changesSince, planIdOf } from '../../../account/manual-redrive/plan-id';
import type { ManualRedrivePlan } from '../../../diagnosis/manual-redrive/manual-redrive-plan';
import { mapping, queue, queueArn } from '../../diagnosis/inventories';
import { DEAD, type Given, planned } from '../../diagnosis/manual-redrive/planned';

const work = queue('work', { redrivePolicy: { deadLetterTargetArn: DEAD, maxReceiveCount: 3 } });
const inventory = { queues: [work], mappings: [mapping('bill', 'work')] };
const GIVEN: Given = { inventory };

const again = (given: Given = {}): ManualRedrivePlan => planned({ ...GIVEN, ...given });

describe('The id of a plan', () => {
  test('begins with how many messages there are, and is the same for the same', () => {
    expect(planIdOf(again())).toMatch(/^12-[0-9a-z]{12}$/);
    expect(changesSince(planIdOf(again()), again())).toEqual([]);
  });

  test.each<[string, Given, RegExp]>([
    ['depth', { deadLetters: { depth: { visible: 14, inFlight: 1, delayed: 0 } } }, /^depth 12 → 15$/],
    ['rate', { terms: { messagesPerSecond: 51 } }, /^--to, --subscription, --rate/],
    ['canary', { terms: { canary: 3 } }, /^--to, --subscription, --rate/],
    ['filter', { terms: { filter: 'data' } }, /^--to, --subscription, --rate.*has changed$/],
    [
      'destination',
      { terms: { to: queueArn('other') } },
      /^--to, --subscription, --rate.*the destination.*the configuration of a queue/,
    ],
    ['visibility', { to: { visibilityTimeoutSeconds: 31 } }, /^the configuration of a queue has changed/],
    ['retention', { deadLetters: { retentionSeconds: 60 } }, /^the configuration of a queue has changed/],
    ['reader', { inventory: { queues: [work] } }, /^what sends to the queues or reads them/],
    ['redrive', { redrives: [{ name: 'Home', enabled: true }] }, /^what sends to the queues or reads them/],
    [
      'task',
      { tasks: [{ carrier: 'task', status: 'COMPLETED', startedAtMs: 1, moved: 3 }] },
      /^what sends to the queues or reads them/,
    ],
  ])('tells that its %s has changed', (_, given, says) => {
    const then = planIdOf(again());
    expect(changesSince(then, again(given)).join('; ')).toMatch(says);
    expect(planIdOf(again(given))).not.toBe(then);
  });

  test('heeds neither how the messages are received nor how deep the destination is, nor how AWS is reached', () => {
    const then = planIdOf(again());
    expect(planIdOf(again({ deadLetters: { url: 'http://127.0.0.1:4566/123456789012/dead' } }))).toBe(then);
    const held = { deadLetters: { depth: { visible: 10, inFlight: 2, delayed: 0 } } };
    expect(changesSince(then, again({ ...held, to: { depth: { visible: 99, inFlight: 9, delayed: 0 } } }))).toEqual([]);
  });

  test.each(['', '12', '12-', '12-k3f9xac0m7p', '12-K3F9XAC0M7PQ', 'yes', '-k3f9xac0m7pq'])('is not %j', id => {
    expect(() => changesSince(id, again())).toThrow(BadInput);
  });
});
