import type { Progress } from '../../bin/progress';
import type { Inventory, MappingFacts, SubscriptionFacts, TargetFacts } from '../../diagnosis/inventory/inventory';
import { unqualified } from '../../diagnosis/inventory/look-ups';
import { knownValue } from '../../template/told';
import type { Connection } from '../connection/connection';
import { allFunctions } from '../connection/functions';
import { accountPlace } from './account-place';
import { AccountReader } from './account-reader';
import { readAlarms } from './alarms';
import { readEventBuses } from './event-buses';
import { type AskedFunctions, readFunctions } from './functions';
import { readKeys } from './keys';
import { readMappings } from './mappings';
import { readQueues } from './queues';
import { readRoles } from './roles';
import { readRuleTargets } from './rule-targets';
import { readSchedules } from './schedules';
import { readSubscriptions } from './subscriptions';
import { readTopics } from './topics';

export interface InventoryOptions {
  /** Is told how many resources have been read. @default - nobody is told */
  readonly progress?: Pick<Progress, 'at'>;
}

function askedFunctions(
  subscriptions: readonly SubscriptionFacts[],
  targets: readonly TargetFacts[],
  mappings: readonly MappingFacts[],
): AskedFunctions {
  const endpoints = subscriptions.flatMap(({ protocol, endpoint }) => (protocol === 'lambda' ? [endpoint] : []));
  const invoked = [...endpoints, ...targets.map(({ targetArn }) => targetArn)].flatMap(it => knownValue(it) ?? []);
  const polling = mappings.flatMap(({ functionArn }) => knownValue(functionArn) ?? []);
  return { invoked: new Set(invoked.map(unqualified)), polling: new Set(polling.map(unqualified)) };
}

/**
 * All there is in the account's Region by which messages can be lost. What may not be read is untold, and `unseen` says so.
 * What is deleted while it is read is left out.
 *
 * @throws Error that names the permission, where a service tells nothing at all
 */
export async function readInventory(aws: Connection, options: InventoryOptions = {}): Promise<Inventory> {
  const reader = new AccountReader(aws, options.progress);
  const place = await accountPlace(aws);
  const [topics, subscriptions, queues, mappings, rules, schedules, queueUsers, alarms, listed] = await Promise.all([
    readTopics(reader),
    readSubscriptions(reader),
    readQueues(reader, place),
    readMappings(reader),
    readRuleTargets(reader),
    readSchedules(reader),
    readEventBuses(reader, place),
    readAlarms(reader),
    allFunctions(aws),
  ]);
  const targets = [...rules, ...schedules];
  const [functions, keys] = await Promise.all([
    readFunctions(reader, listed, askedFunctions(subscriptions, targets, mappings)),
    readKeys(reader, [...topics, ...queues], place),
  ]);
  const roles = await readRoles(reader, functions, mappings, targets);
  reader.checkAll();
  return {
    ...place,
    isComplete: true,
    unseen: reader.unseen,
    topics,
    subscriptions,
    queues,
    functions,
    mappings,
    targets,
    queueUsers,
    alarms,
    keys,
    roles,
  };
}
