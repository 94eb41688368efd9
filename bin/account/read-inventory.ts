import type { Inventory } from '../../lib/policy/inventory/inventory';
import type { Connection } from '../aws/connection';
import type { Progress } from '../progress';
import { accountPlace } from './account-place';
import { AccountReader } from './account-reader';
import { readQueues } from './queues';
import { readSubscriptions } from './subscriptions';
import { readTopics } from './topics';

export interface InventoryOptions {
  /** Is told how many resources have been read. @default - nobody is told */
  readonly progress?: Pick<Progress, 'at'>;
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
  const [topics, subscriptions, queues] = await Promise.all([
    readTopics(reader),
    readSubscriptions(reader),
    readQueues(reader, place),
  ]);
  reader.checkAll();
  return {
    ...place,
    isWhole: true,
    unseen: reader.unseen,
    topics,
    subscriptions,
    queues,
    functions: [],
    mappings: [],
    targets: [],
    alarms: [],
    keys: [],
    roles: [],
  };
}
