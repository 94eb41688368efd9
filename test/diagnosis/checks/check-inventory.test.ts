import { CHECKS, checkInventory } from '../../../diagnosis/checks/check-inventory';
import { findingsAbout } from '../../../diagnosis/checks/finding';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { DAY_SECONDS } from '../../../policy/time-units';
import {
  alarm,
  arnOf,
  functionArn,
  inventoryOf,
  key,
  lambda,
  mapping,
  metric,
  policyOf,
  queue,
  queueArn,
  role,
  roleArn,
  ruleTarget,
  schedule,
  sendStatement,
  subscription,
  topic,
  topicArn,
} from '../inventories';
import { HEALTHY } from './healthy';
import { placed } from './row';
import { ROWS } from './rows';

const foundBy = (id: string, inventory: Inventory) => checkInventory(inventory).filter(it => it.id === id);

describe('finds', () => {
  test.each(ROWS)('$id: $what', ({ id, severity, withFault, about, others = [], location, says, fixSays, calls }) => {
    const found = foundBy(id, withFault);
    expect(found.map(it => [it.severity, it.resource.name])).toEqual([[severity, about]]);
    expect(found[0]?.about).toEqual([found[0]?.resource.arn, ...others]);
    expect(found[0]?.location).toBe(location);
    expect(found[0]?.says).toMatch(says);
    expect(found[0]?.fix.says).toMatch(/^[A-Z].*\.$/);
    if (fixSays) expect(found[0]?.fix.says).toMatch(fixSays);
    expect(found[0]?.fix.calls?.map(({ operation }) => operation)).toEqual(calls);
  });

  test('names the statement that the policy of a queue of another app must have', () => {
    const dead = { deadLetterTargetArn: queueArn('dead') };
    const [subscriptions, targets] = [[subscription('orders', '1', dead)], [ruleTarget('r', queueArn('work'), dead)]];
    const found = foundBy('queue-policy-not-writable', inventoryOf({ isComplete: false, subscriptions, targets }));
    expect(found.map(({ fix }) => fix.statement)).toEqual([
      sendStatement('sns.amazonaws.com', 'dead', topicArn('orders')),
      sendStatement('events.amazonaws.com', 'dead', arnOf('events', 'rule/r')),
    ]);
  });

  test('adds the refused source to the sources that a redrive-allow policy already allows', () => {
    const work = queue('work', { redrivePolicy: { deadLetterTargetArn: queueArn('dead'), maxReceiveCount: 5 } });
    const allowed = (permission: string, ...names: readonly string[]) => {
      const dead = queue('dead', { redriveAllowPolicy: { permission, sourceQueueArns: names.map(queueArn) } });
      const [found] = foundBy('redrive-allow-policy-keeps-out', inventoryOf({ queues: [work, dead] }));
      return found?.fix.calls?.map(({ input }) => input['Attributes']);
    };
    const byQueue = (...names: readonly string[]) => {
      const policy = { redrivePermission: 'byQueue', sourceQueueArns: names.map(queueArn) };
      return [{ RedriveAllowPolicy: JSON.stringify(policy) }];
    };
    expect(allowed('byQueue', 'other')).toEqual(byQueue('other', 'work'));
    expect(allowed('denyAll')).toEqual(byQueue('work'));
  });

  test('has a row for each check', () => {
    expect([...new Set(ROWS.map(({ id }) => id))].sort()).toEqual(CHECKS.map(({ id }) => id).sort());
  });

  test('gives each check its own id, in kebab case', () => {
    expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length);
    for (const { id } of CHECKS) expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });
});

describe('does not find', () => {
  test.each(ROWS)('$id without the fault: $what', ({ id, withoutFault }) => {
    expect(withoutFault.length).toBeGreaterThan(0);
    expect(withoutFault.flatMap(it => foundBy(id, it))).toEqual([]);
  });

  test.each(ROWS.filter(({ unknownBecause }) => unknownBecause !== undefined))(
    '$id where the deciding value is unknown: $what',
    ({ id, unknownBecause = [] }) => {
      expect(unknownBecause.flatMap(it => foundBy(id, it))).toEqual([]);
    },
  );

  test.each(HEALTHY)('anything in %s', (_, inventory) => {
    expect(checkInventory(inventory)).toEqual([]);
  });

  test('anything in an empty account', () => {
    expect(checkInventory(inventoryOf())).toEqual([]);
  });
});

/** The checks that find something about a queue, and what the findings are of. */
function about(name: string, inventory: Inventory): string[] {
  return findingsAbout(queueArn(name), checkInventory(inventory)).map(({ id, resource }) => `${id}: ${resource.name}`);
}

const DEAD = { deadLetterTargetArn: queueArn('dead') };

