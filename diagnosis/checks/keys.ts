import { keyServiceNames, parseArn } from '../../policy/arn';
import { type Answer, allOf } from '../../template/access/text-matching';
import { knownValue } from '../../template/maybe-known';
import { enableKey, encryptBySqs } from '../fixes/change-settings';
import type { Fix } from '../fixes/fix';
import { allowKeyUse, allowKeyUseByRole, KEY_USES, keyGuard } from '../fixes/grant-access';
import { type Access, letIn, mayAccess, type RoleAccess } from '../fixes/let-in';
import type { Inventory, KeyFacts, QueueFacts, RoleFacts, TopicFacts } from '../inventory/inventory';
import { isAliasOfAws, keyOf, keyPolicyOf, queueOf, roleOf, topicOf } from '../inventory/look-ups';
import { type Sender, sendersOf, whatIsLost, whoSends } from '../inventory/senders';
import { type Check, type CheckResult, severityOf } from './finding';

interface Encrypting {
  readonly sender: Sender;
  readonly target: QueueFacts | TopicFacts;
  readonly keyId: string;
  /** @default - the key is not in the inventory */
  readonly key: KeyFacts | undefined;
}

function encryptings(inventory: Inventory): Encrypting[] {
  return sendersOf(inventory).flatMap(sender => {
    const { targetArn, by } = sender;
    const target = queueOf(targetArn, inventory, by) ?? topicOf(targetArn, inventory, by);
    const keyId = target && knownValue(target.keyId);
    return target && keyId !== undefined ? [{ sender, target, keyId, key: keyOf(keyId, inventory, target) }] : [];
  });
}

function isOfAws({ keyId, key }: Encrypting): boolean {
  return isAliasOfAws(keyId) || key?.isManagedByAws === true;
}

/**
 * What a sender wants of the key; undefined if its role is not in the inventory. SNS sends its topic to KMS.
 * **Assumption IAM-6:** Whether EventBridge sends its rule is unknown, so no condition on it decides.
 */
function accessOf({ sender: { as, by }, target }: Encrypting, key: KeyFacts, inventory: Inventory): Access | undefined {
  const guard = keyGuard(key, keyPolicyOf(key));
  if ('service' in as) {
    const { service } = as;
    const sourceArn = service === 'sns.amazonaws.com' ? as.sourceArn : undefined;
    const asked = KEY_USES.map(action => ({ service, action, resource: key.arn, sourceArn }));
    return { asked, guard, grant: allowKeyUse(key, as) };
  }
  const role = roleOf(as.roleArn, inventory, by);
  return role && keyAccess(role, key, parseArn(target.arn)?.service ?? '', KEY_USES);
}

/**
 * The use of a key by a role, through a service of the key's Region. In China it is unknown by which of two names the
 * key knows the service (assumption KMS-3).
 */
export function keyAccess(role: RoleFacts, key: KeyFacts, service: string, actions: readonly string[]): RoleAccess {
  const { partition, region = '' } = parseArn(key.arn) ?? {};
  const suffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  const account = parseArn(role.arn)?.account;
  const asked = actions.flatMap(action =>
    keyServiceNames(service, region, suffix).map(name => {
      const keys = { 'kms:viaservice': name, 'kms:calleraccount': account };
      return { roleArn: role.arn, action, resource: key.arn, keys };
    }),
  );
  return { asked, guard: keyGuard(key, keyPolicyOf(key)), role, grant: allowKeyUseByRole(key, role.arn) };
}

/** Whether a role may use a key by each name of the service, or by none. */
export function mayUse(access: Access): Answer {
  if (!('role' in access)) return mayAccess(access);
  const actions = [...new Set(access.asked.map(it => it.action))];
  const answers = actions.map((action): Answer => {
    const each = access.asked.filter(it => it.action === action);
    const [first, ...others] = each.map(it => mayAccess({ ...access, asked: [it] }));
    return first !== undefined && others.every(it => it === first) ? first : 'unknown';
  });
  return allOf(answers);
}

/** A sender to what a customer managed key encrypts, and what it wants of the key. */
interface KeyArrival extends Encrypting {
  readonly resource: KeyFacts;
  readonly access: Access;
}

export function keyArrivalsOf(inventory: Inventory): readonly KeyArrival[] {
  return encryptings(inventory).flatMap(it => {
    const access = it.key && !isOfAws(it) ? accessOf(it, it.key, inventory) : undefined;
    return it.key && access ? [{ ...it, resource: it.key, access }] : [];
  });
}

function keyKeepsOut(inventory: Inventory): CheckResult[] {
  return keyArrivalsOf(inventory).flatMap(({ sender, target, resource, access }): CheckResult[] => {
    if (mayUse(access) !== 'no') return [];
    return [
      {
        severity: severityOf(sender),
        resource,
        others: [target.arn, sender.by.arn],
        says: `The key ${resource.name}, which encrypts ${target.name}, does not allow ${whoSends(sender, inventory)} to use it: ${whatIsLost(sender)}.`,
        fix: letIn(access),
      },
    ];
  });
}

function isQueue(target: QueueFacts | TopicFacts): target is QueueFacts {
  return 'redrivePolicy' in target;
}

/** The fix for a topic encrypted with an AWS managed key. SNS, unlike SQS, has no key that services can use. */
export function encryptTopicOtherwise(service: string): Fix {
  return {
    says: `Encrypt the topic with a customer managed key whose policy allows ${service}, or turn encryption off.`,
  };
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html#compatibility-with-aws-services */
function keyOfAws(inventory: Inventory): CheckResult[] {
  return encryptings(inventory).flatMap((it): CheckResult[] => {
    const { sender, target, keyId } = it;
    if (!isOfAws(it) || !('service' in sender.as)) return [];
    return [
      {
        severity: severityOf(sender),
        resource: target,
        others: [sender.by.arn],
        location: 'Properties/KmsMasterKeyId',
        says: `${target.name} is encrypted with ${keyId}, an AWS managed key that no service can use and whose policy cannot be changed: ${whatIsLost(sender)}.`,
        fix: isQueue(target) ? encryptBySqs(target) : encryptTopicOtherwise(sender.as.service),
      },
    ];
  });
}

function keyDisabled(inventory: Inventory): CheckResult[] {
  const closed = encryptings(inventory).flatMap(({ key, ...it }) => (key?.isEnabled === false ? [{ ...it, key }] : []));
  const found = new Map<KeyFacts, CheckResult>();
  for (const { sender, target, key } of closed) {
    if (found.has(key)) continue;
    const same = closed.filter(it => it.key === key);
    found.set(key, {
      severity: same.every(it => it.sender.sendsDeadLetters) ? 'at-risk' : 'loses',
      resource: key,
      others: same.flatMap(it => [it.target.arn, it.sender.by.arn]),
      says: `The key ${key.name}, which encrypts ${target.name}, is not enabled${key.state === undefined ? '' : ` (${key.state})`}: ${whatIsLost(sender)}.`,
      fix: enableKey(key),
    });
  }
  return [...found.values()];
}

export const KEY_CHECKS: readonly Check[] = [
  { id: 'key-policy-keeps-out', severities: ['loses', 'at-risk'], reportsMissing: 'configuration', find: keyKeepsOut },
  { id: 'key-of-aws-keeps-out', severities: ['loses', 'at-risk'], find: keyOfAws },
  { id: 'key-disabled', severities: ['loses', 'at-risk'], find: keyDisabled },
];
