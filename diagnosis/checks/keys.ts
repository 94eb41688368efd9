import { keyServiceNames, parseArn } from '../../policy/arn';
import { mayDo, roleMayDo } from '../../template/access/may-do';
import type { PolicyDocument } from '../../template/access/policy-document';
import { type Answer, allOf } from '../../template/access/text-matching';
import { isKnown, knownValue, type MaybeKnown } from '../../template/maybe-known';
import { enableKey, encryptBySqs } from '../fixes/change-settings';
import type { Fix } from '../fixes/fix';
import { allowKeyUse, allowRole } from '../fixes/grant-access';
import type { Inventory, KeyFacts, QueueFacts, RoleFacts, TopicFacts } from '../inventory/inventory';
import { isAliasOfAws, keyOf, queueOf, roleOf, topicOf } from '../inventory/look-ups';
import { type Sender, sendersOf, whatIsLost, whoSends } from '../inventory/senders';
import { type Check, type CheckResult, severityOf } from './finding';

export const SEND_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey'];

/** A key's policy, or KMS's default policy if it has none. */
export function keyPolicyOf({ arn, policy }: KeyFacts): MaybeKnown<PolicyDocument> {
  if (!isKnown(policy)) return policy;
  const { partition, account } = parseArn(arn) ?? {};
  const Principal = { AWS: `arn:${partition}:iam::${account}:root` };
  return policy ?? { Version: '2012-10-17', Statement: { Effect: 'Allow', Principal, Action: 'kms:*', Resource: '*' } };
}

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

/** SNS sends its topic to KMS. **Assumption IAM-6:** Whether EventBridge sends its rule is unknown, so no condition on it decides. */
function mayUse({ sender: { as, by }, target }: Encrypting, key: KeyFacts, inventory: Inventory): Answer {
  const policy = keyPolicyOf(key);
  if ('service' in as) {
    const sourceArn = as.service === 'sns.amazonaws.com' ? as.sourceArn : undefined;
    return allOf(
      SEND_ACTIONS.map(action => mayDo({ service: as.service, action, resource: key.arn, sourceArn }, policy)),
    );
  }
  const role = roleOf(as.roleArn, inventory, by);
  if (role === undefined) return 'unknown';
  const { service = '' } = parseArn(target.arn) ?? {};
  return allOf(SEND_ACTIONS.map(action => roleMayUse(role, key, { service, action })));
}

/**
 * Whether a role may use a key through a service of the key's Region. In China it is unknown by which of two names the
 * key knows the service (assumption KMS-3).
 */
export function roleMayUse(role: RoleFacts, key: KeyFacts, use: { service: string; action: string }): Answer {
  const { partition, region = '' } = parseArn(key.arn) ?? {};
  const suffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  const account = parseArn(role.arn)?.account;
  const [first, ...others] = keyServiceNames(use.service, region, suffix).map(name => {
    const keys = { 'kms:viaservice': name, 'kms:calleraccount': account };
    const question = { roleArn: role.arn, action: use.action, resource: key.arn, keys };
    return roleMayDo(question, { identity: role.policies, resource: keyPolicyOf(key) });
  });
  return first !== undefined && others.every(it => it === first) ? first : 'unknown';
}

function keyKeepsOut(inventory: Inventory): CheckResult[] {
  return encryptings(inventory).flatMap((it): CheckResult[] => {
    const { sender, target, key } = it;
    if (key === undefined || isOfAws(it) || mayUse(it, key, inventory) !== 'no') return [];
    const { as } = sender;
    return [
      {
        severity: severityOf(sender),
        resource: key,
        others: [target.arn, sender.by.arn],
        says: `The key ${key.name}, which encrypts ${target.name}, does not allow ${whoSends(sender, inventory)} to use it: ${whatIsLost(sender)}.`,
        fix: 'service' in as ? allowKeyUse(key, as) : allowRole(as.roleArn, SEND_ACTIONS, key.arn),
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
