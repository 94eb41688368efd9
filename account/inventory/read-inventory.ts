import type { EventBus } from '@aws-sdk/client-eventbridge';
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
import { readEventBuses, readEventBusList, readPipes, readRuleTargets, readSchedules } from './events';
import { listFunctions, readFunctions, readMappings } from './functions';
import { RoleReader, readKeys, readRoles } from './keys-and-roles';
import { checkMayListQueues, readQueues, readSourceQueues } from './queues';
import { readStreams } from './streams';
import { readSubscriptions, readTopics } from './topics';

/**
 * What an inventory is for. Some facts take a call for each resource, and Lambda allows 15 of them a second, so only those are read
 * that are needed: the policies of functions not for a list of dead-letter queues, their reserved concurrency only for causes.
 */
type InventoryPurpose = 'list' | 'checks' | 'causes';

export interface InventoryOptions {
  /** Receives how many resources have been read. @default - none */
  readonly progress?: ProgressListener;
  /** Whether the inventory is useless without the list of queues. @default false */
  readonly needsQueues?: boolean;
  /** @default 'causes', which reads everything */
  readonly purpose?: InventoryPurpose;
}

/** The functions that topics, rules and schedules invoke. */
function invokedFunctions(
  subscriptions: readonly SubscriptionFacts[],
  targets: readonly TargetFacts[],
): ReadonlySet<string> {
  const endpoints = subscriptions.flatMap(({ protocol, endpoint }) => (protocol === 'lambda' ? [endpoint] : []));
  const invoked = [...endpoints, ...targets.map(({ targetArn }) => targetArn)].flatMap(it => knownValue(it) ?? []);
  return new Set(invoked.map(unqualified));
}

function pollingFunctions(mappings: readonly MappingFacts[]): ReadonlySet<string> {
  return new Set(mappings.flatMap(({ functionArn }) => knownValue(functionArn) ?? []).map(unqualified));
}

async function readTargets(
  reader: AccountReader,
  buses: Promise<readonly EventBus[]>,
): Promise<readonly TargetFacts[]> {
  const [rules, schedules] = await Promise.all([buses.then(it => readRuleTargets(reader, it)), readSchedules(reader)]);
  return [...rules, ...schedules];
}

/**
 * Reads all resources of the Region that messages pass through. What cannot be read is unknown, and listed in `unseen`. What may
 * be missing is in `incomplete`. Resources that are deleted meanwhile are left out.
 *
 * @throws Error when nothing can be read, or not the list of queues where it is needed
 */
export async function readInventory(aws: Connection, options: InventoryOptions = {}): Promise<Inventory> {
  const { purpose = 'causes', needsQueues = false, progress } = options;
  const reader = new AccountReader(aws, progress);
  const [place] = await Promise.all([accountPlace(aws), needsQueues ? checkMayListQueues(reader) : undefined]);
  const buses = readEventBusList(reader);
  const targets = readTargets(reader, buses);
  const [topics, subscriptions, queues] = [readTopics(reader), readSubscriptions(reader), readQueues(reader, place)];
  const mappings = readMappings(reader);
  const streams = purpose === 'list' ? Promise.resolve([]) : subscriptions.then(it => readStreams(reader, it, place));
  const encrypted = Promise.all([purpose === 'list' ? [] : topics, queues, streams]);
  const roles = new RoleReader(reader);
  const invoked = Promise.all([subscriptions, targets]).then(senders => invokedFunctions(...senders));
  const functions = readFunctions(reader, listFunctions(reader), {
    begun: sender => roles.begin(sender),
    ...(purpose !== 'list' && { invoked }),
    ...(purpose === 'causes' && {
      running: Promise.all([invoked, mappings.then(pollingFunctions)]).then(
        ([sent, polled]) => new Set([...sent, ...polled]),
      ),
    }),
  });
  const read = await allOf({
    topics,
    subscriptions,
    queues,
    functions,
    mappings,
    targets,
    streams,
    users: Promise.all([buses.then(it => readEventBuses(reader, it)), readPipes(reader)]),
    alarms: readAlarms(reader),
    keys: encrypted.then(it => readKeys(reader, it.flat(), place)),
    roles: Promise.all([functions, mappings, targets, subscriptions]).then(senders =>
      readRoles(reader, roles, ...senders),
    ),
  });
  checkAnyRead(reader);
  const { users, ...lists } = read;
  return {
    ...place,
    isComplete: true,
    incomplete: purpose === 'list' ? [...reader.incomplete, 'streams'] : reader.incomplete,
    unseen: reader.unseen,
    ...lists,
    queueUsers: users.flat(),
  };
}

/** Waits for all parts, which are read at the same time. */
async function allOf<Parts extends object>(
  parts: {
    readonly [Name in keyof Parts]: Promise<Parts[Name]>;
  },
): Promise<Parts> {
  const read = await Promise.all(Object.entries(parts).map(async ([name, part]) => [name, await part]));
  return Object.fromEntries(read);
}

const LISTS: readonly InventoryPart[] = [
  'topics',
  'subscriptions',
  'queues',
  'functions',
  'mappings',
  'targets',
  'alarms',
];

function checkAnyRead({ incomplete, aws }: AccountReader): void {
  const [first] = aws.unread.all;
  if (first !== undefined && LISTS.every(it => incomplete.includes(it))) throw first.error;
}

export interface PartialInventory {
  readonly inventory: Inventory;
  readonly listed: readonly FunctionConfiguration[];
}

/**
 * Reads what sends messages to a queue, and what reads queues. Of the queues, it reads those that use this one as their dead-letter queue.
 * Topics, alarms, keys and roles are left out.
 *
 * @param queueUrl the dead-letter queue
 */
export async function readPartialInventory(
  aws: Connection,
  queueUrl: string,
  progress: ProgressListener,
): Promise<PartialInventory> {
  const reader = new AccountReader(aws, progress);
  const place = accountPlace(aws);
  const functions = listFunctions(reader);
  const { listed, ...read } = await allOf({
    place,
    subscriptions: readSubscriptions(reader),
    queues: readSourceQueues(reader, queueUrl, place),
    mappings: readMappings(reader),
    targets: readTargets(reader, readEventBusList(reader)),
    listed: functions,
    functions: readFunctions(reader, functions, {}),
  });
  const { place: at, ...lists } = read;
  const inventory: Inventory = {
    ...at,
    isComplete: false,
    incomplete: reader.incomplete,
    unseen: reader.unseen,
    ...lists,
    topics: [],
    alarms: [],
    keys: [],
    roles: [],
  };
  return { inventory, listed };
}
