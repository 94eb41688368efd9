import { parseArn } from '../../policy/arn';
import { isUnsupportedBetweenRegions, regionalSnsPrincipal } from '../../policy/aws-limits';
import { capitalized } from '../../policy/format-text';
import type { RequestKeys } from '../../template/access/access-question';
import { mayDo, roleMayDo } from '../../template/access/may-do';
import type { PolicyDocument } from '../../template/access/policy-document';
import type { Answer } from '../../template/access/text-matching';
import type { MaybeKnown } from '../../template/maybe-known';
import type { Fix } from '../fixes/fix';
import { allowInvoke, allowPublish, allowRole, allowSend } from '../fixes/grant-access';
import type { Inventory, QueueFacts, Resource, TopicFacts } from '../inventory/inventory';
import { functionOf, qualifierOf, queueOf, roleOf, topicOf, topicPolicyOf } from '../inventory/look-ups';
import { type Sender, type SenderIdentity, sendersOf, whatIsLost, whoSends } from '../inventory/senders';
import { type Check, type CheckResult, severityOf } from './finding';

type ServiceIdentity = Extract<SenderIdentity, { readonly service: string }>;

/** The resource that receives, and the permission needed. */
interface Target {
  readonly resource: Resource;
  readonly action: string;
  readonly policy: MaybeKnown<PolicyDocument | undefined>;
  /** The condition keys known for the request, except those of the sender. */
  readonly keys: RequestKeys;
  readonly letIn: (who: ServiceIdentity) => Fix;
}

function queueTarget(resource: QueueFacts): Target {
  const { policy } = resource;
  return { resource, action: 'sqs:SendMessage', policy, keys: {}, letIn: who => allowSend(resource, who) };
}

function topicTarget(resource: TopicFacts): Target {
  const letIn = (who: ServiceIdentity) => allowPublish(resource, who);
  // SNS's default topic policy allows callers that send the account of their source. EventBridge does not send it.
  const keys = { 'aws:sourceowner': undefined };
  return { resource, action: 'sns:Publish', policy: topicPolicyOf(resource), keys, letIn };
}

/** In an account, versions and aliases have policies of their own, which are not read. */
function functionTarget(arn: string, inventory: Inventory, by: Resource): Target | undefined {
  const resource = functionOf(arn, inventory, by);
  if (resource === undefined || (resource.place === undefined && qualifierOf(arn) !== undefined)) return undefined;
  const { policy } = resource;
  return { resource, action: 'lambda:InvokeFunction', policy, keys: {}, letIn: who => allowInvoke(arn, who) };
}

function targetOf({ targetArn: arn, by }: Sender, inventory: Inventory): Target | undefined {
  const queue = queueOf(arn, inventory, by);
  if (queue) return queueTarget(queue);
  const topic = topicOf(arn, inventory, by);
  return topic ? topicTarget(topic) : functionTarget(arn, inventory, by);
}

function mayServiceSend(as: ServiceIdentity, { action, policy, keys }: Target, resource: string): Answer {
  return mayDo({ ...as, action, resource, keys }, policy);
}

/** The regional service principal of SNS, for deliveries to or from an opt-in Region. */
function nameAcross({ as, targetArn }: Sender): string | undefined {
  if (!('service' in as) || as.service !== 'sns.amazonaws.com') return undefined;
  const [from, to] = [parseArn(as.sourceArn)?.region, parseArn(targetArn)?.region];
  return from && to ? regionalSnsPrincipal(from, to) : undefined;
}

const CHECKS_BY_SERVICE: Readonly<Record<string, string>> = {
  sqs: 'queue-policy-keeps-out',
  sns: 'topic-policy-keeps-out',
  lambda: 'function-policy-keeps-out',
};

const LOCATIONS: Readonly<Record<string, string>> = { sqs: 'the policy of the queue', sns: 'the policy of the topic' };

function keepsOut(service: string) {
  return (inventory: Inventory): CheckResult[] =>
    sendersOf(inventory).flatMap((sender): CheckResult[] => {
      const { as, targetArn } = sender;
      if (!('service' in as) || parseArn(targetArn)?.service !== service || nameAcross(sender)) return [];
      const target = targetOf(sender, inventory);
      if (target === undefined || mayServiceSend(as, target, targetArn) !== 'no') return [];
      return [
        {
          severity: severityOf(sender),
          resource: target.resource,
          others: [sender.by.arn],
          says: capitalized(
            `${LOCATIONS[service] ?? 'the policy of the function'} ${target.resource.name} does not allow ${as.service} for ${sender.by.name}: ${whatIsLost(sender)}.`,
          ),
          fix: target.letIn(as),
        },
      ];
    });
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html */
function wrongNameInOptIn(inventory: Inventory): CheckResult[] {
  return sendersOf(inventory).flatMap((sender): CheckResult[] => {
    const service = nameAcross(sender);
    const target = targetOf(sender, inventory);
    if (service === undefined || target === undefined || !('service' in sender.as)) return [];
    const [from, to] = [parseArn(sender.as.sourceArn), parseArn(sender.targetArn)];
    if (from && to && isUnsupportedBetweenRegions(from.region, to.region, to.service)) return [];
    const { policy, resource } = target;
    // A missing policy is reported here too: `keepsOut` skips these deliveries.
    const { action, keys } = target;
    const question = { ...sender.as, service, isOnlyPrincipal: true, action, resource: sender.targetArn, keys };
    if (mayDo(question, policy) !== 'no') return [];
    return [
      {
        severity: 'loses',
        resource,
        others: [sender.by.arn],
        says: `${sender.by.name} delivers to or from an opt-in Region, where the principal of SNS is ${service}, and the policy of ${resource.name} does not allow that: ${whatIsLost(sender)}.`,
        fix: target.letIn({ ...sender.as, service }),
      },
    ];
  });
}

function roleMayNotSend(inventory: Inventory): CheckResult[] {
  return sendersOf(inventory).flatMap((sender): CheckResult[] => {
    const { as, targetArn } = sender;
    const target = targetOf(sender, inventory);
    const role = 'roleArn' in as ? roleOf(as.roleArn, inventory, sender.by) : undefined;
    if (target === undefined || role === undefined) return [];
    const question = { roleArn: role.arn, action: target.action, resource: targetArn };
    if (roleMayDo(question, { identity: role.policies, resource: target.policy }) !== 'no') return [];
    return [
      {
        severity: severityOf(sender),
        resource: role,
        others: [sender.by.arn, target.resource.arn],
        says: capitalized(
          `${whoSends(sender, inventory)} of ${sender.by.name} has no permission for ${target.action} on ${target.resource.name}: ${whatIsLost(sender)}.`,
        ),
        fix: allowRole(role.arn, [target.action], targetArn),
      },
    ];
  });
}

export const PERMISSION_CHECKS: readonly Check[] = [
  ...Object.entries(CHECKS_BY_SERVICE).map(
    ([service, id]): Check => ({
      id,
      // Of those senders that are services, only queues receive dead letters.
      severities: service === 'sqs' ? ['loses', 'at-risk'] : ['loses'],
      reportsMissing: 'configuration',
      find: keepsOut(service),
    }),
  ),
  {
    id: 'principal-of-opt-in-region',
    severities: ['loses'],
    reportsMissing: 'configuration',
    find: wrongNameInOptIn,
  },
  { id: 'role-may-not-send', severities: ['loses', 'at-risk'], reportsMissing: 'configuration', find: roleMayNotSend },
];
