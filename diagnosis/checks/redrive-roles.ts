import { knownValue } from '../../template/maybe-known';
import { queueGuard } from '../fixes/grant-access';
import { joinedFix, letIn, mayAccess, type RoleAccess } from '../fixes/let-in';
import { deadLetterQueues, feedersOf } from '../inventory/feeders';
import type { Inventory, KeyFacts, QueueFacts, RoleFacts } from '../inventory/inventory';
import { keyOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './finding';
import { keyAccess, mayUse } from './keys';

const START = 'sqs:StartMessageMoveTask';

/** The permissions that a move task needs from the role that starts it. */
const TAKES: readonly string[] = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

function onQueue(role: RoleFacts, actions: readonly string[], queue: QueueFacts): RoleAccess {
  const asked = actions.map(action => ({ roleArn: role.arn, action, resource: queue.arn }));
  return { asked, guard: queueGuard(queue), role };
}

/** Whether a role may start move tasks. Most roles may not, and need no further checks. */
function isAbout({ policies }: RoleFacts): boolean {
  return /StartMessageMoveTask/i.test(JSON.stringify(policies));
}

/**
 * The keys that may have encrypted messages of a dead-letter queue: its own, and those of the queues that SQS moves
 * messages from, because a moved message keeps its encryption.
 */
function keysOf(queue: QueueFacts, inventory: Inventory): readonly KeyFacts[] {
  const moving = feedersOf(queue.arn, inventory).filter(({ kind }) => kind === 'queue');
  const sources = inventory.queues.filter(({ arn }) => moving.some(({ resource }) => resource.arn === arn));
  const keys = [queue, ...sources].flatMap(it => keyOf(knownValue(it.keyId), inventory, it) ?? []);
  return [...new Set(keys)].filter(key => !key.isManagedByAws);
}

/**
 * "If either the dead-letter queue or the original source queue are encrypted, kms:Decrypt for any KMS key that has been
 * used to encrypt the messages is also required."
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
function lacks(inventory: Inventory): CheckResult[] {
  const queues = deadLetterQueues(inventory).flatMap(({ queue }) => queue ?? []);
  return inventory.roles.filter(isAbout).flatMap(role =>
    queues.flatMap((queue): CheckResult[] => {
      if (mayAccess(onQueue(role, [START], queue)) !== 'yes') return [];
      const missing = TAKES.filter(action => mayAccess(onQueue(role, [action], queue)) === 'no');
      const locked = keysOf(queue, inventory)
        .map(key => ({ key, access: keyAccess(role, key, 'sqs', ['kms:Decrypt']) }))
        .filter(it => mayUse(it.access) === 'no');
      if (missing.length === 0 && locked.length === 0) return [];
      const lacked = locked.map(({ key }) => `kms:Decrypt on the key ${key.name}`);
      const all = [...missing, ...lacked].join(', ');
      return [
        {
          severity: 'unwatched',
          resource: role,
          others: [queue.arn],
          says: `The role ${role.name} may start a move task on ${queue.name} but lacks ${all}, which the task needs: it moves nothing.`,
          fix: joinedFix([
            ...(missing.length > 0 ? [letIn(onQueue(role, missing, queue))] : []),
            ...locked.map(({ access }) => letIn(access)),
          ]),
        },
      ];
    }),
  );
}

export const REDRIVE_ROLE_CHECKS: readonly Check[] = [
  { id: 'redrive-role-lacks', severities: ['unwatched'], reportsMissing: 'configuration', find: lacks },
];
