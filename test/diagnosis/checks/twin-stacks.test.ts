import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import {
  arnOf,
  inventoryOf,
  key,
  lambda,
  mapping,
  policyOf,
  queue,
  queueArn,
  subscription,
  topic,
} from '../inventories';
import { placed } from './placed';

const DAY = 86_400;

/** A stack that one app makes twice, for accounts it does not tell: all that is in it has the ARNs of its twin. */
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
      queue('dead', { name: `${stack}/Dead`, retentionSeconds: retentionSeconds + DAY, ...at('Dead') }),
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

test('what a stack says is not held against its twin', () => {
  expect(said(apart(service('dev', 3, DAY), service('prod', 60, 10 * DAY)))).toEqual([]);
});

test('what is wrong in one of them is found there', () => {
  const prod = service('prod', 60, 10 * DAY);
  const sick = { ...prod, queues: prod.queues.map(it => ({ ...it, visibilityTimeoutSeconds: 30 })) };
  expect(said(apart(service('dev', 3, DAY), sick))).toEqual([['visibility-too-short', 'prod/Work']]);
});

test('of a stack beside them, which names what both have, nothing is said', () => {
  const twins = apart(service('dev', 3, DAY), service('prod', 60, 10 * DAY));
  const functions = [lambda('slow', { timeoutSeconds: 900, ...placed('Slow') })];
  const mappings = [...twins.mappings, mapping('slow', 'work', placed('Mapping'))];
  expect(said({ ...twins, functions: [...twins.functions, ...functions], mappings })).toEqual([]);
});

test('an alias of a key is looked for in the Region of the queue', () => {
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
