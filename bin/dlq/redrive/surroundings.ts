import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import type { Connection } from '../../../account/connection/connection';
import { allFunctions } from '../../../account/connection/functions';
import { accountPlace } from '../../../account/inventory/account-place';
import { AccountReader } from '../../../account/inventory/account-reader';
import { readFunctions } from '../../../account/inventory/functions';
import { readMappings } from '../../../account/inventory/mappings';
import { readQueues } from '../../../account/inventory/queues';
import { readRuleTargets } from '../../../account/inventory/rule-targets';
import { readSchedules } from '../../../account/inventory/schedules';
import { readSubscriptions } from '../../../account/inventory/subscriptions';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import type { Progress } from '../../progress';

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
