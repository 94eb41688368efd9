import { feedingTopics, mayLog, sourceQueues, suspectsOf } from '../../../diagnosis/causes/suspects';
import {
  functionArn,
  inventoryOf,
  lambda,
  mapping,
  queue,
  queueArn,
  subscription,
  topic,
  topicArn,
  UNKNOWN,
} from '../inventories';

const DEAD = queueArn('dead');
const inventory = inventoryOf({
  queues: [
    queue('dead'),
    queue('work', { redrivePolicy: { deadLetterTargetArn: DEAD, maxReceiveCount: 3 } }),
    queue('other'),
  ],
  functions: [lambda('print', { deadLetterTargetArn: DEAD }), lambda('bill')],
  mappings: [mapping('read', 'stream', { onFailureArn: DEAD }), mapping('bill', 'other')],
  topics: [
    topic('silent', { logging: [] }),
    topic('logging', { logging: [{ protocol: 'SQS', failureRoleArn: 'role' }] }),
    topic('untold', { logging: UNKNOWN }),
  ],
  subscriptions: [
    subscription('silent', 'one', { deadLetterTargetArn: DEAD }),
    subscription('silent', 'two', { deadLetterTargetArn: DEAD }),
    subscription('logging', 'three'),
  ],
});

test('letters come from the queues that have it for theirs, and from those they name', () => {
  const found = sourceQueues(DEAD, inventory, new Set([queueArn('gone')]));
  expect([...found].sort()).toEqual([queueArn('gone'), queueArn('work')]);
});

test('functions may have failed that send their own failures, or read a source, by whichever alias', () => {
  const mappings = [
    { uuid: '1', sourceArn: queueArn('work'), functionArn: `${functionArn('bill')}:live`, state: 'Enabled' },
  ];
  expect([...suspectsOf(DEAD, inventory, mappings)].sort()).toEqual(
    ['bill', 'print', 'read'].map(name => functionArn(name)),
  );
});

test('a topic feeds a queue however many of its subscriptions do', () => {
  expect(feedingTopics(DEAD, inventory)).toEqual([topicArn('silent')]);
});

test.each([
  ['silent', false],
  ['logging', true],
  ['untold', true],
  ['gone', true],
])('whether the topic %s may log is %p', (name, may) => {
  expect(mayLog(topicArn(name), inventory)).toBe(may);
});
