import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import type {
  Inventory,
  InventoryPart,
  MappingFacts,
  SubscriptionFacts,
  TargetFacts,
} from '../../diagnosis/inventory/inventory';
import { unqualified } from '../../diagnosis/inventory/look-ups';
import { knownValue } from '../../template/maybe-known';
import type { Connection } from '../connection/connection';
import type { ProgressListener } from '../ports';
import { AccountReader, accountPlace } from './account-reader';
import { readAlarms } from './alarms';
import { readEventBuses, readEventBusList, readRuleTargets, readSchedules } from './events';
import { type AskedFunctions, listFunctions, readFunctions, readMappings } from './functions';
import { readKeys, readRoles } from './keys-and-roles';
import { readPipes } from './pipes';
import { checkMayListQueues, readQueues } from './queues';
import { readSubscriptions, readTopics } from './topics';

export interface InventoryOptions {
  /** Receives how many resources have been read. @default - none */
  readonly progress?: ProgressListener;
  /** Whether the inventory is useless without the list of queues. @default false */
  readonly needsQueues?: boolean;
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
 * Reads all resources of the Region that messages pass through. What cannot be read is unknown, and listed in `unseen`. What may
 * be missing is in `incomplete`. Resources that are deleted meanwhile are left out.
 *
 * @throws Error when nothing can be read, or not the list of queues where it is needed
 */
export async function readInventory(aws: Connection, options: InventoryOptions = {}): Promise<Inventory> {
  const reader = new AccountReader(aws, options.progress);
  const [place] = await Promise.all([accountPlace(aws), options.needsQueues ? checkMayListQueues(reader) : undefined]);
  const buses = readEventBusList(reader);
  const [topics, subscriptions, queues, mappings, rules, schedules, users, pipes, alarms, listed] = await Promise.all([
    readTopics(reader),
    readSubscriptions(reader),
    readQueues(reader, place),
    readMappings(reader),
    buses.then(it => readRuleTargets(reader, it)),
    readSchedules(reader),
    buses.then(it => readEventBuses(reader, it)),
    readPipes(reader),
    readAlarms(reader),
    listFunctions(reader),
  ]);
  checkAnyRead(reader);
  const targets = [...rules, ...schedules];
  const [functions, keys] = await Promise.all([
    readFunctions(reader, listed, askedFunctions(subscriptions, targets, mappings)),
    readKeys(reader, [...topics, ...queues], place),
  ]);
  const roles = await readRoles(reader, functions, mappings, targets);
  return {
    ...place,
    isComplete: true,
    incomplete: reader.incomplete,
    unseen: reader.unseen,
    topics,
    subscriptions,
    queues,
    functions,
    mappings,
    targets,
    queueUsers: [...users, ...pipes],
    alarms,
    keys,
    roles,
  };
}

/** The lists that an inventory begins with. */
const LISTS: readonly InventoryPart[] = [
  'topics',
  'subscriptions',
  'queues',
  'functions',
  'mappings',
  'targets',
  'alarms',
];

/** @throws the first error, when not one list could be read: an empty inventory would look like an empty account */
function checkAnyRead({ incomplete, aws }: AccountReader): void {
  const [first] = aws.unread.all;
  if (first !== undefined && LISTS.every(it => incomplete.includes(it))) throw first.error;
}

/** A redrive depends neither on resource policies nor on reserved concurrency. */
const NO_DETAILS = { invoked: new Set<string>(), polling: new Set<string>() };

/** The part of the inventory that a redrive depends on. */
export interface PartialInventory {
  readonly inventory: Inventory;
  /** Every function of the Region with its configuration. */
  readonly listed: readonly FunctionConfiguration[];
}

/**
 * Reads what sends messages to queues and what reads them, in the whole Region. Topics, alarms, keys and roles are left out.
 */
export async function readPartialInventory(aws: Connection, progress: ProgressListener): Promise<PartialInventory> {
  const reader = new AccountReader(aws, progress);
  const place = await accountPlace(aws);
  const [subscriptions, queues, mappings, rules, schedules, listed] = await Promise.all([
    readSubscriptions(reader),
    readQueues(reader, place),
    readMappings(reader),
    readEventBusList(reader).then(it => readRuleTargets(reader, it)),
    readSchedules(reader),
    listFunctions(reader),
  ]);
  const functions = await readFunctions(reader, listed, NO_DETAILS);
  const inventory = {
    ...place,
    isComplete: false,
    incomplete: reader.incomplete,
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
