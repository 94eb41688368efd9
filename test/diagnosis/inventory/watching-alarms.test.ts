import { ALARM_CHECKS } from '../../../diagnosis/checks/alarms';
import type { QueueFeeder } from '../../../diagnosis/inventory/feeders';
import type { AlarmFacts, WatchedMetricFacts } from '../../../diagnosis/inventory/inventory';
import {
  hasEffect,
  metricsOf,
  sentMetrics,
  usualAction,
  watchersOf,
} from '../../../diagnosis/inventory/watching-alarms';
import {
  ACCOUNT,
  alarm,
  alarmArn,
  arnOf,
  inventoryOf,
  metric,
  queue,
  queueArn,
  ruleTarget,
  schedule,
  subscription,
  topicArn,
  UNKNOWN,
} from '../inventories';

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

describe('the metrics that show dead letters', () => {
  const OTHERS = '999999999999';
  const named = (feeder: object) =>
    metricsOf({ queueArn: queueArn('dead'), ...feeder } as QueueFeeder).map(({ name, dimension, value, account }) => [
      name,
      `${dimension} ${value}`,
      account,
    ]);
  const ofQueue = (...names: readonly string[]) => names.map(name => [name, 'QueueName dead', ACCOUNT]);
  const STAYING = ['ApproximateNumberOfMessagesVisible', 'ApproximateAgeOfOldestMessage'];
  const ALL = [...STAYING, 'NumberOfMessagesSent', 'SentMessageSize'];

  test('that SQS moves are those of waiting messages alone: it does not count them as sent', () => {
    expect(named({ kind: 'queue', resource: queue('work') })).toEqual(ofQueue(...STAYING));
    expect(sentMetrics(queueArn('dead')).map(({ name }) => name)).toEqual(['NumberOfMessagesSent', 'SentMessageSize']);
  });

  test('of a subscription include the topic’s, in an account that AWS does not name for another owner', () => {
    const metrics = (facts: object) => named({ kind: 'subscription', resource: subscription('orders', '1', facts) });
    const redriven = 'NumberOfNotificationsRedrivenToDlq';
    expect(metrics({})).toEqual([...ofQueue(...ALL), [redriven, 'TopicName orders', ACCOUNT]]);
    expect(metrics({ owner: OTHERS })).toEqual([...ofQueue(...ALL), [redriven, 'TopicName orders', undefined]]);
    expect(metrics({ topicArn: UNKNOWN })).toEqual(ofQueue(...ALL));
  });

  test('of a rule include the rule’s, by its name without the bus', () => {
    const resource = ruleTarget('placed', queueArn('work'), { arn: arnOf('events', 'rule/shop/placed') });
    const invocations = ['InvocationsSentToDlq', 'RuleName placed', ACCOUNT];
    expect(named({ kind: 'rule', resource })).toEqual([...ofQueue(...ALL), invocations]);
    expect(named({ kind: 'schedule', resource: schedule('nightly', queueArn('work')) })).toEqual(ofQueue(...ALL));
  });
});

describe('the alarms that watch a metric', () => {
  const metrics = metricsOf({ kind: 'function', queueArn: queueArn('dead') } as QueueFeeder);
  const DEAD = metric('dead', VISIBLE);
  /** The alarms found, and whether it is certain that they watch the queue. */
  const found = (...alarms: readonly AlarmFacts[]) =>
    watchersOf(metrics, inventoryOf({ alarms })).map(({ alarm: { name }, isSure }) => [name, isSure]);
  const watching = (...watched: readonly WatchedMetricFacts[]) => found(alarm('one', watched));

  test('are all of them', () => {
    expect(found(alarm('one', [DEAD]), alarm('other', [DEAD]))).toEqual([
      ['one', true],
      ['other', true],
    ]);
  });

  test.each<[string, Partial<WatchedMetricFacts>]>([
    ['of the same name in another namespace', { namespace: 'Shop' }],
    ['of another name', { name: 'NumberOfMessagesDeleted' }],
    ['of no queue', { dimensions: {} }],
    ['of another queue', { dimensions: { QueueName: 'other' } }],
  ])('do not include one on a metric %s, next to the queue’s in another account', (_, facts) => {
    const sent = metric('dead', 'NumberOfMessagesSent');
    expect(watching({ ...DEAD, accountId: '999999999999' }, { ...sent, ...facts })).toEqual([]);
  });

  test('may include one whose metric, dimension or query is unknown', () => {
    expect(watching(metric('other', VISIBLE), { ...DEAD, name: 'unknown' })).toEqual([['one', false]]);
    expect(watching({ ...DEAD, dimensions: { QueueName: UNKNOWN, Stage: 'prod' } })).toEqual([['one', false]]);
    expect(found(alarm('query', [], { queries: [UNKNOWN] }))).toEqual([['query', false]]);
  });

  test.each([
    [`SELECT MAX(${VISIBLE}) FROM SCHEMA("AWS/SQS", QueueName)`, [['query', false]]],
    [`SELECT MAX(${VISIBLE}) FROM SCHEMA("Shop", QueueName)`, []],
    ['SELECT SUM(NumberOfMessagesDeleted) FROM SCHEMA("AWS/SQS", QueueName)', []],
  ])('by the query %s', (query, watchers) => {
    expect(found(alarm('query', [], { queries: [query] }))).toEqual(watchers);
  });
});

