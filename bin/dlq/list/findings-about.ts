import type { Finding } from '../../../lib/policy/checks/finding';
import type { FedQueue } from '../../../lib/policy/inventory/feeders';
import type { Inventory } from '../../../lib/policy/inventory/inventory';
import { functionOf, keyOf } from '../../../lib/policy/inventory/look-ups';
import { toldOf } from '../../../lib/policy/inventory/told';
import { queueNameOf } from '../../aws/queue-name';

/** Whether a text has a name as a word of its own: `orders`, and not only `orders-dlq`. */
function hasWord(text: string, name: string): boolean {
  return text.split(/[^\w.-]+/).some(word => word.replace(/\.$/, '') === name);
}

/** Whoever has to do with letters coming to the queue: its feeders, their roles, its key and the alarms. */
function concerned({ queue, feeders }: FedQueue, inventory: Inventory): ReadonlySet<string> {
  const feeding = feeders.map(({ resource }) => resource.arn);
  const mapped = inventory.mappings.filter(({ arn }) => feeding.includes(arn));
  const functions = [...feeding, ...mapped.flatMap(({ functionArn }) => toldOf(functionArn) ?? [])];
  const roles = functions.flatMap(arn => toldOf(functionOf(arn, inventory)?.roleArn) ?? []);
  const targetRoles = inventory.targets
    .filter(({ arn }) => feeding.includes(arn))
    .flatMap(({ roleArn }) => toldOf(roleArn) ?? []);
  const key = keyOf(queue && toldOf(queue.keyId), inventory, queue);
  const alarms = inventory.alarms.map(({ arn }) => arn);
  return new Set([...feeding, ...roles, ...targetRoles, ...(key ? [key.arn] : []), ...alarms]);
}

/** Of all findings those about a dead-letter queue, or about how somebody who has to do with it uses it. */
export function findingsAbout(fed: FedQueue, findings: readonly Finding[], inventory: Inventory): readonly Finding[] {
  const others = concerned(fed, inventory);
  const name = queueNameOf(fed.arn);
  return findings.filter(
    ({ resource, says }) => resource.arn === fed.arn || (others.has(resource.arn) && hasWord(says, name)),
  );
}