describe('for a dead-letter queue', () => {
  test.each([
    ['the role of its function', 'bill', { functions: [lambda('bill', DEAD)] }],
    [
      'the role of the function whose mapping feeds it',
      'bill',
      { functions: [lambda('bill')], mappings: [mapping('bill', 'clicks', { onFailureArn: queueArn('dead') })] },
    ],
    ['the role of its schedule', 'nightly', { targets: [schedule('nightly', functionArn('bill'), DEAD)] }],
  ])('includes findings about %s', (_, name, parts) => {
    const inventory = inventoryOf({ queues: [queue('dead'), queue('other')], roles: [role(name)], ...parts });
    expect(about('dead', inventory)).toContain(`role-may-not-send: ${name}`);
    expect(about('other', inventory)).toEqual([]);
  });

  test('includes the finding about its key, even if the sentence names another queue', () => {
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

  test('includes its own alarm, and no finding whose sentence merely contains its name as a word', () => {
    const visible = (name: string) => [metric(name, 'ApproximateNumberOfMessagesVisible')];
    const inventory = inventoryOf({
      queues: [queue('work', { redrivePolicy: { ...DEAD, maxReceiveCount: 5 } }), queue('dead'), queue('alarm')],
      alarms: [alarm('alarm', visible('dead'), { alarmActions: [] }), alarm('other', visible('other'))],
    });
    expect(about('dead', inventory)).toContain('alarm-tells-nobody: alarm');
    expect(about('alarm', inventory)).toEqual([]);
  });

  test('includes that the queue does not exist', () => {
    const inventory = inventoryOf({ topics: [topic('orders')], subscriptions: [subscription('orders', '1', DEAD)] });
    expect(about('dead', inventory)).toEqual(['dead-letter-queue-gone: orders:1']);
  });

  test('compares ARNs: another resource with the same name is not included', () => {
    const [found] = checkInventory(inventoryOf({ subscriptions: [subscription('orders', '1', DEAD)] }));
    expect(found?.about).toEqual([`${topicArn('orders')}:1`, queueArn('dead')]);
    expect(findingsAbout(roleArn('dead'), found ? [found] : [])).toEqual([]);
  });
});

describe('twin stacks', () => {
  /** A stack that an app creates twice, without stating accounts: its resources have the same ARNs as those of its twin. */
  function service(stack: string, timeoutSeconds: number, retentionSeconds: number) {
    const at = (logicalId: string) => placed(logicalId, { stack, templatePath: `${stack}.template.json` });
    return {
      functions: [lambda('bill', { name: `${stack}/Bill`, timeoutSeconds, ...at('Bill') })],
      mappings: [mapping('bill', 'work', { name: `${stack}/Mapping`, ...at('Mapping') })],
      queues: [
        queue('work', {
          name: `${stack}/Work`,
          visibilityTimeoutSeconds: timeoutSeconds * 6,
          retentionSeconds,
          redrivePolicy: { deadLetterTargetArn: queueArn('dead'), maxReceiveCount: 5 },
          ...at('Work'),
        }),
        queue('dead', { name: `${stack}/Dead`, retentionSeconds: retentionSeconds + DAY_SECONDS, ...at('Dead') }),
      ],
    };
  }

  function apart(one: ReturnType<typeof service>, other: ReturnType<typeof service>): Inventory {
    return inventoryOf({
      isComplete: false,
      functions: [...one.functions, ...other.functions],
      mappings: [...one.mappings, ...other.mappings],
      queues: [...one.queues, ...other.queues],
    });
  }

  const IDS = ['visibility-too-short', 'dead-letters-expire-early', 'redrive-allow-policy-keeps-out'];
  const said = (inventory: Inventory) =>
    checkInventory(inventory)
      .filter(({ id }) => IDS.includes(id))
      .map(({ id, resource }) => [id, resource.name]);

  test('does not apply the settings of one stack to its twin', () => {
    expect(said(apart(service('dev', 3, DAY_SECONDS), service('prod', 60, 10 * DAY_SECONDS)))).toEqual([]);
  });

  test('reports a fault in the twin that has it', () => {
    const prod = service('prod', 60, 10 * DAY_SECONDS);
    const faulty = { ...prod, queues: prod.queues.map(it => ({ ...it, visibilityTimeoutSeconds: 30 })) };
    expect(said(apart(service('dev', 3, DAY_SECONDS), faulty))).toEqual([['visibility-too-short', 'prod/Work']]);
  });

  test('reports nothing about another stack that names a resource which both twins have', () => {
    const twins = apart(service('dev', 3, DAY_SECONDS), service('prod', 60, 10 * DAY_SECONDS));
    const functions = [lambda('slow', { timeoutSeconds: 900, ...placed('Slow') })];
    const mappings = [...twins.mappings, mapping('slow', 'work', placed('Mapping'))];
    expect(said({ ...twins, functions: [...twins.functions, ...functions], mappings })).toEqual([]);
  });

  test('looks up the alias of a key in the Region of the queue', () => {
    const [here, there] = ['eu-west-1', 'us-east-1'].map(region => {
      const topicArn = arnOf('sns', 'orders', region);
      const uses = {
        Effect: 'Allow',
        Principal: { Service: 'sns.amazonaws.com' },
        Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        Resource: '*',
        Condition: { ArnEquals: { 'aws:SourceArn': topicArn } },
      };
      const deadLetterTargetArn = arnOf('sqs', 'dead', region);
      return {
        topics: [topic('orders', { arn: topicArn })],
        subscriptions: [subscription('orders', region, { topicArn, protocol: 'email', deadLetterTargetArn })],
        queues: [queue('dead', { arn: deadLetterTargetArn, keyId: 'alias/orders' })],
        keys: [key('k', [], { arn: arnOf('kms', 'key/k', region), aliases: ['alias/orders'], policy: policyOf(uses) })],
      };
    });
    const both = { ...here, ...there, keys: [...(here?.keys ?? []), ...(there?.keys ?? [])] };
    expect(checkInventory(inventoryOf(both)).filter(({ id }) => id === 'key-policy-keeps-out')).toEqual([]);
  });
});
