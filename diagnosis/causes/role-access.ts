import { displayNameOf } from '../../policy/arn';
import type { Guard } from '../fixes/fix';
import { allowKeyUseByRole, keyGuard, queueGuard, topicGuard } from '../fixes/grant-access';
import type { RoleAccess } from '../fixes/let-in';
import type { Inventory } from '../inventory/inventory';
import { keyPolicyOf, queueOf, roleOf, topicOf, topicPolicyOf } from '../inventory/look-ups';

/** A resource of another service is taken for one without a policy: most have none. */
function guardOf(resource: string, inventory: Inventory): Guard {
  const queue = queueOf(resource, inventory);
  if (queue) return queueGuard(queue);
  const topic = topicOf(resource, inventory);
  if (topic) return topicGuard(topic, topicPolicyOf(topic));
  return { where: `the policy of ${resource}`, kind: 'resource', policy: undefined };
}

/** What a role wants of a resource, with the policies of both, as far as they were read. */
export function roleAccess(roleArn: string, action: string, resource: string, inventory: Inventory): RoleAccess {
  const asked = [{ roleArn, action, resource }];
  const unread = { unknownBecause: 'were not read' };
  const role = roleOf(roleArn, inventory) ?? {
    arn: roleArn,
    name: displayNameOf(roleArn),
    policies: unread,
    boundary: { arn: unread, document: unread },
  };
  const key = inventory.keys.find(it => it.arn === resource);
  if (!key) return { asked, role, guard: guardOf(resource, inventory) };
  return { asked, role, guard: keyGuard(key, keyPolicyOf(key)), grant: allowKeyUseByRole(key, roleArn) };
}
