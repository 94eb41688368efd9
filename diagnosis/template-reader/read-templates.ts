import { hasStandIn } from '../../template/stand-in';
import type { TemplateStack } from '../../template/template-stack';
import type { MaybeKnown } from '../../template/told';
import type { Inventory } from '../inventory/inventory';
import { readAlarms } from './alarms';
import { AppReading } from './app-reading';
import { readFunctions, readMappings } from './functions';
import { readKeys } from './keys';
import { readQueueUsers } from './queue-users';
import { readQueues } from './queues';
import { readRoles } from './roles';
import { readTargets } from './targets';
import { readSubscriptions, readTopics } from './topics';
import { distinguished } from './twins';

/** What all stacks are for, where it is one and they say so. */
function shared(what: string, values: readonly string[]): MaybeKnown<string> {
  const [first = '', ...others] = [...new Set(values)];
  if (others.length > 0) return { unknownBecause: `is not one: the stacks are for several ${what}s` };
  return hasStandIn(first) || first === '' ? { unknownBecause: `is chosen when the stacks are deployed` } : first;
}

/**
 * What an account will hold once these templates are deployed, as far as they tell.
 *
 * @param stacks those that are deployed together: what one of them exports another may import
 */
export function readTemplates(stacks: readonly TemplateStack[]): Inventory {
  const together = new AppReading(stacks);
  const apart = distinguished(together, stacks);
  const app = apart === stacks ? together : new AppReading(apart);
  const { environments, unread } = app;
  return {
    partition: environments[0]?.partition ?? 'aws',
    region: shared(
      'Region',
      environments.map(({ region }) => region),
    ),
    account: shared(
      'account',
      environments.map(({ account }) => account),
    ),
    isComplete: false,
    ...(unread.length > 0 && { unread }),
    topics: readTopics(app),
    subscriptions: readSubscriptions(app),
    queues: readQueues(app),
    functions: readFunctions(app),
    mappings: readMappings(app),
    targets: readTargets(app),
    queueUsers: readQueueUsers(app),
    alarms: readAlarms(app),
    keys: readKeys(app),
    roles: readRoles(app),
  };
}
