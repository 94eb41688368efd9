import { roleMayDo } from '../../template/access/may-do';
import type { Answer } from '../../template/access/text-matching';
import { knownValue } from '../../template/maybe-known';
import { allowRole } from '../fixes/grant-access';
import { deadLetterQueues, feedersOf } from '../inventory/feeders';
import type { Inventory, KeyFacts, QueueFacts, RoleFacts } from '../inventory/inventory';
import { keyOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './finding';
import { roleMayUse } from './keys';

const START = 'sqs:StartMessageMoveTask';

/** The permissions that a move task needs from the role that starts it. */
const TAKES: readonly string[] = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

function mayOn({ arn, policies }: RoleFacts, action: string, queue: QueueFacts): Answer {
  return roleMayDo({ roleArn: arn, action, resource: queue.arn }, { identity: policies, resource: queue.policy });
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

function mayDecrypt(role: RoleFacts, key: KeyFacts): Answer {
  return roleMayUse(role, key, { service: 'sqs', action: 'kms:Decrypt' });
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
      if (mayOn(role, START, queue) !== 'yes') return [];
      const missing = TAKES.filter(action => mayOn(role, action, queue) === 'no');
      const locked = keysOf(queue, inventory).filter(it => mayDecrypt(role, it) === 'no');
      const [key] = locked;
      if (missing.length === 0 && key === undefined) return [];
      const lacked = locked.map(it => `kms:Decrypt on the key ${it.name}`);
      const all = [...missing, ...lacked].join(', ');
      return [
        {
          severity: 'unwatched',
          resource: role,
          others: [queue.arn],
          says: `The role ${role.name} may start a move task on ${queue.name} but lacks ${all}, which the task needs: it moves nothing.`,
          fix:
            missing.length > 0 || key === undefined
              ? allowRole(role.arn, missing, queue.arn)
              : allowRole(role.arn, ['kms:Decrypt'], key.arn),
        },
      ];
    }),
  );
}

export const REDRIVE_ROLE_CHECKS: readonly Check[] = [
  { id: 'redrive-role-lacks', severities: ['unwatched'], reportsMissing: 'configuration', find: lacks },
];