describe('an alarm has an effect', () => {
  const SILENT = alarm('dead', [], { alarmActions: [] });
  const composite = (name: string, rule: AlarmFacts['rule'], facts: Partial<AlarmFacts> = {}) =>
    alarm(name, [], { ...(rule !== undefined && { rule }), ...facts });

  test('by its own actions, if they are enabled', () => {
    expect(hasEffect(alarm('dead', []), [])).toBe('yes');
    expect(hasEffect(alarm('dead', [], { actionsEnabled: false }), [])).toBe('no');
    expect(hasEffect(SILENT, [])).toBe('no');
    expect(hasEffect(alarm('dead', [], { alarmActions: UNKNOWN }), [])).toBe('unknown');
  });

  test('by the actions of a composite alarm that names it, also through another one', () => {
    const inner = composite('inner', 'ALARM("dead")', { alarmActions: [] });
    expect(hasEffect(SILENT, [SILENT, composite('all', 'ALARM("dead")')])).toBe('yes');
    expect(hasEffect(SILENT, [SILENT, composite('all', `ALARM(${alarmArn('dead')})`)])).toBe('yes');
    expect(hasEffect(SILENT, [SILENT, inner, composite('outer', 'ALARM("inner")')])).toBe('yes');
    expect(hasEffect(SILENT, [SILENT, inner])).toBe('no');
  });

  test('not by alarms that do not name it, and perhaps by one whose rule is unknown', () => {
    expect(hasEffect(SILENT, [SILENT, composite('all', 'ALARM("other")'), alarm('plain', [])])).toBe('no');
    expect(hasEffect(SILENT, [SILENT, composite('all', UNKNOWN)])).toBe('unknown');
  });

  test('not by composite alarms without actions that name each other', () => {
    const [one, other] = [
      composite('one', 'ALARM("dead") OR ALARM("other")', { alarmActions: [] }),
      composite('other', 'ALARM("one")', { alarmActions: [] }),
    ];
    expect(hasEffect(SILENT, [SILENT, one, other])).toBe('no');
  });
});

describe('the action for a new alarm', () => {
  const [OPS, SHOP] = [topicArn('ops'), topicArn('shop')];
  const usual = (...actions: readonly AlarmFacts['alarmActions'][]) =>
    usualAction(inventoryOf({ alarms: actions.map((alarmActions, at) => alarm(`${at}`, [], { alarmActions })) }));

  test('is the topic to which most alarms publish, the first by name of several', () => {
    expect(usual([OPS], [SHOP], [SHOP])).toEqual([SHOP]);
    expect(usual([SHOP], [SHOP], [OPS])).toEqual([SHOP]);
    expect(usual([SHOP], [OPS])).toEqual([OPS]);
    expect(usual([OPS], [SHOP])).toEqual([OPS]);
  });

  test('is none where no alarm publishes to a topic that is known', () => {
    expect(usual()).toEqual([]);
    expect(usual([arnOf('autoscaling', 'scalingPolicy:x'), 'no ARN', UNKNOWN], UNKNOWN)).toEqual([]);
  });
});
