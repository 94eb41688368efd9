import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import type { Progress } from '../../bin/progress';
import type { Inventory, MappingFacts, SubscriptionFacts, TargetFacts } from '../../diagnosis/inventory/inventory';
import { unqualified } from '../../diagnosis/inventory/look-ups';
import { knownValue } from '../../template/maybe-known';
import type { Connection } from '../connection/connection';
import { AccountReader, accountPlace } from './account-reader';
import { readAlarms } from './alarms';
import { readEventBuses, readRuleTargets, readSchedules } from './events';
import { type AskedFunctions, allFunctions, readFunctions, readMappings } from './functions';
import { readKeys, readRoles } from './keys-and-roles';
import { readQueues } from './queues';
import { readSubscriptions, readTopics } from './topics';

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

/** Who is let in, how often it may run: a redrive does not hang on it. */
const NOT_ASKED = { invoked: new Set<string>(), polling: new Set<string>() };

/** What lies around a queue. */
export interface PartialInventory {
  readonly inventory: Inventory;
  /** Every function of the Region, as it is configured. */
  readonly listed: readonly FunctionConfiguration[];
}

/**
 * Who may bring letters to a queue and who may read one, of all the account's Region: no topics, alarms, keys and roles.
 * @throws Error that names the permission, where a service tells nothing at all
 */
export async function readPartialInventory(aws: Connection, progress: Pick<Progress, 'at'>): Promise<PartialInventory> {
  const reader = new AccountReader(aws, progress);
  const place = await accountPlace(aws);
  const [subscriptions, queues, mappings, rules, schedules, listed] = await Promise.all([
    readSubscriptions(reader),
    readQueues(reader, place),
    readMappings(reader),
    readRuleTargets(reader),
    readSchedules(reader),
    allFunctions(aws),
  ]);
  const functions = await readFunctions(reader, listed, NOT_ASKED);
  reader.checkAll();
  const inventory = {
    ...place,
    isComplete: false,
    unseen: reader.unseen,
    topics: [],
    subscriptions,
    queues,
    functions,
    mappings,
    targets: [...rules, ...schedules],
    alarms: [],
    keys: [],
    roles: [],
  };
  return { inventory, listed };
}
