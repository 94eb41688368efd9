import { parseArn } from '../../policy/arn';
import { roleMayDo } from '../../template/access/may-do';
import type { Answer } from '../../template/access/text-matching';
import { knownValue } from '../../template/maybe-known';
import { allowRole } from '../fixes/grant-access';
import { deadLetterQueues } from '../inventory/feeders';
import type { Inventory, QueueFacts, RoleFacts } from '../inventory/inventory';
import { keyOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './check';
import { keyPolicyOf } from './keys';

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

function mayDecrypt({ arn, policies }: RoleFacts, queue: QueueFacts, inventory: Inventory): Answer {
  const key = keyOf(knownValue(queue.keyId), inventory, queue);
  if (key === undefined || key.isManagedByAws) return 'unknown';
  const keys = {
    'kms:viaservice': `sqs.${parseArn(queue.arn)?.region}.amazonaws.com`,
    'kms:calleraccount': parseArn(arn)?.account,
  };
  const question = { roleArn: arn, action: 'kms:Decrypt', resource: key.arn, keys };
  return roleMayDo(question, { identity: policies, resource: keyPolicyOf(key) });
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html */
function lacks(inventory: Inventory): CheckResult[] {
  const queues = deadLetterQueues(inventory).flatMap(({ queue }) => queue ?? []);
  return inventory.roles.filter(isAbout).flatMap(role =>
    queues.flatMap((queue): CheckResult[] => {
      if (mayOn(role, START, queue) !== 'yes') return [];
      const missing = TAKES.filter(action => mayOn(role, action, queue) === 'no');
      const key =
        mayDecrypt(role, queue, inventory) === 'no' ? keyOf(knownValue(queue.keyId), inventory, queue) : undefined;
      if (missing.length === 0 && key === undefined) return [];
      const all = [...missing, ...(key ? ['kms:Decrypt'] : [])].join(', ');
      return [
        {
          severity: 'note',
          resource: role,
          others: [queue.arn],
          says: `The role ${role.name} may start a move task on ${queue.name} but lacks ${all}, which the task needs: it moves nothing.`,
          fix:
            missing.length > 0
              ? allowRole(role.arn, missing, queue.arn)
              : allowRole(role.arn, ['kms:Decrypt'], key?.arn ?? ''),
        },
      ];
    }),
  );
}

export const REDRIVE_ROLE_CHECKS: readonly Check[] = [
  { id: 'redrive-role-lacks', reportsMissing: 'configuration', find: lacks },
];
